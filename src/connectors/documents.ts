/** The port to a documentation system. What holds of every port is in `port.ts`. */
import type { Connector, Outcomes, PortContext, PortDescription, Search } from './port.ts'

export interface DocumentSummary {
  document_id: string
  /** null: it is of the MSP itself. */
  psa_company_id: string | null
  title: string
  updated_at: Date
}

export interface DocumentWithText extends DocumentSummary {
  /** Markdown. */
  text: string
}

interface DocumentDraft {
  psa_company_id: string
  title: string
  text: string
}

/** The documentation system of one tenant. */
export interface Documents extends Outcomes {
  /** The documents whose title or text has the words, the last changed first. */
  search(search: Search): Promise<readonly DocumentSummary[]>
  document(document_id: string): Promise<DocumentWithText | null>
  /** The files of a folder that was confirmed for a company, by title. */
  filesIn(folder_id: string): Promise<readonly DocumentSummary[]>
  createDocument(document: DocumentDraft, idempotency_key: string): Promise<DocumentSummary>
  /** Replaces the text. The system keeps the one that it had. */
  updateDocument(document_id: string, text: string, idempotency_key: string): Promise<DocumentSummary>
}

export const DOCUMENTS: PortDescription<Documents> = {
  upstream: 'DOCUMENTATION',
  calls: {
    search: 'READ',
    document: 'READ',
    filesIn: 'READ',
    createDocument: 'WRITE',
    updateDocument: 'WRITE',
    outcomeOf: 'OUTCOME',
  },
}

export type DocumentsConnector = Connector<Documents>

/** The documentation system of the caller's tenant, through the budgeted client. */
export const documentsOf = (
  ctx: PortContext & { services: { connectors: { documents: DocumentsConnector } } },
): Documents => ctx.services.connectors.documents(ctx)
