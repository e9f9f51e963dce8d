/** The local documentation system: an adapter of the port that keeps everything in the service's own database. */
import { scoped, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import { newId } from '../../lib/ids.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { DocumentSummary, Documents, DocumentsConnector, DocumentWithText } from '../documents.ts'
import type { PortContext } from '../port.ts'
import { need, once, outcomesOf } from './once.ts'

const COLUMNS = 'd.document_id, d.psa_company_id, d.title, d.updated_at'
const OWN = 'from local_document d where d.tenant_id = $1 and d.environment = $2'

const SUMMARY = scoped('documents.summary', `select ${COLUMNS} ${OWN} and d.document_id = $3::text`)

const READ = scoped('documents.read', `select ${COLUMNS}, d.text ${OWN} and d.document_id = $3::text`)

const SEARCH = scoped(
  'documents.search',
  `select ${COLUMNS} ${OWN} and ($3::text is null or d.psa_company_id = $3::text)
     and ${searchable(`d.title || ' ' || d.text`)} like all($4::text[])
   order by d.updated_at desc, d.document_id limit $5::int`,
)

const FILES = scoped(
  'documents.files',
  `select ${COLUMNS} ${OWN} and d.folder_id = $3::text order by lower(d.title), d.document_id`,
)

const COMPANY = scoped(
  'documents.company',
  `select c.psa_company_id from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text`,
)

const CREATE = insertOf('documents.create', 'LocalDocument', {
  columns: ['document_id', 'psa_company_id', 'title', 'text', 'updated_at'],
})

const KEEP_VERSION = scoped(
  'documents.keep_version',
  `insert into local_document_version (tenant_id, environment, version_id, document_id, text, replaced_at)
   select d.tenant_id, d.environment, $4::text, d.document_id, d.text, $5::timestamptz
   ${OWN} and d.document_id = $3::text for update
   returning version_id`,
)

const REPLACE = scoped(
  'documents.replace',
  `update local_document d set text = $4::text, updated_at = greatest(d.updated_at, $5::timestamptz)
   where d.tenant_id = $1 and d.environment = $2 and d.document_id = $3::text`,
)

const connect = (ctx: PortContext): Documents => {
  const summary = (id: string) => need(sql<DocumentSummary>(ctx, SUMMARY, [id]), 'DOCUMENT_NOT_FOUND')
  return {
    search: ({ words, psa_company_id, limit }) =>
      sql<DocumentSummary>(ctx, SEARCH, [psa_company_id, wordPatterns(words), limit]),
    document: async (id) => (await sql<DocumentWithText>(ctx, READ, [id]))[0] ?? null,
    filesIn: (folder_id) => sql<DocumentSummary>(ctx, FILES, [folder_id]),
    async createDocument({ psa_company_id, title, text }, key) {
      const id = newId('doc')
      const made = await once(ctx, 'DOCUMENTATION', key, id, async (own) => {
        await need(sql(own, COMPANY, [psa_company_id]), 'COMPANY_NOT_FOUND')
        await insert(own, CREATE, { document_id: id, psa_company_id, title, text, updated_at: ctx.now })
      })
      return await summary(made)
    },
    async updateDocument(document_id, text, key) {
      const changed = await once(ctx, 'DOCUMENTATION', key, document_id, async (own) => {
        await need(sql(own, KEEP_VERSION, [document_id, newId('dov'), ctx.now]), 'DOCUMENT_NOT_FOUND')
        await sql(own, REPLACE, [document_id, text, ctx.now])
      })
      return await summary(changed)
    },
    outcomeOf: outcomesOf(ctx, 'DOCUMENTATION'),
  }
}

export const localDocuments: DocumentsConnector = Object.assign(connect, {
  joins_transactions: true as const,
})
