/** Reads the entity of a callback from the PSA, and tells what has changed since the last version that is known. */
import type { Psa, PsaTicket, PsaTicketWithNotes, PsaTimeEntry } from '../../../connectors/psa.ts'
import { type DatabaseContext, db, scoped, sql, tenancyOf } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import type { Services } from '../../../gateway/context.ts'
import { extensionPoint } from '../../../lib/extension-point.ts'
import { TOOLS } from '../../../tools/registry.ts'
import { writesOnEntity } from '../../executions/index.ts'
import { OWN_PSA, PRESENT_PSA } from '../../integrations/index.ts'
import { psaIdsAmong } from '../../technicians/index.ts'
import {
  type Change,
  changesOfTicket,
  changesOfTimeEntry,
  type Known,
  needsContact,
} from '../rules/changes.ts'
import {
  type OwnWrite,
  ownChangesOfTicket,
  ownChangesOfTimeEntry,
  techniciansOf,
} from '../rules/own-changes.ts'
import {
  type ReadTicket,
  type TicketVersion,
  type TimeEntryVersion,
  versionOfTicket,
  versionOfTimeEntry,
} from '../rules/version.ts'
import type { ClaimedCallback } from './slots.ts'

type ReadingContext = DatabaseContext & { services: Services }

/** The writes of the service itself on a ticket since then, if they were made or may have been, as those of tools. */
export const WRITES_ON_TICKETS = extensionPoint<
  (ctx: ReadingContext, ticket_id: string, since: Date) => Promise<OwnWrite[]>
>('the writes of the service on tickets')

/** The last version of an entity that is known. */
interface KnownEntity extends Known<unknown> {
  revision: number
  callback_id: string
  source: ClaimedCallback['source']
  seen_at: Date
}

type EntityId = Pick<ClaimedCallback, 'entity_type' | 'entity_id' | 'psa_key'>

/** The key of the stored version among those of its PSA. */
export const entityKey = ({ entity_type, entity_id }: Pick<EntityId, 'entity_type' | 'entity_id'>): string =>
  `${entity_type}/${entity_id}`

/** Waits for the end of the processing of another event of the entity. */
export const lockEntity = (ctx: DatabaseContext, entity: EntityId): Promise<void> =>
  lockTenant(ctx, `callbacks.entity ${tenancyOf(ctx).environment} ${entity.psa_key} ${entityKey(entity)}`)

const PRESENT = scoped('callbacks.present_psa', `select ${PRESENT_PSA} as psa_key`)

/** The technician of the ticket, by the id in the PSA, as the last processed event told; null: nobody. No other ends meanwhile. */
export async function lockAssignee(ctx: DatabaseContext, ticket_id: string): Promise<number | null> {
  const [present] = await sql<{ psa_key: string }>(ctx, PRESENT, [])
  const psa_key = present?.psa_key ?? OWN_PSA
  const ticket = { entity_type: 'TICKET', entity_id: ticket_id, psa_key } as const
  await lockEntity(ctx, ticket)
  const where = { psa_key, entity: entityKey(ticket) }
  const known = await db(ctx).callbackEntity.findFirst({ where, select: { version: true } })
  return (known?.version as unknown as TicketVersion | undefined)?.assignee ?? null
}

const KNOWN = scoped(
  'callbacks.known_entities',
  `select one.entity, v.revision, v.version, v.is_announced, v.callback_id, v.source, v.seen_at, exists (
     select from agent a
     where a.tenant_id = $1 and a.environment = $2 and a.state = 'ACTIVE' and a.trigger_type = 'TRIGGERED'
       and a.entity_type = 'TICKET' and a.callback_settings -> 'change_types' ? 'TICKET_ATTACHMENT_ADDED'
   ) as asks_for_files
   from unnest($3::text[]) as one (entity) left join callback_entity v
     on v.tenant_id = $1 and v.environment = $2 and v.psa_key = $4::text and v.entity = one.entity`,
)

type KnownRow = { [Field in keyof KnownEntity]: KnownEntity[Field] | null } & {
  entity: string
  asks_for_files: boolean
}

