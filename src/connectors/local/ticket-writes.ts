/** Writes to the local PSA that make tickets and messages, and those to time entries. */
import { randomInt } from 'node:crypto'
import { scoped, sql } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type PortContext, PortRefusal } from '../port.ts'
import type { Psa, PsaContact, PsaTicket, PsaTimeEntry } from '../psa.ts'
import { companiesOf } from './companies.ts'
import { peopleOf } from './people.ts'
import { STATUSES, TICKET, TIME_ENTRY, ticketOf, ticketsOf } from './tickets.ts'
import { first, TOUCHED, written } from './writes.ts'

const CREATE_TICKET = scoped(
  'psa.create_ticket',
  `with written as (
     insert into psa_write (tenant_id, environment, idempotency_key, ticket_id, made_id, written_at)
     select c.tenant_id, c.environment, $3::text, $4::text, $4::text, $5::timestamptz from end_company c
     where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $6::text
     on conflict do nothing
     returning ticket_id
   ), t as (
     insert into psa_ticket (tenant_id, environment, ticket_id, number, title, description, status, board,
       psa_company_id, contact_id, created_at, updated_at)
     select $1, $2, ticket_id, $7::text, $8::text, $9::text, $10::text, $11::text, $6::text, $12::text,
       $5::timestamptz, $5::timestamptz
     from written
     returning *
   )
   select ${TICKET} from t`,
)

const MADE_TICKET = scoped(
  'psa.ticket_made',
  `select ${TICKET} from psa_write w
     join psa_ticket t on t.tenant_id = w.tenant_id and t.environment = w.environment and t.ticket_id = w.made_id
   where w.tenant_id = $1 and w.environment = $2 and w.idempotency_key = $3::text`,
)

/** The ticket `$6` stays. */
const MERGE_TICKET = scoped(
  'psa.merge_ticket',
  `with ${written('null')}, stays as (
     update psa_ticket s set updated_at = greatest(s.updated_at, $5::timestamptz)
     where s.tenant_id = $1 and s.environment = $2 and s.ticket_id = $6::text and exists (select from written)
   ), t as (
     update psa_ticket t set merged_into_ticket_id = $6::text, status = $7::text,
       closed_at = coalesce(t.closed_at, $5::timestamptz), updated_at = greatest(t.updated_at, $5::timestamptz)
     where t.tenant_id = $1 and t.environment = $2 and t.ticket_id = (select ticket_id from written)
     returning *
   )
   select ${TICKET} from t`,
)

const changeTimeEntry = (name: string, column: 'agreement' | 'returned_reason') =>
  scoped(
    name,
    `with ${written('null')}, ${TOUCHED}, e as (
       update psa_time_entry e set ${column} = $7::text
       where e.tenant_id = $1 and e.environment = $2 and e.time_entry_id = $6::text and exists (select from written)
       returning *
     )
     select ${TIME_ENTRY} from e`,
  )

const SET_AGREEMENT = changeTimeEntry('psa.set_agreement', 'agreement')
const RETURN_TIME_ENTRY = changeTimeEntry('psa.return_time_entry', 'returned_reason')

/** The note on the ticket has the id of the message. */
const SEND_MESSAGE = scoped(
  'psa.send_message',
  `with written as (
     insert into psa_write (tenant_id, environment, idempotency_key, ticket_id, made_id, written_at)
     select c.tenant_id, c.environment, $3::text, $4::text, $6::text, $5::timestamptz from psa_contact c
     where c.tenant_id = $1 and c.environment = $2 and c.contact_id = $7::text
     on conflict do nothing
     returning ticket_id, made_id
   ), ${TOUCHED}, noted as (
     insert into psa_note (tenant_id, environment, note_id, ticket_id, author_name, is_internal, text, created_at)
     select $1, $2, made_id, ticket_id, $8::text, false, $9::text || e'\\n\\n' || $10::text, $5::timestamptz
     from written where ticket_id is not null
   )
   insert into psa_message (tenant_id, environment, message_id, contact_id, ticket_id, author_name, subject, body,
     sent_at)
   select $1, $2, made_id, $7::text, ticket_id, $8::text, $9::text, $10::text, $5::timestamptz from written
   returning message_id`,
)

