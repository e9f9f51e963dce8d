/** The audit log of the demo MSP: one row for each change that the other demo data shows. */
import { randomBase62 } from '../lib/base62.ts'
import { randomOf, type Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'

interface Change {
  at: Date
  action: string
  by: string
  target: { type: string; id: string; name: string }
  before?: object
  after?: object
}

export async function seedActivity(seeding: Seeding): Promise<void> {
  const changes = [
    ...settingsChanges(seeding),
    ...(await keyChanges(seeding)),
    ...(await linkChanges(seeding)),
    ...(await requestChanges(seeding)),
    ...(await agentChanges(seeding)),
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
      ip: `198.51.100.${random.int(2, 250)}`,
      user_agent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)',
      request_id: random.uuid(),
      channel: null,
      acting_user_id: null,
    },
    ...(before && { before }),
    ...(after && { after }),
  }))
  await seeding.tx.activityEntry.createMany({ data })
}

function actorOf(name: string) {
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
  return agents.map(({ id, name, autonomy_type, created_by_name, created_at }) => ({
    at: created_at,
    action: 'agent.created',
    by: created_by_name,
    target: { type: 'agent', id: String(id), name },
    after: { name, autonomy_type },
  }))
}
