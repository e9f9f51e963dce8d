/** Contenders on one read: alternated, in reversed order every other round. */
import { type Asked, mustAgree, requestsFor } from './ask.ts'
import type { DatabaseCpu } from './database-cpu.ts'
import { type Load, type Measured, measure } from './load.ts'
import type { Question, Read } from './questions.ts'

export interface Effort {
  rounds: number
  seconds: number
  warm_up_seconds: number
}

/** What each contender needed, round by round; the first one is what the others are compared with. */
export type Rounds = ReadonlyMap<string, readonly Measured[]>

const CONNECTIONS = 8

/** What the one answers with and the other leaves out: PostGraphile has no computed fields, the floor no limits. */
const agreesPartly = (read: Read, label: string) => label.startsWith('PostGraphile') || read === 'key'

export async function compare(
  read: Read,
  questions: readonly Question[],
  all: readonly Asked[],
  database: DatabaseCpu,
  { rounds, seconds, warm_up_seconds }: Effort,
): Promise<Rounds> {
  const [floor] = all
  if (!floor) throw new Error('Nobody to compare with')
  const loads: (Asked & { load: Load })[] = []
  for (const asked of all) {
    const requests = await requestsFor(asked, questions)
    if (!requests) continue
    if (asked !== floor) await mustAgree([floor, asked], questions, agreesPartly(read, asked.label))
    const load = { requests, connections: CONNECTIONS, seconds }
    await measure(asked.contender, database, { ...load, seconds: warm_up_seconds })
    loads.push({ ...asked, load })
  }
  const measured = new Map<string, Measured[]>(loads.map(({ label }) => [label, []]))
  for (let round = 0; round < rounds; round++) {
    for (const { label, contender, load } of round % 2 ? loads.toReversed() : loads) {
      measured.get(label)?.push(await measure(contender, database, load))
    }
  }
  return measured
}
