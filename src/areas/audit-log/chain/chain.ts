/**
 * The chain of the audit log, by which it shows that no entry was changed, removed, moved or added afterwards.
 *
 * chain: the closed entries of a tenant, an environment and a UTC day, in the order in which they were closed.
 * closing: an entry gets its position in the chain, the hash of the entry before it, and its own.
 * genesis: what the first entry of a day has as the hash before it. It contains the end of the day before.
 *
 * Entries commit in another order than they happened in. A closed entry keeps its place, so an entry that comes late is
 * closed behind those that came earlier, and one that comes when the next day has begun is in the chain of that day. A day
 * that is over is anchored: its end is written elsewhere, and nothing is closed into it any more.
 */
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { instantText } from '../../../lib/time.ts'
import type { Row } from '../../../schema/models.ts'

type Unhashed = 'hash' | 'chain_day' | 'chain_position' | 'search_text'

/** The columns of an entry that its hash is of. */
export type HashedEntry = Omit<Row<'AuditEntry'>, Unhashed>

/** A date in UTC: `YYYY-MM-DD`. */
type Day = string

/** The chain of a day, as far as it is closed. */
export interface DayChain {
  day: Day
  /** The last day before that has entries, and the hash of its last one. null: there is none. */
  previous_day: Day | null
  previous_day_hash: string | null
  entries: number
  last_hash: string
}

/** The chain of a day as its row is read. */
export type DayRow = Omit<Row<'AuditDay'>, 'tenant_id' | 'environment' | 'deleted_at' | 'anchored_at'>

export const dayChainOf = ({
  day,
  previous_day,
  previous_day_hash,
  entries,
  last_hash,
}: DayRow): DayChain => ({
  day: dayOf(day),
  previous_day: previous_day && dayOf(previous_day),
  previous_day_hash,
  entries,
  last_hash,
})

/** The columns that closing writes into an entry. */
interface Link {
  id: string
  chain_day: Day
  chain_position: number
  previous_hash: string
  hash: string
}

interface Tenancy {
  tenant_id: string
  environment: string
}

export const dayOf = (instant: Date): Day => instantText(instant).slice(0, 10)

const sha256 = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? '')
    .digest('hex')

/**
 * The hash of an entry: of its columns that are not null, as JSON shows them, in the canonical form of RFC 8785. A column
 * that a later release adds leaves the hashes of earlier entries as they are.
 */
export function hashOf(entry: HashedEntry): string {
  const shown = JSON.parse(JSON.stringify(entry)) as Record<string, unknown>
  return sha256(Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)))
}

/** The genesis of the day. */
export function genesisOf(
  { tenant_id, environment }: Tenancy,
  { day, previous_day, previous_day_hash }: Pick<DayChain, 'day' | 'previous_day' | 'previous_day_hash'>,
): string {
  return sha256({ tenant_id, environment, day, previous_day, previous_day_hash })
}

interface Closed {
  links: Link[]
  /** The days that the links belong to, the earliest first. */
  days: DayChain[]
}

/**
 * Closes the chain over the entries, in their order, behind `last`: the latest day that has entries. Nothing is closed into
 * a day that is over or into one to come, whatever the clock said by which an entry was stored. `anchored`: nothing is
 * closed into the last day itself.
 */
export function closeOver(
  tenancy: Tenancy,
  last: DayChain | null,
  entries: readonly HashedEntry[],
  today: Day,
  anchored = false,
): Closed {
  const links: Link[] = []
  const days: DayChain[] = []
  let chain = last
  for (const entry of entries) {
    const own = dayOf(entry.occurred_at)
    const over = own < today ? own : today
    const day = anchored && over <= (last?.day ?? '') ? today : over
    if (!chain || day > chain.day) {
      const begun = {
        day,
        previous_day: chain?.day ?? null,
        previous_day_hash: chain?.last_hash ?? null,
        entries: 0,
      }
      chain = { ...begun, last_hash: genesisOf(tenancy, begun) }
      days.push(chain)
    } else if (days.length === 0) {
      chain = { ...chain }
      days.push(chain)
    }
    const previous_hash: string = chain.last_hash
    const hash = hashOf({ ...entry, previous_hash })
    chain.entries++
    chain.last_hash = hash
    links.push({ id: entry.id, chain_day: chain.day, chain_position: chain.entries, previous_hash, hash })
  }
  return { links, days }
}

