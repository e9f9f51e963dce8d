/** Stores the tool calls of agents: without secrets, and no more of each than the log keeps. */

import type { DatabaseContext } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { redact } from '../../../gateway/redact.ts'
import { argumentsHash } from '../../../lib/arguments-hash.ts'
import { newId } from '../../../lib/ids.ts'
import { storable } from '../../../lib/text.ts'
import { changeableColumns } from '../../../schema/changes/row-update.ts'
import type { Row } from '../../../schema/models.ts'
import { companyNameByPsaId } from '../../end-companies/index.ts'
import { storedArguments, storedText } from '../rules.ts'

/** The columns that the database sets, and those of the chain, which are set when an entry becomes a link of it. */
const SET_LATER = ['sequence', 'search_text', 'hash', 'previous_hash', 'chain_day', 'chain_position'] as const

type Omitted = 'tenant_id' | 'environment' | (typeof SET_LATER)[number]

type Stored = Omit<Row<'AuditEntry'>, Omitted | 'arguments'> & { arguments: unknown }

/** A tool call with its outcome. The entry has the name that its company has then. */
export type ToolCall = Omit<Stored, 'id' | 'arguments_truncated' | 'arguments_hash' | 'psa_company_name'>

type Entry = ToolCall & Pick<Stored, 'id' | 'arguments_truncated' | 'arguments_hash'>

const textOf = (text: string | null): string | null => text && storedText(redact(text) as string)

/** The columns of the call's entry. */
function entryOf(call: ToolCall): Entry {
  const { value, truncated } = storedArguments(redact(call.arguments))
  return {
    ...call,
    id: newId('aud'),
    arguments: value,
    arguments_truncated: truncated,
    arguments_hash: argumentsHash(storable(call.arguments ?? {})),
    result_summary: textOf(call.result_summary),
    error_message: textOf(call.error_message),
  }
}

const INSERT = insertOf('audit_log.record', 'AuditEntry', {
  columns: changeableColumns('AuditEntry', [...SET_LATER, 'psa_company_name']),
  computed: { psa_company_name: companyNameByPsaId('$psa_company_id') },
})

/** Stores the call, in the transaction of its effect if there is one. Returns the id of its entry. */
export async function recordToolCall(ctx: DatabaseContext, call: ToolCall): Promise<string> {
  const entry = entryOf(call)
  await insert(ctx, INSERT, entry)
  return entry.id
}
