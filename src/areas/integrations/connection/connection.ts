/** A connection as callers see it: what is set, and no secret. */
import {
  CONNECTION_FIELDS,
  type ConnectableSystem,
  type ConnectionField,
} from '../../../connectors/fields.ts'
import { ApiError } from '../../../errors/errors.ts'
import { etagOf, REVISION } from '../../../gateway/entity-tags.ts'
import { builder } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { CompanyLinkSystem } from '../index.ts'
import { type Integration, integrationNamed } from '../registry.ts'
import type { Values } from './rules.ts'

/** Seconds between two looks for what changed, unless something else is stored. */
export const POLL_INTERVAL_SECONDS = 300

/** A connection as it is stored; before the first one it has nothing but its name. */
export interface ConnectionRow
  extends Omit<
    Row<'SystemConnection'>,
    'tenant_id' | 'environment' | 'settings' | 'updated_at' | 'updated_by_name'
  > {
  settings: Values
  updated_at: Date | null
  updated_by_name: string | null
}

export const connectionEtag = ({
  revision,
  webhooks_registered_at,
}: Pick<ConnectionRow, 'revision' | 'webhooks_registered_at'>): string =>
  etagOf(revision, webhooks_registered_at ?? undefined)

export type Connectable = Integration & { system: ConnectableSystem }

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
export function connectable(integration: Integration): Connectable {
  if (!CONNECTABLE.some((system) => system === integration.system)) throw notConnectable(integration)
  return integration as Connectable
}

const systemOf = (name: string): ConnectableSystem => integrationNamed(name)?.system as ConnectableSystem

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

export const IntegrationConnection = builder.objectRef<ConnectionRow>('IntegrationConnection').implement({
  description: 'The connection of an integration in this environment. No answer has its secrets.',
  fields: (t) => ({
    id: t.id({
      description: 'The name of the integration.',
      resolve: ({ name }) => name,
    }),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The system that is connected.',
      resolve: ({ name }) => systemOf(name),
    }),
    connected: t.boolean({
      description:
        'True if credentials are stored, with which the service calls the system. False: stand-ins of the service, which ' +
        'keep everything in its own database, serve the tenant’s agents where there are some for systems of this kind.',
      resolve: ({ secrets }) => secrets !== null,
    }),
    ...Object.fromEntries(
      SETTINGS_TYPES.map(([system, type]) => [
        memberOf(system),
        t.field({
          type,
          nullable: true,
          description:
            'The fields of a connection of this system. null: it is another one, or nothing was stored yet.',
          resolve: (row) => (systemOf(row.name) === system && row.updated_at ? row : null),
        }),
      ]),
    ),
    poll_interval_seconds: t.int({
      description: 'Seconds between two looks for what changed in the system. 0: the service does not look.',
      resolve: ({ poll_interval_seconds }) => poll_interval_seconds,
    }),
    webhooks_registered_at: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the system last agreed to send its events as they happen. null: it does not send them, and the service only ' +
        'looks for what changed.',
      resolve: ({ webhooks_registered_at }) => webhooks_registered_at,
    }),
    updated_at: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was changed last. null: nothing was stored yet.',
      resolve: ({ updated_at }) => updated_at,
    }),
    updated_by_name: t.string({
      nullable: true,
      description: 'Who changed it last. null: nothing was stored yet.',
      resolve: ({ updated_by_name }) => updated_by_name,
    }),
    revision: t.int({ description: REVISION, resolve: ({ revision }) => revision }),
  }),
})
