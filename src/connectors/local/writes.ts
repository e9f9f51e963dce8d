/** Writes to the local PSA: each is one statement, which stores its idempotency key with its effect. */
import { scoped, sql } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import {
  type Psa,
  type PsaContext,
  type PsaNote,
  PsaRefusal,
  type PsaTicket,
  type PsaTimeEntry,
} from '../psa.ts'
import { NOTE, STATUSES, TICKET, TIME_ENTRY, ticketOf } from './tickets.ts'

/** `$3` is the key, `$4` the ticket, `$5` the instant. A call with the same key waits until the first has ended. */
const written = (made_id: string): string => `
  written as (
    insert into psa_write (tenant_id, environment, idempotency_key, ticket_id, made_id, written_at)
    select t.tenant_id, t.environment, $3::text, t.ticket_id, ${made_id}, $5::timestamptz from psa_ticket t
    where t.tenant_id = $1 and t.environment = $2 and t.ticket_id = $4::text
    on conflict do nothing
    returning ticket_id
  )`

const TOUCHED = `touched as (
    update psa_ticket t set updated_at = greatest(t.updated_at, $5::timestamptz)
    where t.tenant_id = $1 and t.environment = $2 and t.ticket_id = (select ticket_id from written)
  )`

const ADD_NOTE = scoped(
  'psa.add_note',
  `with ${written('$6::text')}, ${TOUCHED}, n as (
     insert into psa_note (tenant_id, environment, note_id, ticket_id, author_name, is_internal, text, created_at)
     select $1, $2, $6::text, ticket_id, $7::text, $8::boolean, $9::text, $5::timestamptz from written
     returning *
   )
   select ${NOTE} from n`,
)

const ADD_TIME_ENTRY = scoped(
  'psa.add_time_entry',
  `with ${written('$6::text')}, ${TOUCHED}, e as (
     insert into psa_time_entry (tenant_id, environment, time_entry_id, ticket_id, technician_psa_id, minutes, note,
       started_at, created_at)
     select $1, $2, $6::text, ticket_id, $7::int, $8::int, $9::text, $10::timestamptz, $5::timestamptz from written
     returning *
   )
   select ${TIME_ENTRY} from e`,
)

const CHANGEABLE = {
  title: 'text',
  status: 'text',
  priority: 'text',
  board: 'text',
  category: 'text',
  assignee_psa_id: 'int',
} as const

const ASSIGNMENTS = Object.entries(CHANGEABLE).map(
  ([column, type]) =>
    `${column} = case when $6::jsonb ? '${column}' then ($6::jsonb ->> '${column}')::${type} else t.${column} end`,
)

/** `$6` has the changes, `$7` is true for a status that closes the ticket, false for another one, else null. */
const UPDATE_TICKET = scoped(
  'psa.update_ticket',
  `with ${written('null')}, t as (
     update psa_ticket t set ${ASSIGNMENTS.join(', ')}, updated_at = greatest(t.updated_at, $5::timestamptz),
       closed_at = case
         when $7::boolean then coalesce(t.closed_at, $5::timestamptz)
         when not $7::boolean then null
         else t.closed_at end
     where t.tenant_id = $1 and t.environment = $2 and t.ticket_id = (select ticket_id from written)
     returning *
   )
   select ${TICKET} from t`,
)

const NOTE_MADE = scoped(
  'psa.note_made',
  `select ${NOTE} from psa_write w
     join psa_note n on n.tenant_id = w.tenant_id and n.environment = w.environment and n.note_id = w.made_id
   where w.tenant_id = $1 and w.environment = $2 and w.idempotency_key = $3::text`,
)

const TIME_ENTRY_MADE = scoped(
  'psa.time_entry_made',
  `select ${TIME_ENTRY} from psa_write w
     join psa_time_entry e on e.tenant_id = w.tenant_id and e.environment = w.environment
       and e.time_entry_id = w.made_id
   where w.tenant_id = $1 and w.environment = $2 and w.idempotency_key = $3::text`,
)

const HAS_TECHNICIAN = scoped(
  'psa.has_technician',
  `select t.psa_id from psa_technician t
   where t.tenant_id = $1 and t.environment = $2 and t.psa_id = $3::int`,
)

async function checkTechnician(ctx: PsaContext, psa_id: number | null | undefined): Promise<void> {
  if (psa_id == null) return
  const [technician] = await sql(ctx, HAS_TECHNICIAN, [psa_id])
  if (!technician) throw new PsaRefusal('TECHNICIAN_UNKNOWN')
}

/** The row that was written; or the one that an earlier call with the key made. */
async function first<Row>(
  row: Row | undefined,
  earlier: () => Promise<Row | undefined | null>,
): Promise<Row> {
  const known = row ?? (await earlier())
  if (!known) throw new PsaRefusal('TICKET_NOT_FOUND')
  return known
}

const OUTCOME = scoped(
  'psa.outcome',
  `select 1 from psa_write w where w.tenant_id = $1 and w.environment = $2 and w.idempotency_key = $3::text`,
)

type Writes = Pick<Psa, 'addNote' | 'addTimeEntry' | 'updateTicket' | 'outcomeOf'>

export const writesOf = (ctx: PsaContext): Writes => ({
  async addNote(ticket_id, { author_name, is_internal, text }, key) {
    const values = [key, ticket_id, ctx.now, newId('psn'), author_name, is_internal, text]
    const [note] = await sql<PsaNote>(ctx, ADD_NOTE, values)
    return await first(note, async () => (await sql<PsaNote>(ctx, NOTE_MADE, [key]))[0])
  },
  async addTimeEntry(ticket_id, { technician_psa_id, minutes, note, started_at }, key) {
    await checkTechnician(ctx, technician_psa_id)
    const values = [key, ticket_id, ctx.now, newId('pst'), technician_psa_id, minutes, note, started_at]
    const [entry] = await sql<PsaTimeEntry>(ctx, ADD_TIME_ENTRY, values)
    return await first(entry, async () => (await sql<PsaTimeEntry>(ctx, TIME_ENTRY_MADE, [key]))[0])
  },
  async updateTicket(ticket_id, changes, key) {
    const status = STATUSES.find(({ name }) => name === changes.status)
    if (changes.status !== undefined && !status) throw new PsaRefusal('STATUS_UNKNOWN')
    await checkTechnician(ctx, changes.assignee_psa_id)
    const values = [key, ticket_id, ctx.now, JSON.stringify(changes), status?.is_closed ?? null]
    const [ticket] = await sql<PsaTicket>(ctx, UPDATE_TICKET, values)
    return await first(ticket, () => ticketOf(ctx, ticket_id))
  },
  outcomeOf: async (key) => ((await sql(ctx, OUTCOME, [key])).length > 0 ? 'MADE' : 'NOT_MADE'),
})
