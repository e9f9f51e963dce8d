/** The inboxes of the demo MSP: what its rows say has happened, in the words of the service. */
import { createHash } from 'node:crypto'
import { CAUSES } from '../areas/escalation/message.ts'
import { errorCodeOf } from '../areas/executions/error-code.ts'
import { LABELS } from '../areas/inbox/facts.ts'
import type { FeedEvent } from '../areas/inbox/rules/feed-event.ts'
import { type Facts, type Occurrence, occurrenceOf, stepOf } from '../areas/inbox/rules/items.ts'
import { joined } from '../areas/inbox/rules/joined.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { type Random, randomOf, type Seeding } from './seeding.ts'

const SHOWN_DAYS = 4

const ANNOUNCEMENT = {
  title: 'Maintenance on Sunday morning',
  body: 'From 02:00 to 02:20 UTC agents start nothing. What waits goes on afterwards.',
}

type Item = Prisma.InboxItemCreateManyInput
type User = Prisma.TenantUserGetPayload<object>

/** Something that happened, and whether it is settled. */
interface Happened {
  event: FeedEvent
  is_settled?: boolean
  /** The user who keeps it all the same. */
  kept_by?: string | null
}

const event = (
  type: string,
  entity_id: string,
  at: Date,
  data: Record<string, unknown>,
  agent_id: number | null = null,
): FeedEvent => ({ type, entity_id, at, data, agent_id })

async function happenedIn({ tx, tenancy: where, ago }: Seeding): Promise<Happened[]> {
  const since = ago(SHOWN_DAYS)
  const [requests, failed, escalations, connections, links, keys, endpoints] = await Promise.all([
    tx.tilRequest.findMany({
      where: {
        ...where,
        OR: [{ created_at: { gte: since } }, { status: 'PENDING' }],
        status: { not: 'SHADOWED' },
      },
      include: { technicians: true },
      orderBy: { created_at: 'asc' },
    }),
    tx.execution.findMany({
      where: { ...where, status: { in: ['FAILED', 'TIMED_OUT'] }, finished_at: { gte: ago(7) } },
      orderBy: { finished_at: 'asc' },
    }),
    tx.escalationEvent.findMany({ where, orderBy: { created_at: 'asc' } }),
    tx.integrationConnection.findMany({ where: { ...where, health: 'DOWN' } }),
    tx.companyLink.findMany({
      where: { ...where, needs_review: true, mapped: true },
      orderBy: { external_id: 'asc' },
    }),
    tx.apiKey.findMany({ where: { ...where, revoked_at: null, expires_at: { gt: ago(0), lt: ago(-14) } } }),
    tx.webhookEndpoint.findMany({ where: { ...where, status: 'AUTO_DISABLED' } }),
  ])
  return [
    ...requests.map((request) => ({
      event: event(
        'til_request.created',
        request.id,
        request.created_at,
        {
          risk: request.risk,
          entity_number: request.entity_number,
          technician_ids: request.technicians.map(({ technician_id }) => technician_id),
        },
        request.agent_id,
      ),
      is_settled: request.status !== 'PENDING',
    })),
    ...failed.map(({ execution_id, agent_id, error, entity_number, finished_at, updated_at }) => ({
      event: event(
        'execution.failed',
        execution_id,
        finished_at ?? updated_at,
        { error_code: errorCodeOf(error), entity_number },
        agent_id,
      ),
    })),
    ...escalations.map(
      ({ id, created_at, trigger, current_step, entity_number, agent_id, status, acknowledged_by_id }) => ({
        event: event(
          'escalation.notified',
          id,
          created_at,
          { trigger, current_step, entity_number },
          agent_id,
        ),
        is_settled: status !== 'OPEN',
        kept_by: status === 'ACKNOWLEDGED' ? acknowledged_by_id : null,
      }),
    ),
    ...connections.map(({ name, updated_at }) => ({
      event: event('integration.disconnected', name, updated_at, { name, reason: 'CREDENTIALS_REFUSED' }),
    })),
    ...links.map((link) => ({
      event: event('company_link.needs_review', `${link.system}/${link.external_id}`, link.updated_at, {
        ...link,
      }),
    })),
    ...keys.map(({ id, name, expires_at }) => ({
      event: event('api_key.expiring', id, new Date(expires_at.getTime() - 14 * 86_400_000), {
        name,
        expires_at: expires_at.toISOString(),
      }),
    })),
    ...endpoints.map(({ id, updated_at, disabled_reason }) => ({
      event: event('webhook_endpoint.disabled', id, updated_at, { disabled_reason }),
    })),
  ]
}

async function factsOf({ tx, tenancy: where }: Seeding): Promise<Facts> {
  const [agents, requests, told] = await Promise.all([
    tx.agent.findMany({ where, select: { id: true, name: true } }),
    tx.tilRequest.findMany({ where, select: { id: true, title: true } }),
    tx.escalationNotification.findMany({ where: { ...where, via: 'INBOX', technician_id: { not: null } } }),
  ])
  const of_step = Map.groupBy(told, ({ event_id, step }) => stepOf(event_id, step))
  return {
    agents: new Map(agents.map(({ id, name }) => [id, name])),
    requests: new Map(requests.map(({ id, title }) => [id, title])),
    failed_for: new Map(),
    labels: LABELS,
    told: new Map(
      [...of_step].map(([step, rows]) => [step, rows.flatMap(({ technician_id }) => technician_id ?? [])]),
    ),
    headlines: CAUSES,
  }
}

