/** What was measured, as the figures that goals name. */
import { BARE, BARE_AGAIN, type ColdStart, EMBEDDED, ON_POSTGRESQL } from './cold-start.ts'
import type { Rounds } from './compare.ts'
import { AGAIN, FLOOR, GRAPHQL, MINIMUM, POSTGRAPHILE, REST } from './contenders.ts'
import { exponent, median, noise, percentile, ratio } from './figures.ts'
import { type Growth, TIMES } from './growth.ts'
import type { InboxLoad } from './inbox.ts'
import type { Loaded } from './load.ts'
import type { StatementCosts } from './statements.ts'
import type { Waits } from './waits.ts'

export interface Figure {
  value: number
  /** How far the same program was from itself in this run, as a part of the figure or beside it. */
  noise: number
  /** True: the noise is added to the figure, and is no part of it. */
  added?: true
  /** Requests a second, as a part of the minimum's. */
  of_minimum?: number
}

export type Findings = Map<string, Figure>

const INTERFACES = [
  ['REST', REST],
  ['GraphQL', GRAPHQL],
] as const

export function fromRounds(read: string, rounds: Rounds): Findings {
  const of = (label: string) => rounds.get(label)?.map(({ rate }) => rate) ?? []
  const apart = noise(of(AGAIN), of(FLOOR))
  const found: Findings = new Map()
  for (const [name, label] of INTERFACES) {
    const by = (base: string) => ({ value: ratio(of(label), of(base)).median, noise: apart })
    if (!rounds.has(label)) continue
    const of_minimum = by(MINIMUM).value
    found.set(`${read} ${name} rate`, { ...by(FLOOR), of_minimum })
    if (rounds.has(POSTGRAPHILE))
      found.set(`${read} ${name} by PostGraphile`, { ...by(POSTGRAPHILE), of_minimum })
  }
  return found
}

export const fromStatements = (measured: ReadonlyMap<string, StatementCosts>): Findings =>
  new Map(
    [...measured].map(([name, { ours, pg, again }]) => [
      `statement, ${name}`,
      { value: ratio(ours, pg).median, noise: noise(again, pg) },
    ]),
  )

export const fromWaits = ({ writes }: Waits): Findings =>
  new Map([...writes].map(([name, ms]) => [`wait to ${name}`, { value: percentile(ms, 0.99), noise: 0 }]))

export const fromGrowth = (grown: ReadonlyMap<string, Growth>): Findings =>
  new Map(
    [...grown].map(([name, { small, large, small_again }]) => [
      `growth ${name}`,
      { value: exponent(small, large, TIMES), noise: exponent(small, small_again, TIMES), added: true },
    ]),
  )

export function fromColdStarts(starts: ReadonlyMap<string, readonly ColdStart[]>): Findings {
  const ms = (name: string) => starts.get(name)?.map((start) => start.ms) ?? []
  const apart = noise(ms(BARE_AGAIN), ms(BARE))
  const times = (name: string) => ({ value: ratio(ms(name), ms(BARE)).median, noise: apart })
  const megabytes = (name: string) => ({
    value: median(starts.get(name)?.map((start) => start.megabytes) ?? []),
    noise: 0,
  })
  return new Map([
    ['cold start PostgreSQL', times(ON_POSTGRESQL)],
    ['cold start embedded', times(EMBEDDED)],
    ['memory PostgreSQL', megabytes(ON_POSTGRESQL)],
    ['memory embedded', megabytes(EMBEDDED)],
  ])
}

/** W1 while inboxes fill, beside the floor of the same rounds, by what it is while nothing happens. */
export function fromInbox({ idle, meanwhile, miscounted, behind_seconds }: InboxLoad): Findings {
  const [quiet, busy] = [fromRounds('W1', idle), fromRounds('W1', meanwhile)]
  const found: Findings = new Map([
    ['inbox, miscounted', { value: miscounted, noise: 0 }],
    ['inbox, behind', { value: behind_seconds, noise: 0 }],
  ])
  for (const [name] of INTERFACES) {
    const [was, is] = [quiet, busy].map((of) => of.get(`W1 ${name} rate`))
    if (was && is)
      found.set(`inbox, W1 ${name}`, { value: is.value / was.value, noise: was.noise + is.noise })
  }
  return found
}

/** Answers that say that the service could not: 5xx, and answers of GraphQL with errors. */
const failures = ({ refused }: Loaded): number =>
  [...refused]
    .filter(([status]) => status >= 500 || status === 200)
    .reduce((sum, [, count]) => sum + count, 0)

export const fromConnections = (loads: ReadonlyMap<string, Loaded>): Findings =>
  new Map(
    INTERFACES.flatMap(([name, label]) => {
      const loaded = loads.get(label)
      if (!loaded) return []
      return [
        [`sockets ${name}`, { value: loaded.socket_errors, noise: 0 }],
        [`failures ${name}`, { value: failures(loaded), noise: 0 }],
      ] satisfies [string, Figure][]
    }),
  )
