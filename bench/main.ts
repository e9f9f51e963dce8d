/** What is measured in one run, in which order, and what it prints. */
import { compareAnswers } from './answers.ts'
import { BARE, coldStarts } from './cold-start.ts'
import { compare } from './compare.ts'
import { manyConnections } from './connections.ts'
import { startAll, stopAll } from './contenders.ts'
import { prepare } from './data/prepare.ts'
import { storeSummaries } from './data/summaries.ts'
import { watchWrites } from './data/writes.ts'
import { watchDatabase } from './database-cpu.ts'
import {
  type Findings,
  fromColdStarts,
  fromConnections,
  fromGrowth,
  fromInbox,
  fromRounds,
  fromStatements,
  fromWaits,
} from './findings.ts'
import { GOALS } from './goals.ts'
import { measureGrowth, TIMES } from './growth.ts'
import { EVENTS_A_MINUTE, measureInbox, USERS } from './inbox.ts'
import { introduction } from './introduction.ts'
import * as options from './options.ts'
import { progress } from './progress.ts'
import { questionsOf, type Read, WRITES } from './questions.ts'
import { Report, save, saved } from './report.ts'
import { measureRuns } from './runs/parts.ts'
import { measureStatements } from './statements.ts'
import {
  coldStartTable,
  connectionsTable,
  growthTable,
  inboxTable,
  readTable,
  statementsTable,
  waitsTable,
} from './tables.ts'
import { judge } from './verdict.ts'
import { measureWaits } from './waits.ts'

const { parts, scale, effort, READS } = options
const reads = (Object.keys(READS) as Read[]).filter((read) => parts.has(read))
const report = new Report()
const findings: Findings = new Map()
const keep = (found: Findings) => {
  for (const [name, figure] of found) findings.set(name, figure)
}

/** The parts that are asked of the large database. */
async function measureReads(): Promise<void> {
  const url = await prepare(scale)
  const writes = await watchWrites(url)
  // Of a run that ended early.
  for (const write of WRITES) await writes.reset(write)
  const questions = await questionsOf(url, scale)
  const instruments = { database: await watchDatabase(url), writes }
  const everybody = await startAll(url)
  await storeSummaries(
    url,
    everybody,
    reads.flatMap((read) => questions[read]),
  )
  for (const read of reads) {
    const rounds = await compare(read, questions[read], everybody, instruments, effort)
    keep(fromRounds(read, rounds))
    report.add(READS[read], readTable(rounds))
  }
  await stopAll(everybody)
  await instruments.database.close()
  await writes.close()
}

if (options.answers) {
  await compareAnswers(reads)
  process.exit(0)
}
if (reads.length > 0) await measureReads()
if (parts.has('statements')) {
  const measured = await measureStatements(options.statement_rounds)
  keep(fromStatements(measured))
  report.add('One statement on one connection, by our query and by that of pg', statementsTable(measured))
}
if (parts.has('waits')) {
  progress('waits of writers for each other')
  const waits = await measureWaits()
  keep(fromWaits(waits))
  report.add('Writers of one rollup, who wait for each other', waitsTable(waits))
}
if (parts.has('growth')) {
  const urls = { small: await prepare(1), large: await prepare(TIMES) }
  const grown = await measureGrowth(urls, options.growth_batches)
  keep(fromGrowth(grown))
  report.add(
    'Growth: ten times the links and executions of every tenant, or the callbacks',
    growthTable(grown),
  )
}
if (parts.has('cold-start')) {
  const measured = await coldStarts(await prepare(scale), options.cold_starts)
  keep(fromColdStarts(measured))
  report.add(`Cold start, against ${BARE}`, coldStartTable(measured))
}
if (parts.has('connections')) {
  const url = await prepare(scale)
  const { R1 } = await questionsOf(url, scale)
  const measured = await manyConnections(url, R1, options.connection_seconds)
  keep(fromConnections(measured))
  report.add(`R1 from 1,000 connections for ${options.connection_seconds} s`, connectionsTable(measured))
}
if (parts.has('inbox')) {
  const measured = await measureInbox(effort)
  keep(fromInbox(measured))
  report.add(
    `W1 while ${EVENTS_A_MINUTE.toLocaleString('en')} events a minute come into ${USERS} inboxes`,
    inboxTable(measured),
  )
}
await measureRuns(parts, options.runs_effort, report, keep)

const { markdown, missed } = judge(GOALS, findings, options.before ? saved(options.before) : null)
if (markdown) report.add('Goals', markdown)
if (options.save) save(options.save, findings)
if (options.complete) report.write(await introduction(scale, effort))
progress('done')
if (missed.length > 0)
  console.error(`\nMissed by more than the noise:\n${missed.map((one) => `  ${one}`).join('\n')}`)
process.exit(options.check && missed.length > 0 ? 1 : 0)
