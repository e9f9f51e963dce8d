/** Connected integrations and integration requests of the demo MSP. */
import { stagesOf } from '../areas/integration-syncs/rules.ts'
import { integrationOf, type System } from '../areas/integrations/registry.ts'
import {
  IntegrationAccess,
  IntegrationHealth,
  IntegrationRequestStatus,
  SyncStatus,
} from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'
import { number, oneOf, optional, table, text } from './table.ts'
import { PEOPLE } from './tenant.ts'

/** `synced`: minutes since the last sync. */
const CONNECTIONS = table(
  {
    system: text as (cell: string) => System,
    connected: (cell) => cell === 'yes',
    synced: optional(number),
    last_sync_status: optional(oneOf(SyncStatus)),
    health: oneOf(IntegrationHealth),
    health_message: optional(text),
  },
  `
  HALO_PSA | yes | 4 | SUCCEEDED | HEALTHY |
  NINJAONE | yes | 11 | RUNNING | HEALTHY |
  HUDU | yes | 38 | SUCCEEDED | HEALTHY |
  SHAREPOINT | yes | 52 | PARTIAL | DEGRADED | 3 of 41 sites answered 429.
  CONFLUENCE | yes | 61 | SUCCEEDED | HEALTHY |
  HUNTRESS | yes | 17 | SUCCEEDED | HEALTHY |
  SENTINELONE | yes | 21 | SUCCEEDED | DEGRADED | The API token expires in 6 days.
  MIMECAST | yes | 44 | SUCCEEDED | HEALTHY |
  CISCO_MERAKI | yes | 190 | FAILED | DOWN | The API key was revoked in the Meraki dashboard.
  UNIFI | yes | 29 | SUCCEEDED | HEALTHY |
  PAX8 | yes | 73 | SUCCEEDED | HEALTHY |
  TD_SYNNEX | yes | 410 | SUCCEEDED | HEALTHY |
  MICROSOFT_TEAMS | yes | 2 | SUCCEEDED | HEALTHY |
  MICROSOFT_ENTRA_ID | yes | 9 | SUCCEEDED | HEALTHY |
  SHERWEB | yes | | QUEUED | UNKNOWN |
  OKTA | yes | | | UNKNOWN |
  DATTO_RMM | no | 174240 | CANCELLED | UNKNOWN |
  SLACK | no | | | UNKNOWN |
`,
)

export async function seedConnections({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.integrationConnection.createMany({
    data: CONNECTIONS.map(({ system, synced, ...connection }) => ({
      ...tenancy,
      ...connection,
      name: integrationOf(system).name,
      last_sync_at: synced === null ? null : ago(0, synced),
      updated_at: synced ? ago(0, synced) : ago(3),
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

/** Minutes ago. */
const SYNCS = table(
  {
    minutes: number,
    is_full: (cell) => cell === 'full',
    requested_by_name: optional(text),
    read: number,
    added: number,
  },
  `
  4 | changes | | 3 | 0
  64 | changes | | 5 | 1
  124 | full | Priya Nair | 412 | 6
`,
)

export async function seedSyncs({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.integrationSync.createMany({
    data: SYNCS.map(({ minutes, read, added, is_full, requested_by_name }) => ({
      ...tenancy,
      id: `syn_demo_${minutes}`,
      name: integrationOf('HALO_PSA').name,
      status: 'SUCCEEDED' as const,
      is_full,
      changed_since: is_full ? null : ago(0, minutes + 65),
      requested_by_name,
      stages: stagesOf('PSA').map((stage, place) => ({
        ...stage,
        status: 'SUCCEEDED',
        ...(place === 1 && { read, added }),
      })),
      created_at: ago(0, minutes),
      started_at: ago(0, minutes),
      updated_at: ago(0, minutes),
      finished_at: ago(0, minutes),
    })),
  })
}

/** Days ago. All are outside the limit's window of seven days, so the demo MSP may send five more. */
const REQUESTS = table(
  {
    days: number,
    vendor_name: text,
    status: oneOf(IntegrationRequestStatus),
    access: oneOf(IntegrationAccess),
    can_share_test_key: (cell) => cell === 'yes',
    docs_url: optional(text),
    use_case: text,
  },
  `
  9 | Liongard | RECEIVED | READ_ONLY | yes | https://docs.liongard.example/api | Compare the configuration a ticket talks about with what the inspectors saw last night.
  16 | Keeper MSP | UNDER_REVIEW | READ_ONLY | no | https://docs.keeper.example/msp | Check whether an end user has a vault before an agent answers a password question.
  34 | ScalePad Lifecycle Manager | PLANNED | READ_ONLY | yes | | Add warranty dates to hardware tickets.
  71 | KnowBe4 | DECLINED | READ_WRITE | no | https://developer.knowbe4.example/ | Enrol end users who clicked a phishing link in the next course.
  188 | Huntress | DELIVERED | READ_ONLY | no | https://api.huntress.example/docs | Attach incident reports to the tickets they belong to.
`,
)

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
