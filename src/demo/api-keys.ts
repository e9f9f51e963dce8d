/** The demo API key, and one API key in every state. */
import { createHmac } from 'node:crypto'
import { newSecret } from '../access/credentials/api-key-secret.ts'
import { DEMO_KEY_ID } from '../access/demo.ts'
import { PRESETS } from '../access/policies/scopes.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { stored } from './demo.ts'
import { randomOf, type Seeding } from './seeding.ts'

type Key = Prisma.ApiKeyCreateManyInput

const LIFETIME_DAYS = 365

/** Secrets of keys that are only listed: no caller has them. */
function secretOf(id: string, { key_pepper, tenancy }: Seeding): string {
  let block = 0
  const bytes = () => createHmac('sha512', key_pepper).update(`${id} ${block++}`).digest()
  return newSecret(tenancy.environment, bytes)
}

function keyOf(
  id: string,
  created_days: number,
  seeding: Seeding,
  rest: Partial<Key> & { name: string },
): Key {
  const created_at = seeding.ago(created_days)
  return {
    ...seeding.tenancy,
    id,
    ...stored(seeding.key_pepper, id === DEMO_KEY_ID ? seeding.demo_api_key : secretOf(id, seeding)),
    scopes: [...PRESETS.READ_ONLY],
    created_by_user_id: 'usr_owner',
    created_by_name: 'Maeve Donnelly',
    created_at,
    updated_at: created_at,
    expires_at: seeding.ago(created_days - LIFETIME_DAYS),
    ...rest,
  }
}

function keysOf(seeding: Seeding): Key[] {
  const { ago } = seeding
  return [
    keyOf(DEMO_KEY_ID, 30, seeding, {
      name: 'Demo',
      description: 'The key that the service prints when it starts.',
      scopes: [...PRESETS.FULL],
    }),
    keyOf('key_reporting', 160, seeding, {
      name: 'Monthly reporting',
      description: 'Reads figures for the customers’ monthly reports.',
      last_used_at: ago(0, 41),
      last_used_ip: '198.51.100.24',
    }),
    keyOf('key_automation', 88, seeding, {
      name: 'Ticket automation',
      scopes: [...PRESETS.AUTOMATION],
      acting_user_id: 'usr_user',
      created_by_user_id: 'usr_admin',
      created_by_name: 'Tomasz Zieliński',
      last_used_at: ago(0, 3),
      last_used_ip: '203.0.113.9',
    }),
    keyOf('key_partner', 61, seeding, {
      name: 'Onboarding partner',
      description: 'Acts for whoever the partner’s portal names.',
      scopes: ['end_companies:read', 'end_companies:write', 'integrations:read'],
      allow_acting_user_header: true,
      allowed_cidrs: ['203.0.113.0/24', '2001:db8:40::/48'],
      last_used_at: ago(6),
      last_used_ip: '203.0.113.77',
    }),
    keyOf('key_spare', 5, seeding, { name: 'Spare' }),
    keyOf('key_nightly_old', 201, seeding, {
      name: 'Nightly sync',
      scopes: ['end_companies:read', 'end_companies:write'],
      last_used_at: ago(0, 95),
      last_used_ip: '198.51.100.31',
      updated_at: ago(0, 300),
      sunset_at: ago(-1, 300),
      replaced_by_key_id: 'key_nightly',
    }),
    keyOf('key_nightly', 300 / 1440, seeding, {
      name: 'Nightly sync',
      scopes: ['end_companies:read', 'end_companies:write'],
      rotated_from_key_id: 'key_nightly_old',
    }),
    keyOf('key_trial', 120, seeding, {
      name: 'Trial of the API',
      expires_at: ago(30),
      last_used_at: ago(31),
      last_used_ip: '198.51.100.24',
    }),
    keyOf('key_leaked', 97, seeding, {
      name: 'Wall board',
      last_used_at: ago(44),
      last_used_ip: '192.0.2.201',
      updated_at: ago(44),
      revoked_at: ago(44),
      revoked_by_name: 'Gareth Hughes',
      revoke_reason: 'The secret was in a screenshot.',
    }),
  ]
}

export async function seedApiKeys(seeding: Seeding): Promise<void> {
  await seeding.tx.apiKey.createMany({ data: keysOf(seeding) })
}

/** Usage by key: operation, most calls a day, and range of days ago. */
const CALLS: readonly [key_id: string, operations: string[], daily: number, from: number, to: number][] = [
  ['key_reporting', ['company_links', 'end_companies'], 140, 29, 0],
  ['key_automation', ['settings', 'integrations', 'company_links', 'integration'], 610, 29, 0],
  ['key_partner', ['end_companies', 'map_company_link', 'integrations'], 35, 29, 6],
  ['key_nightly_old', ['company_links', 'map_company_link'], 260, 29, 0],
]

const dayOf = (at: Date): Date => new Date(at.toISOString().slice(0, 10))

export async function seedUsage({ tx, tenancy, ago }: Seeding): Promise<void> {
  const random = randomOf('usage')
  const data = CALLS.flatMap(([key_id, operations, daily, from, to]) =>
    Array.from({ length: from - to + 1 }, (_, index) => dayOf(ago(to + index))).flatMap((day) => {
      const quiet = [0, 6].includes(day.getUTCDay()) ? 0.2 : 1
      return operations.map((operation) => {
        const requests = Math.ceil(random.int(daily / 2, daily) * quiet)
        const errors = random.fraction() < 0.3 ? random.int(0, Math.ceil(requests / 40)) : 0
        return { ...tenancy, key_id, day, operation, requests, errors }
      })
    }),
  )
  await tx.apiKeyUsage.createMany({ data })
}
