/** What is measured in one run, in which order, and what it prints. */
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { BARE, coldStarts } from './cold-start.ts'
import { compare, type Effort } from './compare.ts'
import { manyConnections } from './connections.ts'
import { startAll } from './contenders.ts'
import { connected, prepare } from './data/prepare.ts'
import { watchDatabase } from './database-cpu.ts'
import { type Findings, fromColdStarts, fromConnections, fromGrowth, fromRounds } from './findings.ts'
import { GOALS } from './goals.ts'
import { measureGrowth, TIMES } from './growth.ts'
import { amount, questionsOf, type Read } from './questions.ts'
import { coldStartTable, connectionsTable, growthTable, judge, readTable } from './tables.ts'

const READS: Record<Read, string> = {
  R1: 'R1: company links, a page of 50 and counts',
  R2: 'R2: one execution, for a user who sees some agents',
  R3: 'R3: the performance summary of 30 days',
  R4: 'R4: twenty agents with their last five executions',
  write: 'A write: one setting, and the entry in the activity log',
  key: 'The check of a key, alone',
}
const PARTS = [...Object.keys(READS), 'growth', 'cold-start', 'connections']

const USAGE = `npm run bench -- [--quick] [--check] [--only R1,R2,…] [--scale 10]
  --quick   a few minutes; no tenfold database
  --check   ends with 1 where a goal is missed by more than the noise of the run
  --only    some of ${PARTS.join(', ')}
  --scale   how many times the rows, for everything but growth
BENCH_DATABASE_URL names the PostgreSQL server; two databases are made there, and kept for the next run.`

const NOTES =
  'Ratios to the hand-written one, which does the same work for a caller but writes no log; the service logs every ' +
  'request to a file and counts it. PostGraphile judges no key, counts no limit, looks at no visibility and has no ' +
  'envelope. "again" is a second process of the hand-written one: what differs there is noise. The check of a key is ' +
  'GET /tenant/me, over REST with one more statement for the limits that it shows.'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    only: { type: 'string' },
    scale: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(USAGE)
  process.exit(0)
}
const usual = values.quick ? PARTS.filter((part) => part !== 'growth') : PARTS
const parts = new Set(values.only?.split(',') ?? usual)
const unknown = [...parts].filter((part) => !PARTS.includes(part))
if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not one of ${PARTS.join(', ')}`)

const effort: Effort = values.quick
  ? { rounds: 5, seconds: 2, warm_up_seconds: 1 }
  : { rounds: 7, seconds: 5, warm_up_seconds: 2 }
const starts = values.quick ? 5 : 11
const growth_batches = values.quick ? 10 : 30
const connection_seconds = values.quick ? 10 : 60

const scale = Number(values.scale)
const url = await prepare(scale)
const findings: Findings = new Map()
const keep = (found: Findings) => {
  for (const [name, figure] of found) findings.set(name, figure)
}
const section = (title: string, text: string) => console.log(`\n**${title}**\n\n${text}`)

const version = await connected(url, async (client) => (await client.query('show server_version')).rows[0])
console.log(
  `${amount(scale)}; PostgreSQL ${version.server_version}, Node ${process.versions.node}, ${cpus().length} cores. ` +
    `Medians of ${effort.rounds} rounds of ${effort.seconds} s, [least..most]. ${NOTES}`,
)

const questions = await questionsOf(url, scale)
const reads = (Object.keys(READS) as Read[]).filter((read) => parts.has(read))
if (reads.length > 0) {
  const database = await watchDatabase(url)
  const everybody = await startAll(url)
  for (const read of reads) {
    const rounds = await compare(read, questions[read], everybody, database, effort)
    keep(fromRounds(read, rounds))
    section(READS[read], readTable(rounds))
  }
  await Promise.all([...new Set(everybody.map(({ contender }) => contender))].map((one) => one.stop()))
  await database.close()
}
if (parts.has('growth')) {
  const grown = await measureGrowth({ small: await prepare(1), large: await prepare(TIMES) }, growth_batches)
  keep(fromGrowth(grown))
  section(`Growth: ten times the links and executions of every tenant`, growthTable(grown))
}
if (parts.has('cold-start')) {
  const measured = await coldStarts(url, starts)
  keep(fromColdStarts(measured))
  section(`Cold start, against ${BARE}`, coldStartTable(measured))
}
if (parts.has('connections')) {
  const measured = await manyConnections(url, questions.R1, connection_seconds)
  keep(fromConnections(measured))
  section(`R1 from 1,000 connections for ${connection_seconds} s`, connectionsTable(measured))
}

const { markdown, missed } = judge(GOALS, findings)
if (markdown) section('Goals', markdown)
if (missed.length > 0)
  console.error(`\nMissed by more than the noise:\n${missed.map((one) => `  ${one}`).join('\n')}`)
process.exit(values.check && missed.length > 0 ? 1 : 0)
