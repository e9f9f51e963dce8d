/** The audit log of the demo MSP: one row for each change that the other demo data shows. */
import { ANCHORED, ANCHORED_TARGET } from '../areas/audit-log/chain/anchor.ts'
import { GROUP_TITLES, type GroupName } from '../areas/tenant/permission-group-catalogue.ts'
import { randomBase62 } from '../lib/base62.ts'
import { FILTERS } from './company-filters.ts'
import { randomOf, type Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'

interface Change {
  at: Date
  action: string
  /** null: the service itself. */
  by: string | null
  target: { type: string; id: string; name: string }
  before?: object
  after?: object
}

export async function seedActivity(seeding: Seeding): Promise<void> {
  const changes = [
    ...settingsChanges(seeding),
    ...alertChanges(seeding),
    ...filterChanges(seeding),
    ...(await keyChanges(seeding)),
    ...(await linkChanges(seeding)),
    ...(await requestChanges(seeding)),
    ...(await agentChanges(seeding)),
    ...(await technicianChanges(seeding)),
    ...(await groupChanges(seeding)),
    ...(await channelChanges(seeding)),
    ...(await scheduledWorkChanges(seeding)),
    ...(await anchorChanges(seeding)),
  ]
  const random = randomOf('activity')
  const data = changes.map(({ at, action, by, target, before, after }) => ({
    ...seeding.tenancy,
    id: `act_${randomBase62(22, (size) => random.bytes(size))}`,
    occurred_at: at,
    action,
    ...actorOf(by),
    targets: [target],
    context: {
      ip: by === null ? null : `198.51.100.${random.int(2, 250)}`,
      user_agent: by === null ? null : 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
      request_id: random.uuid(),
      channel: null,
      acting_user_id: null,
    },
    ...(before && { before }),
    ...(after && { after }),
  }))
  await seeding.tx.activityEntry.createMany({ data })
}

function actorOf(name: string | null) {
  if (name === null)
    return { actor_type: 'SYSTEM', actor_id: 'audit-log.anchor', actor_name: 'Automation Service' }
  const person = PEOPLE.find((someone) => someone.name === name)
  return { actor_type: 'USER', actor_id: person?.id ?? 'usr_owner', actor_name: name }
}

function settingsChanges({ ago }: Seeding): Change[] {
  const target = { type: 'settings', id: 'settings', name: 'Settings' }
  const change = (days: number, by: string, before: object, after: object): Change => ({
    at: ago(days),
    action: 'settings.updated',
    by,
    target,
    before,
    after,
  })
  return [
    change(371, 'Maeve Donnelly', { timezone: null }, { timezone: 'Europe/London' }),
    change(140, 'Gareth Hughes', { end_business_hours: 17 }, { end_business_hours: 18 }),
    change(
      26,
      'Tomasz Zieliński',
      { sleep_before_callback_processing_seconds: 30 },
      { sleep_before_callback_processing_seconds: 45 },
    ),
  ]
}

function filterChanges({ ago }: Seeding): Change[] {
  const target = { type: 'company_filters', id: 'company_filters', name: 'Company filters' }
  const first = FILTERS.slice(0, 2)
  const change = (days: number, by: string, before: object[], after: object[]): Change => ({
    at: ago(days),
    action: 'company_filters.replaced',
    by,
    target,
    before: { filters: before },
    after: { filters: after },
  })
  return [change(340, 'Maeve Donnelly', [], first), change(17, 'Gareth Hughes', first, FILTERS)]
}

function alertChanges({ ago }: Seeding): Change[] {
  const target = { type: 'billing_alerts', id: 'billing_alerts', name: 'Billing alerts' }
  const change = (days: number, by: string, before: number[], after: number[]): Change => ({
    at: ago(days),
    action: 'billing_alerts.updated',
    by,
    target,
    before: { thresholds_pct: before },
    after: { thresholds_pct: after },
  })
  return [
    change(210, 'Maeve Donnelly', [80, 100], [100]),
    change(61, 'Tomasz Zieliński', [100], [50, 80, 100]),
  ]
}

async function keyChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const keys = await tx.apiKey.findMany({ where: tenancy, orderBy: { id: 'asc' } })
  return keys.flatMap((key) => {
    const target = { type: 'api_key', id: key.id, name: key.name }
    const made = { at: key.created_at, by: key.created_by_name, target }
    const changes: Change[] = key.rotated_from_key_id
      ? [{ ...made, action: 'api_key.rotated', after: { rotated_from_key_id: key.rotated_from_key_id } }]
      : [{ ...made, action: 'api_key.created', after: { name: key.name, scopes: key.scopes } }]
    if (key.revoked_at && key.revoked_by_name) {
      const after = { revoke_reason: key.revoke_reason }
      changes.push({ at: key.revoked_at, action: 'api_key.revoked', by: key.revoked_by_name, target, after })
    }
    return changes
  })
}

async function linkChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const links = await tx.companyLink.findMany({
    where: { ...tenancy, link_state: 'MANUAL' },
    orderBy: [{ system: 'asc' }, { external_id: 'asc' }],
  })
  return links.map((link) => ({
    at: link.mapped_at ?? link.updated_at,
    action: 'company_link.mapped',
    by: link.mapped_by ?? '',
    target: {
      type: 'company_link',
      id: `${link.system}/${link.external_id}`,
      name: link.external_name ?? link.external_id,
    },
    before: { link_state: 'UNMAPPED', psa_company_id: null },
    after: { link_state: 'MANUAL', psa_company_id: link.psa_company_id },
  }))
}

