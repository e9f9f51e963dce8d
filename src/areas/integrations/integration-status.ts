/** One integration as callers see it: the registry's entry with the tenant's connection. */
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { CompanyLinkSystem } from './index.ts'
import { logoPath } from './monogram.ts'
import type { Integration } from './registry.ts'
import { SyncStatus } from './sync-status.ts'

export const IntegrationCategory = builder.enumType('IntegrationCategory', {
  description: 'The kind of system that an integration connects.',
  values: {
    PSA: { description: 'Professional-services automation: tickets, time and customers.' },
    RMM: { description: 'Remote monitoring and management of devices.' },
    DOCUMENTATION: { description: 'Documentation of customers and their systems.' },
    SECURITY: { description: 'Protection of devices and users.' },
    EMAIL_SECURITY: { description: 'Protection of e-mail.' },
    NETWORK: { description: 'Network equipment and its monitoring.' },
    DISTRIBUTOR: { description: 'A distributor of hardware and licences.' },
    MARKETPLACE: { description: 'A marketplace of cloud subscriptions.' },
    TEAM_CHAT: { description: 'Chat in teams.' },
    IDENTITY_PROVIDER: { description: 'Identities of users and their sign-in.' },
  },
})

const IntegrationCapability = builder.enumType('IntegrationCapability', {
  description: 'The data of a system that the service works with.',
  values: {
    COMPANIES: { description: 'Its customers, which map to the PSA’s companies.' },
    CONTACTS: { description: 'People at customers.' },
    TICKETS: { description: 'Tickets and their notes.' },
    TIME_ENTRIES: { description: 'Time that technicians recorded.' },
    DEVICES: { description: 'Devices and their state.' },
    SCRIPTS: { description: 'Scripts that run on devices.' },
    ALERTS: { description: 'Alerts and incidents.' },
    DOCUMENTS: { description: 'Documents and structured records.' },
    IDENTITIES: { description: 'Users, groups and their sign-in.' },
    LICENSES: { description: 'Licences, subscriptions and orders.' },
    MESSAGES: { description: 'Chat messages, or e-mail that is held back.' },
  },
})

const IntegrationHealth = enumFrom('IntegrationHealth')

type Connection = Row<'IntegrationConnection'>

/** An entry of the registry with the tenant’s row of it. */
export interface Status {
  integration: Integration
  connection: Pick<
    Connection,
    'connected' | 'last_sync_at' | 'last_sync_status' | 'health' | 'health_message'
  >
}

/** The connection of an integration that the tenant has no row of. */
const NEVER_CONNECTED: Status['connection'] = {
  connected: false,
  last_sync_at: null,
  last_sync_status: null,
  health: 'UNKNOWN',
  health_message: null,
}

/** The integration with the tenant’s row of it, if there is one. */
export const statusOf = (integration: Integration, connection: Connection | null | undefined): Status => ({
  integration,
  connection: connection ?? NEVER_CONNECTED,
})

export const IntegrationStatus = builder.objectRef<Status>('IntegrationStatus').implement({
  description: 'One integration, with what the tenant has of it in this environment.',
  fields: (t) => ({
    id: t.id({
      description: 'Its name in paths: lower-case words joined by hyphens.',
      resolve: ({ integration }) => integration.name,
    }),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The same integration as company links name it.',
      resolve: ({ integration }) => integration.system,
    }),
    label: t.string({
      description: 'The product’s name, to show.',
      resolve: ({ integration }) => integration.label,
    }),
    category: t.field({
      type: IntegrationCategory,
      description: 'The kind of system.',
      resolve: ({ integration }) => integration.category,
    }),
    connected: t.boolean({
      description: 'True if the tenant has connected it.',
      resolve: ({ connection }) => connection.connected,
    }),
    glyph: t.string({
      description: 'One or two letters or digits to show if there is no room for a logo.',
      resolve: ({ integration }) => integration.glyph,
    }),
    logo_path: t.string({
      description: 'Path of a picture of the glyph, as SVG, on this service. No credential is needed.',
      resolve: ({ integration }) => logoPath(integration),
    }),
    last_sync_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the latest sync started. null: there was none.',
      resolve: ({ connection }) => connection.last_sync_at,
    }),
    last_sync_status: t.field({
      type: SyncStatus,
      nullable: true,
      description: 'The status of the latest sync. null: there was none.',
      resolve: ({ connection }) => connection.last_sync_status,
    }),
    capabilities: t.field({
      type: [IntegrationCapability],
      description:
        'The data that the service works with in the system once it is connected. A system that cannot be connected (`GET ' +
        '/schemas/connections`) has `COMPANIES` alone: its customers are put by `PUT /integrations/{name}/customers`.',
      resolve: ({ integration }) => [...integration.capabilities],
    }),
    health: t.field({
      type: IntegrationHealth,
      description:
        'The health of the system, as the calls of it show: DOWN if it does not accept the credentials, or has not answered ' +
        'for ten seconds or more; HEALTHY with its next answer.',
      resolve: ({ connection }) => connection.health,
    }),
    health_message: t.string({
      nullable: true,
      description: 'The problem, in words for a person. null: none is known.',
      resolve: ({ connection }) => connection.health_message,
    }),
  }),
})