/** The known versions of entities of one PSA, by their keys. */
async function knownOf(
  ctx: DatabaseContext,
  entities: readonly EntityId[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const keys = [...new Set(entities.map(entityKey))]
  const rows = await sql<KnownRow>(ctx, KNOWN, [keys, entities[0]?.psa_key ?? OWN_PSA])
  return new Map(rows.map((row) => [row.entity, row]))
}

/** The known versions of the entities of several callbacks, and then the tickets among them as the PSA has them. */
export interface Preread {
  /** When the read of the PSA began. */
  began_at: Date
  known: ReadonlyMap<string, KnownRow>
  tickets: ReadonlyMap<string, PsaTicketWithNotes>
}

/** Reads the tickets of the callbacks of the present PSA together. No transaction is open. */
export async function prereadOf(
  ctx: ReadingContext,
  psa: Psa,
  callbacks: readonly ClaimedCallback[],
): Promise<Preread> {
  const known = await knownOf(ctx, callbacks)
  const began_at = ctx.services.now()
  const of_tickets = callbacks.filter(({ entity_type }) => entity_type === 'TICKET')
  const ids = [...new Set(of_tickets.map(({ entity_id }) => entity_id))]
  const read = ids.length > 0 ? await psa.ticketsWithNotes(ids) : []
  return { began_at, known, tickets: new Map(read.map((one) => [one.ticket.ticket_id, one])) }
}

/** The entity as the PSA has it now. */
export interface ReadEntity {
  /** null: nothing was known of it. */
  known: KnownEntity | null
  ticket: ReadTicket<PsaTicket> | null
  time_entry: PsaTimeEntry | null
  entity_number: string | null
  psa_company_id: string | null
  /** The version to keep. null: the entity is gone. */
  version: TicketVersion | TimeEntryVersion | null
  changes: Change[]
  /** The codes of those that agents made. */
  own_changes: string[]
}

// The note of a feedback link is told by its message, and a mail with one changes no ticket. Dispatch tells its own writes.
const TOLD_APART: readonly string[] = ['dispatch.assign', 'feedback.send_link']
const WRITING_TOOLS = TOOLS.filter(
  ({ name, access, works_in }) => access === 'WRITE' && works_in === 'PSA' && !TOLD_APART.includes(name),
).map(({ name }) => name)

/** A write is made some time before the entity is read, by the clock of another process. */
const SLACK_MS = 60_000

/** The writes of agents on the entity, and of the service itself, since the version that is known. */
async function writesSince(
  ctx: ReadingContext,
  { entity_type, entity_id, received_at }: ClaimedCallback,
  known: KnownEntity | null,
): Promise<OwnWrite[]> {
  const since = new Date((known?.seen_at ?? received_at).getTime() - SLACK_MS)
  const of_agents = await writesOnEntity(ctx, entity_id, since, WRITING_TOOLS)
  if (entity_type !== 'TICKET') return of_agents
  return [...of_agents, ...(await WRITES_ON_TICKETS.get()(ctx, entity_id, since))]
}

/** The ticket with its notes, and with its files if an agent asks for them. */
async function readTicket(
  psa: Psa,
  ticket_id: string,
  files: boolean,
  preread: Preread | null,
): Promise<ReadTicket<PsaTicket> | null> {
  const [[read], attachments] = await Promise.all([
    preread ? [preread.tickets.get(ticket_id)] : psa.ticketsWithNotes([ticket_id]),
    files ? psa.attachmentsOf(ticket_id) : null,
  ])
  return read ? { ...read, attachments } : null
}

async function contactName(psa: Psa, { ticket }: ReadTicket<PsaTicket>): Promise<string | null> {
  if (ticket.contact_id === null) return null
  return ticket.names?.contact ?? (await psa.contact(ticket.contact_id))?.name ?? null
}

/** The ticket with the notes of people: the authors of notes of the service are known. */
const byPeople = (read: ReadTicket<PsaTicket>): ReadTicket<PsaTicket> => ({
  ...read,
  notes: read.notes.filter(({ made_by_key }) => made_by_key == null),
})

async function ofTicket(
  ctx: ReadingContext,
  psa: Psa,
  callback: ClaimedCallback,
  known: KnownEntity | null,
  files: boolean,
  preread: Preread | null,
): Promise<Omit<ReadEntity, 'known'>> {
  const read = await readTicket(psa, callback.entity_id, files, preread)
  const of_entity = { ticket: read, time_entry: null }
  if (!read)
    return {
      ...of_entity,
      entity_number: null,
      psa_company_id: null,
      version: null,
      changes: [],
      own_changes: [],
    }
  const before = known as Known<TicketVersion> | null
  const contact = needsContact(before, byPeople(read)) ? await contactName(psa, read) : null
  const changes = changesOfTicket(before, read, callback, contact)
  const writes = changes.length > 0 ? await writesSince(ctx, callback, known) : []
  const assigned = techniciansOf(writes)
  const psa_ids = assigned.length > 0 ? await psaIdsAmong(ctx, assigned) : new Map()
  const { number: entity_number, psa_company_id } = read.ticket
  const version = versionOfTicket(read)
  // Files that are not read this time are known from the last time.
  const kept = version.attachments ?? before?.version.attachments ?? null
  return {
    ...of_entity,
    entity_number,
    psa_company_id,
    version: { ...version, attachments: kept },
    changes,
    own_changes: ownChangesOfTicket(changes, read, writes, psa_ids),
  }
}

async function ofTimeEntry(
  ctx: ReadingContext,
  psa: Psa,
  callback: ClaimedCallback,
  known: KnownEntity | null,
): Promise<Omit<ReadEntity, 'known'>> {
  const time_entry = await psa.timeEntry(callback.entity_id)
  const changes = changesOfTimeEntry(known as Known<TimeEntryVersion> | null, time_entry, callback)
  const writes = changes.length > 0 ? await writesSince(ctx, callback, known) : []
  return {
    ticket: null,
    time_entry,
    entity_number: null,
    psa_company_id: time_entry?.psa_company_id ?? null,
    version: time_entry && versionOfTimeEntry(time_entry),
    changes,
    own_changes: ownChangesOfTimeEntry(changes, time_entry, writes),
  }
}

/** The version that is known is read first, so that one that is stored meanwhile is noticed. No transaction is open. */
export async function readEntity(
  ctx: ReadingContext,
  psa: Psa,
  callback: ClaimedCallback,
  preread: Preread | null,
): Promise<ReadEntity> {
  const row = (preread?.known ?? (await knownOf(ctx, [callback]))).get(entityKey(callback))
  const known = row?.revision ? (row as KnownEntity) : null
  const read =
    callback.entity_type === 'TICKET'
      ? await ofTicket(ctx, psa, callback, known, row?.asks_for_files ?? false, preread)
      : await ofTimeEntry(ctx, psa, callback, known)
  return { known, ...read }
}