async function requestChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const requests = await tx.integrationRequest.findMany({ where: tenancy, orderBy: { id: 'asc' } })
  return requests.map(({ id, vendor_name, access, requested_by_name, created_at }) => ({
    at: created_at,
    action: 'integration.requested',
    by: requested_by_name,
    target: { type: 'integration_request', id, name: vendor_name },
    after: { vendor_name, access },
  }))
}

async function agentChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const agents = await tx.agent.findMany({
    where: { ...tenancy, created_by_user_id: { not: null } },
    orderBy: { id: 'asc' },
  })
  const created = agents.map(({ id, name, autonomy_type, created_by_name, created_at }) => ({
    at: created_at,
    action: 'agent.created',
    by: created_by_name,
    target: { type: 'agent', id: String(id), name },
    after: { name, autonomy_type },
  }))
  const revisions = await tx.agentRevision.findMany({
    where: { ...tenancy, agent_id: { in: agents.map(({ id }) => id) }, revision: { gt: 1 } },
    include: { agent: { select: { name: true } } },
    orderBy: [{ agent_id: 'asc' }, { revision: 'asc' }],
  })
  const updated = revisions.map(({ agent, agent_id, revision, changed_at, changed_by_name }) => ({
    at: changed_at,
    action: 'agent.updated',
    by: changed_by_name,
    target: { type: 'agent', id: String(agent_id), name: agent.name },
    before: { revision: revision - 1 },
    after: { revision },
  }))
  return [...created, ...updated]
}

/** Each schedule was made and got its technicians; those of revision 3 were then replaced. */
async function technicianChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const schedules = await tx.technicianSchedule.findMany({
    where: tenancy,
    orderBy: { id: 'asc' },
    include: { technicians: { orderBy: { id: 'asc' } } },
  })
  const deleted = await tx.technicianProfile.findMany({ where: { ...tenancy, deleted_at: { not: null } } })
  return [
    ...schedules.flatMap(({ id, name, revision, created_at, updated_at, updated_by_user: by, ...rest }) => {
      const target = { type: 'technician_schedule', id: String(id), name }
      const change = (verb: string, at: Date, parts: Partial<Change>): Change => ({
        at,
        action: `technician_schedule.${verb}`,
        by: 'Maeve Donnelly',
        target,
        ...parts,
      })
      const technician_ids = rest.technicians.map((technician) => technician.id)
      const newest = new Date(Math.max(...rest.technicians.map((technician) => +technician.created_at)))
      const { windows, timezone } = rest
      return [
        change('created', created_at, { after: { name, timezone, windows } }),
        change('assigned', newest, { before: { technician_ids: [] }, after: { technician_ids } }),
        ...(revision > 2
          ? [change('replaced', updated_at, { by, before: { name }, after: { name, windows } })]
          : []),
      ]
    }),
    ...deleted.map(({ id, name, updated_at }) => ({
      at: updated_at,
      action: 'technician.deleted',
      by: 'Tomasz Zieliński',
      target: { type: 'technician', id: String(id), name },
      before: { deleted_at: null },
      after: { deleted_at: updated_at },
    })),
  ]
}

async function groupChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const groups = await tx.permissionGroupSetting.findMany({ where: tenancy, orderBy: { name: 'asc' } })
  return groups.map(({ name, requires_approval, approver_technician_ids, updated_at }) => ({
    at: updated_at,
    action: 'permission_group.updated',
    by: 'Maeve Donnelly',
    target: { type: 'permission_group', id: name, name: GROUP_TITLES[name as GroupName] },
    before: { approver_technician_ids: [] },
    after: { requires_approval, approver_technician_ids },
  }))
}

/** The changes that led channels to where they stand. */
const CHANNEL_VERBS: Readonly<Record<string, string>> = { PAUSED: 'paused', UNINSTALLED: 'uninstalled' }

async function channelChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const channels = await tx.channel.findMany({ where: tenancy, orderBy: { id: 'asc' } })
  return channels.flatMap(({ id, name, transport, status, created_at, updated_at }) => {
    const change = (verb: string, at: Date, parts: Pick<Change, 'before' | 'after'>): Change => ({
      at,
      action: `channel.${verb}`,
      by: 'Gareth Hughes',
      target: { type: 'channel', id, name },
      ...parts,
    })
    const verb = CHANNEL_VERBS[status]
    return [
      change('created', created_at, { after: { name, transport } }),
      ...(verb ? [change(verb, updated_at, { before: { status: 'ACTIVE' }, after: { status } })] : []),
    ]
  })
}

async function scheduledWorkChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const entries = await tx.scheduledWork.findMany({ where: tenancy, orderBy: { id: 'asc' } })
  return entries.flatMap(({ id, ticket_id, ticket_number, created_by: by, ...entry }) => {
    const target = { type: 'scheduled_work', id: String(id), name: ticket_number ?? ticket_id }
    const { workflow_id, scheduled_for, status, cancel_reason, created_at, updated_at } = entry
    const created = { workflow_id, ticket_id, scheduled_for }
    const cancelled = { before: { status: 'PENDING' }, after: { status, cancel_reason } }
    return [
      { at: created_at, action: 'scheduled_work.created', by, target, after: created },
      ...(status === 'CANCELLED'
        ? [{ at: updated_at, action: 'scheduled_work.cancelled', by, target, ...cancelled }]
        : []),
    ]
  })
}

async function anchorChanges({ tx, tenancy }: Seeding): Promise<Change[]> {
  const days = await tx.auditDay.findMany({ where: { ...tenancy, anchored_at: { not: null } } })
  return days.map(({ day, anchored_at, entries, last_hash }) => {
    const date = day.toISOString().slice(0, 10)
    return {
      at: anchored_at ?? day,
      action: ANCHORED,
      by: null,
      target: { type: ANCHORED_TARGET, id: date, name: date },
      after: { entries, last_hash },
    }
  })
}
