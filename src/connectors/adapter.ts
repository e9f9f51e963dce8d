/** Adapters of systems that tenants connect. What holds of every port is in `port.ts`. */
import type { ConnectableSystem, SettingsOf } from './fields.ts'
import type { PortContext } from './port.ts'

/** A connection while its port is open. Secrets are in clear here, and nowhere else. */
export interface OpenedConnection<Of extends ConnectableSystem = ConnectableSystem> {
  /** Unique over all tenants. */
  connection_id: string
  tenant_id: string
  environment: string
  /** Another one, once a person has changed the connection. */
  revision?: number
  /** By the names of `fields.ts`, the secret ones too. */
  settings: SettingsOf<Of>
  /**
   * Uses a secret that the system may replace when it is used, in turn with all other processes: `use` gets the secret as it
   * is stored now. Call it outside of transactions. It rejects with PortUnavailable if the connection was changed meanwhile.
   */
  exchange<Result>(secret: string, use: (value: string) => Promise<Exchanged<Result>>): Promise<Result>
}

export interface Exchanged<Result> {
  result: Result
  /** Is stored in place of the secret. null: the secret stays. */
  replaced_by: string | null
}

export interface ConnectionTest {
  ok: boolean
  /**
   * What was found, such as the name of the company or the version; or what the system refused, in our words. It has
   * nothing of the body that the system answered with an error.
   */
  message: string
}

/** A change that a system tells of. It does not tell what changed: the thing has to be read. */
export interface WebhookEvent {
  kind: 'COMPANY' | 'CONTACT' | 'TICKET' | 'TIME_ENTRY' | 'TECHNICIAN'
  /** The system's id of the thing. */
  id: string
  action: 'ADDED' | 'UPDATED' | 'DELETED'
  /** The same each time that the system sends the event; null if it has no such thing. */
  event_id: string | null
  /** When the thing changed, by the system's clock. null or absent: the event does not say so. */
  changed_at?: Date | null
}

/** By names in lower case. */
type WebhookHeaders = Readonly<Record<string, string | string[] | undefined>>

/**
 * The webhooks of a system. A connection whose system signs nothing gets an address with a secret in it, which is checked
 * before `verify` is asked. Every call rejects with PortUnavailable if it needs the system, and that does not answer.
 */
interface Webhooks<Of extends ConnectableSystem> {
  /** Makes the system send its events to the https address. Repeated, it registers nothing twice. */
  register(connection: OpenedConnection<Of>, url: string): Promise<void>
  /** Removes what was registered for the address. */
  remove(connection: OpenedConnection<Of>, url: string): Promise<void>
  /** The events of a request by the bytes of its body, as they came; null: the system of the connection did not send them. */
  verify(
    connection: OpenedConnection<Of>,
    headers: WebhookHeaders,
    raw: Uint8Array,
  ): Promise<readonly WebhookEvent[] | null>
}

/** An adapter of one system for one port. */
export interface Adapter<Port, Of extends ConnectableSystem = ConnectableSystem> {
  system: Of
  /** The calls that the system cannot do. They are refused with NOT_SUPPORTED, and the tools that need them are not available. */
  unsupported: ReadonlySet<keyof Port>
  /** The calls that need a secret which is not required, with its name. They are unsupported without the secret. */
  needed_secrets?: Readonly<Partial<Record<keyof Port, string>>>
  /** Of a PSA: the fewest requests in which so many tickets are read with their notes. */
  requests_for_tickets?: (count: number) => number
  /** The port of the connection. It asks the system nothing before its first call. */
  open(connection: OpenedConnection<Of>, ctx: PortContext): Port
  /** Really calls the system. It rejects with nothing but PortUnavailable, if the system cannot be reached. */
  test(connection: OpenedConnection<Of>): Promise<ConnectionTest>
  /** Absent: the system has none, and is asked for what changed. */
  webhooks?: Webhooks<Of>
}

/** The calls that the system cannot do by a connection with these secrets. */
export function unsupportedWith<Port>(
  { unsupported, needed_secrets }: Pick<Adapter<Port>, 'unsupported' | 'needed_secrets'>,
  secret_names: readonly string[],
): ReadonlySet<keyof Port> {
  const needed = Object.entries(needed_secrets ?? {}) as [keyof Port, string][]
  const lacking = needed.flatMap(([call, secret]) => (secret_names.includes(secret) ? [] : [call]))
  return new Set([...unsupported, ...lacking])
}
