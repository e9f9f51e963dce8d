/** Connected integrations and integration requests of the demo MSP. */
import { integrationOf, type System } from '../areas/integrations/registry.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'

type Connection = Omit<
  Prisma.IntegrationConnectionCreateManyInput,
  'tenant_id' | 'environment' | 'name' | 'updated_at'
>

function connections(ago: Seeding['ago']): [system: System, connection: Connection][] {
  const well = (minutes: number): Connection => ({
    connected: true,
    last_sync_at: ago(0, minutes),
    last_sync_status: 'SUCCEEDED',
    health: 'HEALTHY',
  })
  return [
    ['HALO_PSA', well(4)],
    ['NINJAONE', { ...well(11), last_sync_status: 'RUNNING' }],
    ['HUDU', well(38)],
    [
      'SHAREPOINT',
      {
        ...well(52),
        last_sync_status: 'PARTIAL',
        health: 'DEGRADED',
        health_message: '3 of 41 sites answered 429.',
      },
    ],
    ['CONFLUENCE', well(61)],
    ['HUNTRESS', well(17)],
    ['SENTINELONE', { ...well(21), health: 'DEGRADED', health_message: 'The API token expires in 6 days.' }],
    ['MIMECAST', well(44)],
    [
      'CISCO_MERAKI',
      {
        ...well(190),
        last_sync_status: 'FAILED',
        health: 'DOWN',
        health_message: 'The API key was revoked in the Meraki dashboard.',
      },
    ],
    ['UNIFI', well(29)],
    ['PAX8', well(73)],
    ['TD_SYNNEX', well(410)],
    ['MICROSOFT_TEAMS', well(2)],
    ['MICROSOFT_ENTRA_ID', well(9)],
    ['SHERWEB', { connected: true, last_sync_status: 'QUEUED', health: 'UNKNOWN' }],
    ['OKTA', { connected: true, health: 'UNKNOWN' }],
    [
      'DATTO_RMM',
      { connected: false, last_sync_at: ago(121), last_sync_status: 'CANCELLED', health: 'UNKNOWN' },
    ],
    ['SLACK', { connected: false, health: 'UNKNOWN' }],
  ]
}

export async function seedConnections({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.integrationConnection.createMany({
    data: connections(ago).map(([system, connection]) => ({
      ...tenancy,
      name: integrationOf(system).name,
      ...connection,
      updated_at: connection.last_sync_at ?? ago(3),
    })),
  })
  await tx.chatAppWorkspace.create({
    data: {
      ...tenancy,
      team_id: '19:harbourline-technicians',
      team_name: 'Harbourline Technicians',
      installer_email: 'tomasz.zielinski@harbourline.example',
      installed_at: ago(203),
    },
  })
}

/** Days ago. All are outside the limit's window of seven days, so the demo MSP may send five more. */
const REQUESTS = [
  {
    days: 9,
    vendor_name: 'Liongard',
    use_case: 'Compare the configuration a ticket talks about with what the inspectors saw last night.',
    docs_url: 'https://docs.liongard.example/api',
    status: 'RECEIVED',
    can_share_test_key: true,
  },
  {
    days: 16,
    vendor_name: 'Keeper MSP',
    use_case: 'Check whether an end user has a vault before an agent answers a password question.',
    docs_url: 'https://docs.keeper.example/msp',
    status: 'UNDER_REVIEW',
  },
  {
    days: 34,
    vendor_name: 'ScalePad Lifecycle Manager',
    use_case: 'Add warranty dates to hardware tickets.',
    docs_url: null,
    status: 'PLANNED',
    can_share_test_key: true,
  },
  {
    days: 71,
    vendor_name: 'KnowBe4',
    use_case: 'Enrol end users who clicked a phishing link in the next course.',
    docs_url: 'https://developer.knowbe4.example/',
    access: 'READ_WRITE',
    status: 'DECLINED',
  },
  {
    days: 188,
    vendor_name: 'Huntress',
    use_case: 'Attach incident reports to the tickets they belong to.',
    docs_url: 'https://api.huntress.example/docs',
    status: 'DELIVERED',
  },
] as const

export async function seedIntegrationRequests({ tx, tenancy, ago }: Seeding): Promise<void> {
  const askers = PEOPLE.filter(({ role }) => role === 'OWNER' || role === 'ADMIN')
  await tx.integrationRequest.createMany({
    data: REQUESTS.map(({ days, ...request }, index) => ({
      ...tenancy,
      ...request,
      id: `ireq_demo_${index + 1}`,
      requested_by_name: askers[index % askers.length]?.name ?? '',
      created_at: ago(days, index * 47),
    })),
  })
}
