/** Verifies that the audit log of a day is as it was written. */
import { VERIFY_AUDIT_LOG } from '../../../access/limits/catalogue.ts'
import { admins } from '../../../access/policies/policies.ts'
import { callerOf } from '../../../access/viewer.ts'
import { scoped, sql } from '../../../db/db.ts'
import { found, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder, described } from '../../../schema/builder.ts'
import { area } from '../area.ts'
import { keptFrom } from '../rules.ts'
import { ANCHORED } from './anchor.ts'
import {
  type Break,
  type ClosedEntry,
  type DayChain,
  type DayRow,
  dayChainOf,
  dayOf,
  endFault,
  type Fault,
  type Followed,
  follow,
  genesisOf,
  type StoredDay,
  startFault,
} from './chain.ts'
import { HASHED_COLUMNS } from './hashed-columns.ts'

const DAY = scoped(
  'audit_log.day',
  `select d.day, d.previous_day, d.previous_day_hash, d.entries, d.last_hash,
     (select p.last_hash from audit_day p
      where p.tenant_id = $1 and p.environment = $2 and p.day = d.previous_day) as day_before_hash,
     n.previous_day::text as next_previous_day, n.previous_day_hash as next_previous_day_hash,
     n.previous_day is not null as has_next,
     (select x.id from audit_entry x
      where x.tenant_id = $1 and x.environment = $2 and x.chain_day = a.day
        and x.chain_position > coalesce(d.entries, 0)
      order by x.chain_position limit 1) as added_entry_id,
     (select count(*) from audit_entry u
      where u.tenant_id = $1 and u.environment = $2 and u.hash is null
        and u.occurred_at >= a.day and u.occurred_at < a.day + 1) as unclosed,
     coalesce(d.anchored_at is not null, false) as is_anchored,
     (select y.after from activity_entry y
      where y.tenant_id = $1 and y.environment = $2 and y.action = '${ANCHORED}'
        and y.targets -> 0 ->> 'id' = a.day::text
      order by y.occurred_at, y.id limit 1) as anchor
   from (select $3::date as day) a
   left join audit_day d on d.tenant_id = $1 and d.environment = $2 and d.day = a.day
   left join lateral (
     select previous_day, previous_day_hash from audit_day l
     where l.tenant_id = $1 and l.environment = $2 and l.day > a.day order by l.day limit 1
   ) n on true`,
)

const PAGE = 500

const ENTRIES = scoped(
  'audit_log.chain',
  `select ${HASHED_COLUMNS.join(', ')}, hash, chain_position from audit_entry
   where tenant_id = $1 and environment = $2 and chain_day = $3::date and chain_position > $4::int
     and chain_position <= $5::int
   order by chain_position limit ${PAGE}`,
)

const CLOSED_ENTRY = scoped(
  'audit_log.closed_entry',
  `select chain_position as position, hash from audit_entry
   where tenant_id = $1 and environment = $2 and chain_day = $3::date and id = $4::text`,
)

interface DayAsRead extends Omit<DayRow, 'day'> {
  /** null: the day has no chain. */
  day: Date | null
  day_before_hash: string | null
  has_next: boolean
  next_previous_day: string | null
  next_previous_day_hash: string | null
  added_entry_id: string | null
  unclosed: number
  is_anchored: boolean
  anchor: StoredDay['anchor']
}

async function readDay(ctx: Context, asked: string): Promise<StoredDay & { unclosed: number }> {
  const [row] = await sql<DayAsRead>(ctx, DAY, [asked])
  if (!row) throw new Error('A statement that always has a row had none')
  const { day, previous_day, previous_day_hash, entries, last_hash, ...beside } = row
  return {
    chain: day && dayChainOf({ day, previous_day, previous_day_hash, entries, last_hash }),
    day_before_hash: beside.day_before_hash,
    day_after: beside.has_next
      ? { previous_day: beside.next_previous_day, previous_day_hash: beside.next_previous_day_hash }
      : null,
    added_entry_id: beside.added_entry_id,
    anchor: beside.anchor,
    is_anchored: beside.is_anchored,
    unclosed: beside.unclosed,
  }
}

/** The entries that one call follows: a few seconds of work. */
const AT_ONCE = 100_000

interface Outcome {
  followed: Followed & { id: string | null }
  broken: Break | null
}

/** Follows the chain from an entry on, page by page: no transaction is open, and no day is in memory. */
async function followDay(
  ctx: Context,
  { day, entries }: DayChain,
  from: Outcome['followed'],
): Promise<Outcome> {
  let followed = from
  const end = Math.min(entries, from.position + AT_ONCE)
  while (followed.position < end) {
    const page = await sql<ClosedEntry>(ctx, ENTRIES, [day, followed.position, end])
    if (page.length === 0) break
    const { followed: so_far, broken } = follow(followed, page)
    const last = page[so_far.position - followed.position - 1]
    followed = { ...so_far, id: last?.id ?? followed.id }
    if (broken) return { followed, broken }
  }
  return { followed, broken: null }
}

interface Verification {
  day: string
  status: 'VERIFIED' | 'BROKEN' | 'INCOMPLETE' | 'EMPTY'
  entries: number
  verified_entries: number
  unclosed_entries: number
  last_entry_id: string | null
  last_hash: string | null
  fault: Fault | null
  broken_at_entry_id: string | null
}