/** The editors of each agent, by the ids of users. */
async function editorsOf({ tx, tenancy: where }: Seeding): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const agents = await tx.agent.findMany({ where, include: { shares: { where: { can_edit: true } } } })
  return new Map(
    agents.map(({ id, created_by_user_id, shares }) => [
      id,
      new Set([created_by_user_id ?? '', ...shares.map(({ user_id }) => user_id)]),
    ]),
  )
}

type Editors = Awaited<ReturnType<typeof editorsOf>>

function isFor(
  { audience }: Occurrence,
  { id, role, technician_profile_id }: User,
  editors: Editors,
): boolean {
  if (audience.to === 'EVERYBODY') return true
  if (audience.to === 'TECHNICIANS')
    return technician_profile_id !== null && audience.technician_ids.includes(technician_profile_id)
  const is_admin = role === 'OWNER' || role === 'ADMIN'
  return is_admin || (audience.to === 'EDITORS' && (editors.get(audience.agent_id)?.has(id) ?? false))
}

/** Settled items were read; of the rest the user has read most of those older than a day. */
function stateOf(at: Date, is_settled: boolean, now: Date, random: Random): 'UNREAD' | 'READ' | 'ARCHIVED' {
  if (is_settled) return random.fraction() < 0.4 ? 'ARCHIVED' : 'READ'
  const is_old = now.getTime() - at.getTime() > 86_400_000
  return is_old && random.fraction() < 0.7 ? 'READ' : 'UNREAD'
}

function itemOf(occurrence: Occurrence, is_settled: boolean, user: User, { tenancy, now }: Seeding): Item {
  const { audience: _, count, agent_ids, entity_numbers, ...columns } = occurrence
  const { kind, cause, last_at } = occurrence
  const hash = createHash('md5').update([tenancy.environment, user.id, kind, cause].join('\0')).digest('hex')
  const state = stateOf(last_at, is_settled, now, randomOf(hash))
  const read_at = state === 'UNREAD' ? null : new Date(Math.min(last_at.getTime() + 1_260_000, now.getTime()))
  return {
    ...tenancy,
    ...columns,
    id: `inb_${hash}`,
    user_id: user.id,
    state,
    resolved: is_settled,
    occurrence_count: count,
    affected_agent_ids: [...agent_ids],
    affected_entity_numbers: [...entity_numbers],
    unread_at: last_at,
    read_at,
    revision: state === 'UNREAD' ? 1 : 2,
    updated_at: read_at ?? last_at,
  }
}

export async function seedInbox(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const [facts, editors, users, happened] = [
    await factsOf(seeding),
    await editorsOf(seeding),
    await tx.tenantUser.findMany({ where: tenancy, orderBy: { id: 'asc' } }),
    await happenedIn(seeding),
  ]
  const occurred = happened.flatMap(({ event, is_settled = false, kept_by = null }) => {
    const occurrence = occurrenceOf(event, facts)
    return occurrence ? [{ occurrence, is_settled, kept_by }] : []
  })
  /** The user who keeps the item of each cause that is settled. */
  const settled = new Map(
    occurred.flatMap(({ occurrence: { cause }, is_settled, kept_by }) =>
      is_settled ? [[cause, kept_by] as const] : [],
    ),
  )
  const isSettled = ({ cause }: Occurrence, { id }: User) => settled.has(cause) && settled.get(cause) !== id
  const announced: Occurrence = {
    ...ANNOUNCEMENT,
    kind: 'ANNOUNCEMENT',
    cause: 'announcement',
    severity: 'INFO',
    subject_type: 'NONE',
    subject_id: null,
    action_required: false,
    audience: { to: 'EVERYBODY' },
    count: 1,
    first_at: ago(2, 90),
    last_at: ago(2, 90),
    agent_ids: [],
    entity_numbers: [],
    waits_on: null,
    over_at: null,
  }
  const items = [...joined(occurred.map(({ occurrence }) => occurrence)), announced].flatMap((occurrence) =>
    users
      .filter((user) => isFor(occurrence, user, editors))
      .map((user) => itemOf(occurrence, isSettled(occurrence, user), user, seeding)),
  )
  await tx.inboxItem.createMany({ data: items })
  await tx.inboxPreferences.create({
    data: {
      ...tenancy,
      user_id: 'usr_admin',
      mail_kinds: ['TIL_REQUEST', 'ESCALATION', 'INTEGRATION_HEALTH'],
      quiet_kinds: ['CREDIT_THRESHOLD'],
      updated_at: ago(40),
    },
  })
  // No subscriber is told of these, and the feed of the demo is in the inboxes.
  await tx.liveEvent.deleteMany({ where: { ...tenancy, kind: 'INBOX_ITEM' } })
  const feed = await tx.eventFeed.findFirst({ where: tenancy })
  await tx.inboxCursor.updateMany({ where: tenancy, data: { sequence: feed?.last_sequence ?? 0 } })
}
