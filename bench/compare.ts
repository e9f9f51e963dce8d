/** Contenders on one question: alternated, in reversed order every other round. */
import { type Asked, mustAgree, requestsFor } from './ask.ts'
import { MINIMUM, POSTGRAPHILE } from './contenders.ts'
import type { Writes } from './data/writes.ts'
import type { DatabaseCpu } from './database-cpu.ts'
import { type Load, type Measured, measure } from './load.ts'
import type { Effort } from './options.ts'
import { progress } from './progress.ts'
import { isWrite, type Question, type Read, type Request } from './questions.ts'

/** What each contender needed, round by round; the first one is what the others are compared with. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>

/** What the load is measured with. */
export interface Instruments {
  database: DatabaseCpu
  writes: Writes
}

const CONNECTIONS = 8

/** PostGraphile has no computed fields, no revisions and no activity log; the minimum answers rows alone. */
const answersLess = (label: string) => label === POSTGRAPHILE || label === MINIMUM

/** An answer under way when the time is over is not counted, and what is stored already is not written. */
const LEAST_RECORDED = 0.98

async function measureWrites(asked: Asked, { database, writes }: Instruments, load: Load): Promise<Measured> {
  const before = await writes.recorded()
  const measured = await measure(asked.contender, database, load)
  const recorded = (await writes.recorded()) - before
  if (asked.label !== POSTGRAPHILE && recorded < measured.answers * LEAST_RECORDED)
    throw new Error(`${asked.label} recorded ${recorded} of ${measured.answers} changes`)
  return measured
}

/** Everybody who can be asked, with their requests. Throws if one does other work than the first. */
export async function agreed(
  read: Read,
  questions: readonly Question[],
  all: readonly Asked[],
  writes: Writes,
): Promise<(Asked & { requests: Request[] })[]> {
  const [floor] = all
  if (!floor) throw new Error('Nobody to compare with')
  const traces = isWrite(read) ? { write: read, writes } : null
  const able: (Asked & { requests: Request[] })[] = []
  for (const asked of all) {
    const requests = await requestsFor(asked, questions)
    if (!requests) continue
    progress(`${read}, ${asked.label}: the answers`)
    const agreement = { partly: answersLess(asked.label), traces }
    if (asked !== floor) await mustAgree([floor, asked], questions, agreement)
    able.push({ ...asked, requests })
  }
  return able
}

export async function compare(
  read: Read,
  questions: readonly Question[],
  all: readonly Asked[],
  instruments: Instruments,
  { rounds, seconds, warm_up_seconds }: Effort,
): Promise<Rounds> {
  const able = await agreed(read, questions, all, instruments.writes)
  const reset = async () => {
    if (isWrite(read)) await instruments.writes.reset(read)
  }
  const one = (asked: Asked, load: Load) =>
    isWrite(read)
      ? measureWrites(asked, instruments, load)
      : measure(asked.contender, instruments.database, load)
  const loads: (Asked & { load: Load })[] = []
  for (const { requests, ...asked } of able) {
    const load = { requests, connections: CONNECTIONS, seconds }
    await one(asked, { ...load, seconds: warm_up_seconds })
    loads.push({ ...asked, load })
  }
  const measured = new Map<string, Measured[]>(loads.map(({ label }) => [label, []]))
  for (let round = 0; round < rounds; round++) {
    progress(`${read}, round ${round + 1} of ${rounds}`)
    await reset()
    for (const { load, ...asked } of round % 2 ? loads.toReversed() : loads) {
      measured.get(asked.label)?.push(await one(asked, load))
    }
  }
  await reset()
  return measured
}
