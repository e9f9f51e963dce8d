/** Chooses the system of a call: the one that the tenant has connected, or else the service's stand-in. */
import { CannotDecrypt } from '../lib/secret-box.ts'
import { type Adapter, type OpenedConnection, unsupportedWith } from './adapter.ts'
import type { ConnectableSystem } from './fields.ts'
import { type Chooser, type Connector, type PortContext, PortRefusal, PortUnavailable } from './port.ts'
import { removeFromError, secretRemover } from './secrets.ts'

/** A connection as it is stored. */
interface StoredConnection {
  system: ConnectableSystem
  connection_id: string
  revision: number
  /** The system refused the credentials the last time. */
  is_refused: boolean
  /** The names of the secrets that it has. */
  secret_names: readonly string[]
  /** Decrypts the secrets. */
  open(): OpenedConnection
}

export interface StoredConnections {
  /** The tenant's connection to one of the systems; null if it has none. */
  find(ctx: PortContext, systems: readonly ConnectableSystem[]): Promise<StoredConnection | null>
  /** Told that the system did not accept the credentials. It takes its time beside the call. */
  credentialsRefused(connection: StoredConnection): void
  /** Told, likewise, that it accepted them again. */
  credentialsAccepted(connection: StoredConnection): void
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

/**
 * The port, which refuses the calls that the system cannot do, keeps secrets out of its errors, and tells of credentials
 * that are not accepted, and of those that are accepted again.
 */
function guarded<Port extends object>(
  port: Port,
  unsupported: ReadonlySet<keyof Port>,
  without: (text: string) => string,
  connection: StoredConnection,
  { credentialsRefused, credentialsAccepted }: StoredConnections,
): Port {
  let { is_refused } = connection
  const refuse: Call = async () => {
    throw new PortRefusal('NOT_SUPPORTED')
  }
  const watched =
    (call: Call): Call =>
    async (...args) => {
      try {
        const answer = await call.apply(port, args)
        if (is_refused) credentialsAccepted(connection)
        is_refused = false
        return answer
      } catch (error) {
        removeFromError(error, without)
        if (error instanceof PortUnavailable && error.kind === 'CREDENTIALS') {
          is_refused = true
          credentialsRefused(connection)
        }
        throw error
      }
    }
  return new Proxy(port, {
    get: (of, name) =>
      unsupported.has(name as keyof Port) ? refuse : watched(of[name as keyof Port] as unknown as Call),
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
