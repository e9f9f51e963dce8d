/** The ports of a process: the adapters of other systems within their budgets, and the service's own data. */
import type { Logger } from 'pino'
import { dispatchForTools } from '../areas/dispatch/for-tools.ts'
import { escalationsForTools } from '../areas/escalation/for-tools.ts'
import { feedbackForTools } from '../areas/feedback/for-tools.ts'
import {
  connectedSystems,
  findConnection,
  MARK_ANSWERED,
  MARK_FAILED,
  MARK_REFUSED,
  NO_ANSWER,
  REFUSED_CREDENTIALS,
} from '../areas/integrations/index.ts'
import { memoriesForTools } from '../areas/memories/for-tools.ts'
import { scriptingForTools } from '../areas/rmm-scripts/for-tools.ts'
import { skillsForTools } from '../areas/skills/for-tools.ts'
import { techniciansForTools } from '../areas/technicians/for-tools.ts'
import { type Adapter, unsupportedWith } from '../connectors/adapter.ts'
import { always, type Budget, budgeted } from '../connectors/budgeted-port.ts'
import { CHAT } from '../connectors/chat.ts'
import type { Adapters, AnyAdapter, Connectors, SystemConnectors } from '../connectors/connectors.ts'
import { connectedOr, type StoredConnections } from '../connectors/dispatch.ts'
import { DOCUMENTS } from '../connectors/documents.ts'
import { IDENTITY } from '../connectors/identity.ts'
import { localChat } from '../connectors/local/chat.ts'
import { localDocuments } from '../connectors/local/documents.ts'
import { localIdentity } from '../connectors/local/identity.ts'
import { localPsa } from '../connectors/local/psa.ts'
import { localRmm } from '../connectors/local/rmm.ts'
import type { PortContext } from '../connectors/port.ts'
import { PSA } from '../connectors/psa.ts'
import { RMM } from '../connectors/rmm.ts'
import type { System } from '../connectors/systems.ts'
import type { Sql } from '../db/sql.ts'
import type { Services } from '../gateway/context.ts'
import type { SecretBox } from '../lib/secret-box.ts'

/** The connections of tenants: how they are found, and who is told of their health. */
interface Connected {
  adapters: Adapters
  connections: StoredConnections
  /** The services of the process, for calls that change the service's own data. */
  services: () => Services
}

/** The systems that tenants connect; beside them stand-ins, by default those that keep everything in our own database. */
export function budgetedConnectors(
  { psa, rmm, documents, identity, chat }: Partial<SystemConnectors>,
  budget: Budget,
  { adapters, connections, services }: Connected,
): Connectors {
  const every: readonly AnyAdapter[] = [...adapters.psa, ...adapters.rmm, ...adapters.documents]
  const bySystem = new Map<System, AnyAdapter>(every.map((adapter) => [adapter.system, adapter]))
  const unsupported = async <Port>(
    ctx: PortContext,
    of: readonly Adapter<Port>[],
  ): Promise<ReadonlySet<keyof Port & string>> => {
    const systems = of.map(({ system }) => system)
    const connection = systems.length > 0 ? await connections.find(ctx, systems) : null
    const adapter = of.find(({ system }) => system === connection?.system)
    const calls = connection && adapter ? unsupportedWith(adapter, connection.secret_names) : []
    return new Set(calls as Iterable<keyof Port & string>)
  }
  return {
    psa: budgeted(PSA, connectedOr(psa ?? localPsa, adapters.psa, connections), budget),
    rmm: budgeted(RMM, connectedOr(rmm ?? localRmm, adapters.rmm, connections), budget),
    documents: budgeted(
      DOCUMENTS,
      connectedOr(documents ?? localDocuments, adapters.documents, connections),
      budget,
    ),
    identity: budgeted(IDENTITY, always(identity ?? localIdentity), budget),
    chat: budgeted(CHAT, always(chat ?? localChat), budget),
    memories: memoriesForTools,
    technicians: techniciansForTools,
    skills: skillsForTools,
    escalations: escalationsForTools(services),
    feedback: feedbackForTools(services),
    dispatching: dispatchForTools(services),
    scripting: scriptingForTools(services),
    connectedSystems,
    adapterOf: (system) => bySystem.get(system),
    async ticketSource(ctx) {
      const systems = adapters.psa.map(({ system }) => system)
      const connection = systems.length > 0 ? await connections.find(ctx, systems) : null
      const adapter = adapters.psa.find(({ system }) => system === connection?.system)
      if (!adapter) return null
      const { system, requests_for_tickets = (count) => 2 * count } = adapter
      return { system, requests_for_tickets }
    },
    async unsupportedCalls(ctx) {
      const [of_psa, of_rmm, of_documents] = await Promise.all([
        unsupported(ctx, adapters.psa),
        unsupported(ctx, adapters.rmm),
        unsupported(ctx, adapters.documents),
      ])
      return { psa: of_psa, rmm: of_rmm, documents: of_documents }
    },
  }
}

const MARKS = {
  ANSWERED: { mark: MARK_ANSWERED, message: [REFUSED_CREDENTIALS, NO_ANSWER] },
  REFUSED: { mark: MARK_REFUSED, message: REFUSED_CREDENTIALS },
  FAILED: { mark: MARK_FAILED, message: NO_ANSWER },
}

/** The connections as they are stored. `settled` resolves once everything that was told is stored. */
export function storedConnections({ sql, box, log, now }: Storing) {
  const marking = new Set<Promise<unknown>>()
  const connections: StoredConnections = {
    find: (ctx, systems) => findConnection(ctx, box, systems),
    now,
    ended({ connection_id, revision }, outcome) {
      const { mark, message } = MARKS[outcome]
      const marked = sql
        .rows(mark, [connection_id, revision, message, now()])
        .catch((err) => log.warn({ connection_id, err }, 'the health of a connection was not stored'))
        .finally(() => marking.delete(marked))
      marking.add(marked)
    },
  }
  return { connections, settled: () => Promise.allSettled(marking) }
}

interface Storing {
  sql: Sql
  box: SecretBox
  log: Logger
  now: () => Date
}