const MESSAGE_MADE = scoped(
  'psa.message_made',
  `select w.made_id as message_id from psa_write w
   where w.tenant_id = $1 and w.environment = $2 and w.idempotency_key = $3::text`,
)

const CLOSED = STATUSES.findLast(({ is_closed }) => is_closed)?.name
const NEW = STATUSES[0]?.name

async function contactOf(ctx: PortContext, contact_id: string): Promise<PsaContact> {
  const contact = await peopleOf(ctx).contact(contact_id)
  if (!contact) throw new PortRefusal('CONTACT_NOT_FOUND')
  return contact
}

async function entryOf(ctx: PortContext, time_entry_id: string): Promise<PsaTimeEntry> {
  const entry = await ticketsOf(ctx).timeEntry(time_entry_id)
  if (!entry) throw new PortRefusal('TIME_ENTRY_NOT_FOUND')
  return entry
}

async function checkAgreement(ctx: PortContext, ticket_id: string, agreement: string): Promise<void> {
  const ticket = await ticketOf(ctx, ticket_id)
  const company = ticket?.psa_company_id ?? null
  const details = company === null ? null : await companiesOf(ctx).companyDetails(company)
  if (!details?.agreements.includes(agreement)) throw new PortRefusal('AGREEMENT_NOT_FOUND')
}

type Writes = Pick<Psa, 'createTicket' | 'mergeTicket' | 'setAgreement' | 'returnTimeEntry' | 'sendMessage'>

export const ticketWritesOf = (ctx: PortContext): Writes => ({
  async createTicket({ psa_company_id, contact_id, title, description, board }, key) {
    if (contact_id !== null && (await contactOf(ctx, contact_id)).psa_company_id !== psa_company_id)
      throw new PortRefusal('CONTACT_NOT_FOUND')
    // People know a ticket of the local PSA by eight digits, which are as good as unique.
    const number = String(randomInt(10_000_000, 100_000_000))
    const values = [
      key,
      newId('tkt'),
      ctx.now,
      psa_company_id,
      number,
      title,
      description,
      NEW,
      board,
      contact_id,
    ]
    const [ticket] = await sql<PsaTicket>(ctx, CREATE_TICKET, values)
    return await first(
      ticket,
      async () => (await sql<PsaTicket>(ctx, MADE_TICKET, [key]))[0],
      'COMPANY_NOT_FOUND',
    )
  },
  async mergeTicket(ticket_id, into_ticket_id, key) {
    if (ticket_id === into_ticket_id) throw new PortRefusal('TICKET_MERGED_INTO_ITSELF')
    if (!(await ticketOf(ctx, into_ticket_id))) throw new PortRefusal('TICKET_NOT_FOUND')
    const values = [key, ticket_id, ctx.now, into_ticket_id, CLOSED]
    const [ticket] = await sql<PsaTicket>(ctx, MERGE_TICKET, values)
    return await first(ticket, () => ticketOf(ctx, ticket_id))
  },
  async setAgreement(time_entry_id, agreement, key) {
    const { ticket_id } = await entryOf(ctx, time_entry_id)
    await checkAgreement(ctx, ticket_id, agreement)
    const values = [key, ticket_id, ctx.now, time_entry_id, agreement]
    const [entry] = await sql<PsaTimeEntry>(ctx, SET_AGREEMENT, values)
    return entry ?? (await entryOf(ctx, time_entry_id))
  },
  async returnTimeEntry(time_entry_id, reason, key) {
    const { ticket_id } = await entryOf(ctx, time_entry_id)
    const values = [key, ticket_id, ctx.now, time_entry_id, reason]
    const [entry] = await sql<PsaTimeEntry>(ctx, RETURN_TIME_ENTRY, values)
    return entry ?? (await entryOf(ctx, time_entry_id))
  },
  async sendMessage({ contact_id, ticket_id, author_name, subject, body }, key) {
    if (ticket_id !== null && !(await ticketOf(ctx, ticket_id))) throw new PortRefusal('TICKET_NOT_FOUND')
    const values = [key, ticket_id, ctx.now, newId('psm'), contact_id, author_name, subject, body]
    const [message] = await sql<{ message_id: string }>(ctx, SEND_MESSAGE, values)
    return await first(
      message,
      async () => (await sql<{ message_id: string }>(ctx, MESSAGE_MADE, [key]))[0],
      'CONTACT_NOT_FOUND',
    )
  },
})
