/** Documents in the documentation system. */
import type { DocumentSummary } from '../../connectors/documents.ts'
import { requireFound } from '../failure.ts'
import { type Search, searchOf } from '../search.ts'
import { inDocuments, type Ports, type ToolResult } from '../tool-context.ts'

async function summariesOf({ psa }: Ports, documents: readonly DocumentSummary[]): Promise<ToolResult[]> {
  const ids = documents.map(({ psa_company_id }) => psa_company_id ?? '')
  const names = await psa.companyNames(ids)
  return documents.map(({ document_id, title, updated_at }, index) => ({
    document_id,
    title,
    updated_at: updated_at.toISOString(),
    company: names[index] ?? null,
  }))
}

/** A line that gives a password, in the words that people write. */
const PASSWORD = /\b(pass(?:word|phrase)|pwd|kennwort|passwort|secret)(\s*[:=]\s*)\S[^\n]*/gi

export const DOCUMENT_EXECUTORS = {
  'document.search': inDocuments(async (documents, search: Search, _call, ports) => ({
    results: await summariesOf(ports, await documents.search(searchOf(search))),
  })),
  'document.read': inDocuments(async (documents, args: { document_id: string }, _call, ports) => {
    const document = requireFound(await documents.document(args.document_id), 'document_not_found')
    const [summary] = await summariesOf(ports, [document])
    return { ...summary, text: document.text.replace(PASSWORD, '$1$2[removed]') }
  }),
  'document.list_folder': inDocuments(async (documents, { folder_id }: { folder_id: string }) => ({
    files: (await documents.filesIn(folder_id)).map(({ document_id, title }) => ({
      document_id,
      file_name: title,
    })),
  })),
  'document.create': inDocuments(
    async (documents, args: { company_id: string; title: string; text: string }, { key }) => {
      const { company_id: psa_company_id, title, text } = args
      const { document_id } = await documents.createDocument({ psa_company_id, title, text }, key)
      return { document_id }
    },
  ),
  'document.update': inDocuments(async (documents, args: { document_id: string; text: string }, { key }) => {
    const { document_id } = await documents.updateDocument(args.document_id, args.text, key)
    return { document_id }
  }),
}
