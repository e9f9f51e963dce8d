/** A connection as callers see it: what is set, and no secret. */
import {
  CONNECTION_FIELDS,
  type ConnectableSystem,
  type ConnectionField,
} from '../../../connectors/fields.ts'
import { ApiError } from '../../../errors/errors.ts'
import { etagOf, REVISION } from '../../../gateway/entity-tags.ts'
import { builder } from '../../../schema/builder.ts'
import { CompanyLinkSystem } from '../index.ts'
import type { Integration } from '../registry.ts'
import type { ConnectionRow } from './queries.ts'

/** Seconds between two looks for what changed, unless something else is stored. */
export const POLL_INTERVAL_SECONDS = 300

export interface ConnectionState {
  integration: Integration & { system: ConnectableSystem }
  row: ConnectionRow | null
}

export const connectionEtag = ({ row }: Pick<ConnectionState, 'row'>): string =>
  etagOf(row?.revision ?? 1, row?.webhooks_registered_at ?? undefined)

export const fieldsOf = (system: ConnectableSystem): readonly ConnectionField[] => CONNECTION_FIELDS[system]

export const CONNECTABLE = Object.keys(CONNECTION_FIELDS) as ConnectableSystem[]

/** The name of the system's member in bodies and answers. */
export const memberOf = (system: ConnectableSystem): string => system.toLowerCase()

/** `ConnectwisePsa` for `CONNECTWISE_PSA`. */
export const typeNameOf = (system: ConnectableSystem): string =>
  system
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

export const notConnectable = ({ name }: Pick<Integration, 'name'>): ApiError =>
  new ApiError('integration_not_connectable', { details: { name } })

/** The integration, which can be connected; 409 for one that no adapter of the service reaches. */
export function connectable(integration: Integration): ConnectionState['integration'] {
  if (!CONNECTABLE.some((system) => system === integration.system)) throw notConnectable(integration)
  return integration as ConnectionState['integration']
}

const settingsType = (system: ConnectableSystem) =>
  builder.objectRef<ConnectionRow>(`${typeNameOf(system)}Connection`).implement({
    description: 'The fields of a connection that are stored, without its secrets.',
    fields: (t) => ({
      ...Object.fromEntries(
        fieldsOf(system)
          .filter(({ secret }) => !secret)
          .map(({ name, description }) => [
            name,
            t.string({ nullable: true, description, resolve: ({ settings }) => settings[name] ?? null }),
          ]),
      ),
      secrets_set: t.stringList({
        description: 'The names of the secrets that are stored.',
        resolve: ({ secret_names }) => [...secret_names],
      }),
    }),
  })

const SETTINGS_TYPES = CONNECTABLE.map((system) => [system, settingsType(system)] as const)

export const IntegrationConnection = builder.objectRef<ConnectionState>('IntegrationConnection').implement({
  description: 'The connection of an integration in this environment. No answer has its secrets.',
  fields: (t) => ({
    id: t.id({
      description: 'The name of the integration.',
      resolve: ({ integration }) => integration.name,
    }),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The system that is connected.',
      resolve: ({ integration }) => integration.system,
    }),
    connected: t.boolean({
      description:
        'True if credentials are stored, with which the service calls the system. False: stand-ins of the service, which ' +
        'keep everything in its own database, serve the tenant’s agents where there are some for systems of this kind.',
      resolve: ({ row }) => (row?.secrets ?? null) !== null,
    }),
    ...Object.fromEntries(
      SETTINGS_TYPES.map(([system, type]) => [
        memberOf(system),
        t.field({
          type,
          nullable: true,
          description:
            'The fields of a connection of this system. null: it is another one, or nothing was stored yet.',
          resolve: ({ integration, row }) => (integration.system === system ? row : null),
        }),
      ]),
    ),
    poll_interval_seconds: t.int({
      description: 'Seconds between two looks for what changed in the system. 0: the service does not look.',
      resolve: ({ row }) => row?.poll_interval_seconds ?? POLL_INTERVAL_SECONDS,
    }),
    webhooks_registered_at: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the system last agreed to send its events as they happen. null: it does not send them, and the service only ' +
        'looks for what changed.',
      resolve: ({ row }) => row?.webhooks_registered_at ?? null,
    }),
    updated_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was changed last. null: nothing was stored yet.',
      resolve: ({ row }) => row?.updated_at ?? null,
    }),
    updated_by_name: t.string({
      nullable: true,
      description: 'Who changed it last. null: nothing was stored yet.',
      resolve: ({ row }) => row?.updated_by_name ?? null,
    }),
    revision: t.int({ description: REVISION, resolve: ({ row }) => row?.revision ?? 1 }),
  }),
})
