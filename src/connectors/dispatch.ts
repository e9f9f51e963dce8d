/** Chooses the system of a call: the one that the tenant has connected, or else the service's stand-in. */
import { CannotDecrypt } from '../lib/secret-box.ts'
import { type Adapter, type OpenedConnection, unsupportedWith } from './adapter.ts'
import type { ConnectableSystem } from './fields.ts'
import { type CallOutcome, healthAfter, type KnownHealth } from './health.ts'
import { watchAnswers } from './http/call.ts'
import { type Chooser, type Connector, type PortContext, PortRefusal, PortUnavailable } from './port.ts'
import { removeFromError, secretRemover } from './secrets.ts'

/** A connection as it is stored. */
interface StoredConnection extends KnownHealth {
  system: ConnectableSystem
  connection_id: string
  revision: number
  /** The names of the secrets that it has. */
  secret_names: readonly string[]
  /** Decrypts the secrets. */
  open(): OpenedConnection
}

export interface StoredConnections {
  /** The tenant's connection to one of the systems; null if it has none. */
  find(ctx: PortContext, systems: readonly ConnectableSystem[]): Promise<StoredConnection | null>
  /** Told of an outcome that may change the health. It takes its time beside the call. */
  ended(connection: StoredConnection, outcome: CallOutcome): void
  now(): Date
}

function opened(connection: StoredConnection): OpenedConnection {
  try {
    return connection.open()
  } catch (cause) {
    if (!(cause instanceof CannotDecrypt)) throw cause
    throw new PortUnavailable('The credentials of the connection cannot be decrypted', { cause })
  }
}

type Call = (...args: unknown[]) => Promise<unknown>

/** The outcome that the error of a call is; null: it tells nothing of the system, such as that our budget is used up. */
function outcomeOf(error: unknown): CallOutcome | null {
  if (error instanceof PortRefusal) return 'ANSWERED'
  if (!(error instanceof PortUnavailable)) return null
  if (error.kind === 'CREDENTIALS') return 'REFUSED'
  return error.is_outage ? 'FAILED' : null
}

/** The port, which refuses the calls that the system cannot do, keeps secrets out of its errors, and tells of the system's health. */
function guarded<Port extends object>(
  port: Port,
  unsupported: ReadonlySet<keyof Port>,
  without: (text: string) => string,
  connection: StoredConnection,
  connections: StoredConnections,
): Port {
  let known: KnownHealth = connection
  const refuse: Call = async () => {
    throw new PortRefusal('NOT_SUPPORTED')
  }
  const ended = (outcome: CallOutcome | null, { answered }: { answered: boolean }): void => {
    if (outcome === null || (outcome === 'ANSWERED' && !answered)) return
    const { health, is_stored } = healthAfter(known, outcome, connections.now())
    known = health
    if (is_stored) connections.ended(connection, outcome)
  }
  const watching =
    (call: Call): Call =>
    async (...args) => {
      const watched = { answered: false }
      try {
        const answer = await watchAnswers(watched, () => call.apply(port, args))
        ended('ANSWERED', watched)
        return answer
      } catch (error) {
        removeFromError(error, without)
        ended(outcomeOf(error), watched)
        throw error
      }
    }
  return new Proxy(port, {
    get: (of, name) =>
      unsupported.has(name as keyof Port) ? refuse : watching(of[name as keyof Port] as unknown as Call),
  })
}

/** The system that the tenant has connected, if an adapter of these reaches it; else `stand_in`. */
export function connectedOr<Port extends object>(
  stand_in: Connector<Port>,
  adapters: readonly Adapter<Port>[],
  connections: StoredConnections,
): Chooser<Port> {
  const adapterOf = new Map(adapters.map((adapter) => [adapter.system, adapter]))
  const systems = [...adapterOf.keys()]
  const own = { key: '', joins_transactions: stand_in.joins_transactions === true, connect: stand_in }
  return async (ctx) => {
    const connection = ctx.viewer && systems.length > 0 ? await connections.find(ctx, systems) : null
    const adapter = connection && adapterOf.get(connection.system)
    if (!adapter) return own
    const { connection_id, revision } = connection
    return {
      key: `${connection_id} ${revision}`,
      joins_transactions: false,
      connect(of) {
        const open = opened(connection)
        const port = adapter.open(open, of)
        const without = secretRemover(connection.system, open)
        const unsupported = unsupportedWith(adapter, connection.secret_names)
        return guarded(port, unsupported, without, connection, connections)
      },
    }
  }
}
