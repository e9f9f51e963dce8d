/** The ports of a process: the adapters of other systems within their budgets, and the service's own data. */
import { connectedSystems } from '../areas/integrations/index.ts'
import { memoriesForTools } from '../areas/memories/for-tools.ts'
import { techniciansForTools } from '../areas/technicians/for-tools.ts'
import { type Budget, budgeted } from '../connectors/budgeted-port.ts'
import { CHAT } from '../connectors/chat.ts'
import type { Connectors, SystemConnectors } from '../connectors/connectors.ts'
import { DOCUMENTS } from '../connectors/documents.ts'
import { IDENTITY } from '../connectors/identity.ts'
import { localChat } from '../connectors/local/chat.ts'
import { localDocuments } from '../connectors/local/documents.ts'
import { localIdentity } from '../connectors/local/identity.ts'
import { localPsa } from '../connectors/local/psa.ts'
import { localRmm } from '../connectors/local/rmm.ts'
import { PSA } from '../connectors/psa.ts'
import { RMM } from '../connectors/rmm.ts'

/** If no adapter is given, the one that keeps everything in our own database. */
export function budgetedConnectors(
  { psa, rmm, documents, identity, chat }: Partial<SystemConnectors> = {},
  budget: Budget = {},
): Connectors {
  return {
    psa: budgeted(PSA, psa ?? localPsa, budget),
    rmm: budgeted(RMM, rmm ?? localRmm, budget),
    documents: budgeted(DOCUMENTS, documents ?? localDocuments, budget),
    identity: budgeted(IDENTITY, identity ?? localIdentity, budget),
    chat: budgeted(CHAT, chat ?? localChat, budget),
    memories: memoriesForTools,
    technicians: techniciansForTools,
    connectedSystems,
  }
}