export type Fault =
  | 'ENTRY_CHANGED'
  | 'ENTRY_MISSING'
  | 'ENTRY_ADDED'
  | 'ORDER_CHANGED'
  | 'DAY_BEFORE_CHANGED'
  | 'DAY_CHANGED'

export interface Break {
  fault: Fault
  /** The first entry that shows it. null: the end of the day shows it. */
  entry_id: string | null
}

/** The part of a chain that was followed: its number of entries, and the hash that the next one names. */
export interface Followed {
  position: number
  hash: string
}

export type ClosedEntry = HashedEntry & { chain_position: number; hash: string }

/** Follows the chain over the next entries, in the order of their positions, to the first one that does not fit. */
export function follow(
  from: Followed,
  entries: readonly ClosedEntry[],
): { followed: Followed; broken: Break | null } {
  let followed = from
  for (const { chain_position, hash, ...entry } of entries) {
    const fault = faultOf(followed, { chain_position, hash, ...entry })
    if (fault) return { followed, broken: { fault, entry_id: entry.id } }
    followed = { position: chain_position, hash }
  }
  return { followed, broken: null }
}

function faultOf({ position, hash: before }: Followed, entry: ClosedEntry): Fault | null {
  const { chain_position, hash, ...hashed } = entry
  if (chain_position !== position + 1) return 'ENTRY_MISSING'
  if (hashed.previous_hash !== before) return 'ORDER_CHANGED'
  return hashOf(hashed) === hash ? null : 'ENTRY_CHANGED'
}

/** The stored rows of a day and of the days beside it, read at one instant. */
export interface StoredDay {
  chain: DayChain | null
  /** The `last_hash` that is stored of the day before. */
  day_before_hash: string | null
  /** The day, with its hash, that the next day with entries names as the one before it. null: there is no later day. */
  day_after: Pick<DayChain, 'previous_day' | 'previous_day_hash'> | null
  /** An entry behind the end of the chain. */
  added_entry_id: string | null
  /** The end of the day, as the activity log has it. null: it has none. */
  anchor: Pick<DayChain, 'entries' | 'last_hash'> | null
  /** True if the activity log must have it. */
  is_anchored: boolean
}

/** The fault of a day before its first entry is read. */
export function startFault(day: Day, { chain, day_before_hash, day_after, anchor }: StoredDay): Break | null {
  const is_known = day_after?.previous_day === day || anchor !== null
  if (!chain) return is_known ? { fault: 'ENTRY_MISSING', entry_id: null } : null
  return chain.previous_day_hash === day_before_hash ? null : { fault: 'DAY_BEFORE_CHANGED', entry_id: null }
}

/** The fault at the end of a day whose entries all fit. */
export function endFault(
  { chain, day_after, added_entry_id, anchor, is_anchored }: StoredDay,
  { position, hash }: Followed,
): Break | null {
  if (chain && position !== chain.entries) return { fault: 'ENTRY_MISSING', entry_id: null }
  if (added_entry_id !== null) return { fault: 'ENTRY_ADDED', entry_id: added_entry_id }
  if (!chain) return null
  const goes_on =
    !day_after || (day_after.previous_day === chain.day && day_after.previous_day_hash === chain.last_hash)
  const fits = anchor
    ? anchor.entries === chain.entries && anchor.last_hash === chain.last_hash
    : !is_anchored
  return goes_on && fits && hash === chain.last_hash ? null : { fault: 'DAY_CHANGED', entry_id: null }
}