async function verify(ctx: Context, day: string, after_entry_id: string | null): Promise<Verification> {
  const { unclosed, ...stored } = await readDay(ctx, day)
  const { chain } = stored
  const start: Outcome['followed'] = {
    id: after_entry_id,
    ...(after_entry_id === null
      ? { position: 0, hash: chain ? genesisOf(callerOf(ctx), chain) : '' }
      : await readFollowed(ctx, day, after_entry_id)),
  }
  let { followed, broken }: Outcome = { followed: start, broken: startFault(day, stored) }
  if (chain && !broken) ({ followed, broken } = await followDay(ctx, chain, start))
  const entries = chain?.entries ?? 0
  const incomplete = !broken && followed.position === start.position + AT_ONCE && followed.position < entries
  if (!broken && !incomplete) broken = endFault(stored, followed)
  return {
    day,
    status: broken ? 'BROKEN' : incomplete ? 'INCOMPLETE' : chain ? 'VERIFIED' : 'EMPTY',
    entries,
    verified_entries: followed.position,
    unclosed_entries: unclosed,
    last_entry_id: followed.id,
    last_hash: followed.id === null ? null : followed.hash,
    fault: broken?.fault ?? null,
    broken_at_entry_id: broken?.entry_id ?? null,
  }
}

async function readFollowed(ctx: Context, day: string, entry_id: string): Promise<Followed> {
  const [row] = await sql<Followed>(ctx, CLOSED_ENTRY, [day, entry_id])
  return found(row, 'audit_log_entry_not_found', entry_id)
}

const AuditLogVerificationStatus = builder.enumType('AuditLogVerificationStatus', {
  description: 'The outcome of a verification.',
  values: described<Verification['status']>({
    VERIFIED: 'Every closed entry is as it was stored, in its place, and none is missing.',
    BROKEN: 'Something was changed, removed, moved or added after it was stored: `fault` says what.',
    INCOMPLETE: 'The entries so far fit. Go on with `last_entry_id` as `after_entry_id`.',
    EMPTY: 'The day has no closed entries.',
  }),
})

const AuditLogFault = builder.enumType('AuditLogFault', {
  description: 'The reason why the chain of a day is broken.',
  values: described<Fault>({
    ENTRY_CHANGED: 'The entry `broken_at_entry_id` was changed.',
    ENTRY_MISSING:
      'An entry is missing before `broken_at_entry_id`, or at the end of the day if that is null.',
    ENTRY_ADDED: 'The entry `broken_at_entry_id` was not closed by the service.',
    ORDER_CHANGED:
      'The entry `broken_at_entry_id` does not follow the one before it: one of them was exchanged.',
    DAY_BEFORE_CHANGED: 'The day does not begin where the day before ended.',
    DAY_CHANGED:
      'The day ends otherwise than it ended when the next one began, than the activity log says, or than the service ' +
      'remembers.',
  }),
})

const AuditLogVerification = builder.objectRef<Verification>('AuditLogVerification').implement({
  description: 'What a day of the audit log is found to be.',
  fields: (t) => ({
    day: t.expose('day', { type: 'LocalDate', description: 'The day in UTC.' }),
    status: t.expose('status', { type: AuditLogVerificationStatus, description: 'The outcome.' }),
    entries: t.exposeInt('entries', { description: 'The entries that the chain of the day is closed over.' }),
    verified_entries: t.exposeInt('verified_entries', {
      description: 'The entries, from the first of the day on, that are as they were stored.',
    }),
    unclosed_entries: t.expose('unclosed_entries', {
      type: 'NonNegativeInt',
      description:
        'The entries of the day that wait for the chain to be closed over them: five seconds at most.',
    }),
    last_entry_id: t.exposeID('last_entry_id', {
      nullable: true,
      description: 'The last of the verified entries. null: there is none.',
    }),
    last_hash: t.exposeString('last_hash', {
      nullable: true,
      description: 'Its `hash`. Kept elsewhere, it proves later that everything up to it is as it was.',
    }),
    fault: t.expose('fault', {
      type: AuditLogFault,
      nullable: true,
      description: 'What is wrong. null: nothing was found.',
    }),
    broken_at_entry_id: t.exposeID('broken_at_entry_id', {
      nullable: true,
      description:
        'The first entry that does not fit. null: there is none, or it is the end of the day that does not fit.',
    }),
  }),
})

area.query('verify_audit_log', (t) =>
  t.field({
    type: AuditLogVerification,
    description:
      'Verifies that no tool call of a day was changed, removed, moved or added since it was stored. Each entry has a ' +
      '`hash`: the SHA-256, in hexadecimal, of the canonical JSON (RFC 8785) of its other fields that are not null, of ' +
      '`tenant_id` and of `environment`. `previous_hash` is that of the entry before, in the order in which entries were ' +
      'stored. An entry that is stored when the next day has begun is in the chain of that day. Ten minutes after a day ' +
      'the activity log has its number of entries and its last hash, with the action `audit_log.anchored`.',
    rest: { method: 'GET', path: '/audit-log/verify' },
    access: admins('audit_log:read'),
    errors: ['audit_log_entry_not_found'],
    rate: VERIFY_AUDIT_LOG,
    args: {
      day: t.arg({
        type: 'LocalDate',
        description: 'The day in UTC, at most 30 days ago. Today if it is left out.',
      }),
      after_entry_id: t.arg({
        type: 'ID',
        description: 'The `last_entry_id` of an earlier answer for the same day, which is gone on from.',
      }),
    },
    resolve: (_root, { day, after_entry_id }, ctx) => {
      const today = dayOf(ctx.now)
      const first = dayOf(keptFrom('audit_log', ctx.now))
      const asked = day ?? today
      // Contract silent: a day cannot be moved as a window can, so that one outside is refused.
      if (asked < first || asked > today)
        throw invalid([
          {
            field: 'day',
            location: 'query',
            code: 'out_of_range',
            message: `must be from ${first} to ${today}`,
          },
        ])
      // It reads the day in pieces, of which it keeps none.
      return verify({ ...ctx, reads: null }, asked, after_entry_id ?? null)
    },
  }),
)
