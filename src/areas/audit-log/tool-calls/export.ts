/** Exports of the audit log: a signed URL, and the file behind it. */

import { signedUrl } from '../../../access/credentials/signed-url.ts'
import { admins } from '../../../access/policies/policies.ts'
import { callerOf } from '../../../access/viewer.ts'
import type { Context } from '../../../gateway/context.ts'
import type { Download } from '../../../gateway/download.ts'
import { BASE_PATH } from '../../../lib/api.ts'
import { csvLine } from '../../../lib/csv.ts'
import { builder, described } from '../../../schema/builder.ts'
import { area } from '../area.ts'
import { startOf } from '../rules.ts'
import { checkLogWindow } from '../window.ts'
import type { AuditEntryRow } from './audit-entry.ts'
import { AUDIT_FILTERS, AUDIT_LOG } from './queries.ts'

/** The fields of a line, in the order of the type. */
const FIELDS = [
  'id',
  'occurred_at',
  'agent_id',
  'agent_name',
  'execution_id',
  'temporal_run_id',
  'tool_name',
  'tool_title',
  'system',
  'access',
  'outcome',
  'arguments',
  'arguments_truncated',
  'arguments_hash',
  'result_summary',
  'error_code',
  'error_message',
  'duration_ms',
  'entity_id',
  'entity_number',
  'psa_company_id',
  'psa_company_name',
  'supervised',
  'til_request_id',
  'decided_by_name',
  'acting_user_id',
  'api_key_id',
  'api_key_name',
  'request_id',
  'correlation_id',
  'sequence',
  'hash',
  'previous_hash',
] satisfies (keyof AuditEntryRow)[]

const WANTED: ReadonlySet<string> = new Set(FIELDS)

const jsonLine = (row: AuditEntryRow): string =>
  `${JSON.stringify(Object.fromEntries(FIELDS.map((field) => [field, row[field]])))}\n`

function cellOf(field: (typeof FIELDS)[number], value: AuditEntryRow[typeof field]): string | null {
  if (field === 'arguments') return JSON.stringify(value)
  if (value instanceof Date) return value.toISOString()
  return value === null ? null : String(value)
}

const csvRow = (row: AuditEntryRow): string => csvLine(FIELDS.map((field) => cellOf(field, row[field])))

interface Format {
  description: string
  content_type: string
  head: string
  line: (row: AuditEntryRow) => string
}

const FORMATS = {
  ndjson: {
    description: 'One JSON object on each line, with the fields of an entry.',
    content_type: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: jsonLine,
  },
  csv: {
    description:
      'Comma-separated values (RFC 4180) below a line of names. Text that a spreadsheet would run as a formula begins ' +
      'with an apostrophe.',
    content_type: 'text/csv; charset=utf-8; header=present',
    head: csvLine(FIELDS),
    line: csvRow,
  },
} satisfies Record<string, Format>

type FormatName = keyof typeof FORMATS

const MAX_PAGE = 200

const instantOf = (text: unknown): Date => new Date(String(text))

/** The lines of the rows, page by page: no transaction is open while the client takes them. */
async function* linesOf(
  ctx: Context,
  { head, line }: Format,
  filters: Record<string, unknown>,
): AsyncGenerator<string> {
  if (head !== '') yield head
  const args = { ...filters, from: instantOf(filters.from), to: instantOf(filters.to), page_size: MAX_PAGE }
  let cursor: string | null = null
  do {
    const { items, pagination } = await AUDIT_LOG.page(ctx, { ...args, cursor }, WANTED)
    if (items.length > 0) yield items.map(line).join('')
    cursor = pagination.next_cursor
  } while (cursor)
}

const ACCESS = admins('audit_log:read')

export const AUDIT_LOG_DOWNLOAD: Download = {
  name: 'audit_log_download',
  path: `${BASE_PATH}/downloads/audit-log`,
  access: ACCESS,
  open(ctx, { format: name, filters }) {
    const format: Format = FORMATS[name as FormatName]
    const { content_type } = format
    const chunks = linesOf(ctx, format, filters as Record<string, unknown>)
    return { content_type, file_name: `audit-log.${name}`, chunks }
  },
}

const LIFETIME_MS = 5 * 60 * 1000

const AuditLogExportFormat = builder.enumType('AuditLogExportFormat', {
  description: 'The form of an exported file.',
  values: described<FormatName>({
    ndjson: FORMATS.ndjson.description,
    csv: FORMATS.csv.description,
  }),
})

interface Export {
  download_url: string
  expires_at: Date
  format: FormatName
}

const AuditLogExport = builder.objectRef<Export>('AuditLogExport').implement({
  description: 'The address of a file with tool calls.',
  fields: (t) => ({
    // Contract silent: addresses are relative to the base address, which the service does not know behind a proxy.
    download_url: t.exposeString('download_url', {
      description:
        'The path and query of the file, below the base address of the service. Its holder can read the file until ' +
        'it expires, without a credential, as long as the key or user who asked for it may ask for it. At most two files of a tenant are sent at the same time.',
    }),
    expires_at: t.expose('expires_at', {
      type: 'DateTime',
      description:
        'The instant from which the address is no longer taken. A download that has begun goes on.',
    }),
    format: t.expose('format', { type: AuditLogExportFormat, description: 'The form of the file.' }),
  }),
})

area.query('audit_log_export', (t) =>
  t.field({
    type: AuditLogExport,
    description:
      'Gives the address of a file with the tool calls that the filters of `audit_log` let through, in its order. The ' +
      'address is good for five minutes, and the file has the calls up to the moment of this request.',
    rest: { method: 'GET', path: '/audit-log/export' },
    access: ACCESS,
    errors: ['invalid_window'],
    args: {
      format: t.arg({
        type: AuditLogExportFormat,
        defaultValue: 'ndjson',
        description: 'The form of the file.',
      }),
      ...AUDIT_FILTERS,
    },
    resolve: (_root, { format: chosen, ...given }, ctx) => {
      checkLogWindow(ctx, 'audit_log', given)
      const format = chosen ?? 'ndjson'
      const { now, services } = ctx
      const filters = { ...given, from: startOf('audit_log', given.from, now), to: given.to ?? now }
      const expires_at = new Date(Math.floor(now.getTime() / 1000) * 1000 + LIFETIME_MS)
      const { path } = AUDIT_LOG_DOWNLOAD
      const parameters = { format, filters }
      const download_url = signedUrl(services.signing_secrets, path, callerOf(ctx), parameters, expires_at)
      return { download_url, expires_at, format }
    },
  }),
)
