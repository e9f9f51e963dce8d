/**
 * The fields of a connection, by system: what people fill in to connect it. The schema is made of them, and an adapter
 * reads its settings by the same names. A system is here if there is an adapter for it.
 */
import type { System } from './systems.ts'

/** A field of a connection, as people fill it in. */
export interface ConnectionField {
  name: string
  description: string
  /** It is stored encrypted, and no answer has it. */
  secret: boolean
  required: boolean
  /** The whole text matches it. */
  pattern?: RegExp
  max_length: number
  /** URL: an https address without user name, password, query and fragment. */
  kind: 'TEXT' | 'URL'
}

type FieldOptions = Pick<ConnectionField, 'description'> & Partial<Omit<ConnectionField, 'name'>>

type FieldTable = Readonly<Record<string, FieldOptions>>

const DEFAULTS = { secret: false, required: true, max_length: 255, kind: 'TEXT' } as const

const fieldsIn = (table: FieldTable): readonly ConnectionField[] =>
  Object.entries(table).map(([name, options]) => ({ ...DEFAULTS, name, ...options }))

const FIELDS = {
  CONNECTWISE_PSA: {
    site: {
      kind: 'URL',
      description: 'Address of the API’s host, such as `https://api-eu.myconnectwise.net`.',
    },
    company: {
      pattern: /^[\w.-]+$/,
      max_length: 100,
      description: 'The company id with which people sign in to the PSA.',
    },
    client_id: {
      pattern: /^[\w-]+$/,
      max_length: 100,
      description: 'The client id that the vendor gave for the integration.',
    },
    public_key: { secret: true, pattern: /^[\w-]+$/, description: 'Public key of the API member.' },
    private_key: { secret: true, pattern: /^[\w-]+$/, description: 'Private key of the API member.' },
  },
  AUTOTASK_PSA: {
    site: {
      kind: 'URL',
      required: false,
      description:
        'Address of an API host of the vendor, such as `https://webservices5.autotask.net`. null: the one that knows every user. ' +
        'The zone of the user is asked for there.',
    },
    username: { pattern: /^[!-~]+$/, description: 'User name (key) of the API user.' },
    secret: { secret: true, pattern: /^[!-~]+$/, description: 'Secret of the API user.' },
    integration_code: {
      secret: true,
      pattern: /^[\w-]+$/,
      max_length: 100,
      description: 'Tracking identifier that the vendor or the API user’s page gave for the integration.',
    },
  },
  HALO_PSA: {
    site: { kind: 'URL', description: 'Address of the PSA, such as `https://example.halopsa.com`.' },
    tenant: {
      required: false,
      pattern: /^[\w.-]+$/,
      max_length: 100,
      description: 'Name of the tenant, on a server that has several.',
    },
    client_id: { pattern: /^[\w-]+$/, max_length: 100, description: 'Client id of the API application.' },
    client_secret: { secret: true, description: 'Client secret of the API application.' },
  },
  NINJAONE: {
    site: { kind: 'URL', description: 'Address of the region’s host, such as `https://eu.ninjarmm.com`.' },
    client_id: {
      pattern: /^[\w-]+$/,
      max_length: 100,
      description:
        'Client id of the API client. It has the scope `monitoring`, and `management` too if scripts are started.',
    },
    client_secret: { secret: true, description: 'Client secret of the API client.' },
    // Unverified: which scope the start of a script needs, and that the scope `offline_access` gives a refresh token.
    refresh_token: {
      secret: true,
      required: false,
      pattern: /^[!-~]+$/,
      max_length: 4000,
      description:
        'Refresh token of a user who may run scripts, from a sign-in by authorization code. Without the token ' +
        'scripts and devices are read, and no script is started: the system starts scripts only in the name of a ' +
        'user. A token with which the system replaces it is stored in its place.',
    },
  },
} as const satisfies Partial<Record<System, FieldTable>>

type Fields = typeof FIELDS

/** A system that people can connect. */
export type ConnectableSystem = keyof Fields

/** The fields of each system, in the order in which they are asked for. */
export const CONNECTION_FIELDS = Object.fromEntries(
  Object.entries(FIELDS).map(([system, table]) => [system, fieldsIn(table)]),
) as Readonly<Record<ConnectableSystem, readonly ConnectionField[]>>

type NameOf<Table, Required extends boolean> = {
  [Name in keyof Table]: Table[Name] extends { required: false }
    ? Required extends true
      ? never
      : Name
    : Required extends true
      ? Name
      : never
}[keyof Table]

/** The settings of a connection to the system. A field that is not required and was left out is absent. */
export type SettingsOf<Of extends ConnectableSystem> = Of extends ConnectableSystem
  ? { readonly [Name in NameOf<Fields[Of], true>]: string } & {
      readonly [Name in NameOf<Fields[Of], false>]?: string
    }
  : never
