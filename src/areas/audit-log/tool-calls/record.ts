/** Stores the tool calls of agents: without secrets, and no more of each than the log keeps. */
import type { DatabaseContext } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { redact } from '../../../gateway/redact.ts'
import { argumentsHash } from '../../../lib/arguments-hash.ts'
import { newId } from '../../../lib/ids.ts'
import { storable } from '../../../lib/text.ts'
import type { Row } from '../../../schema/models.ts'
import { companyNameByPsaId } from '../../end-companies/index.ts'
import { storedArguments, storedText } from '../rules.ts'

type OfTheChain = 'hash' | 'previous_hash' | 'chain_day' | 'chain_position'

type KeptByDatabase = 'tenant_id' | 'environment' | 'sequence' | 'search_text' | OfTheChain

type Stored = Omit<Row<'AuditEntry'>, KeptByDatabase | 'arguments'> & { arguments: unknown }

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
  columns: [
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
    'supervised',
    'til_request_id',
    'decided_by_name',
    'acting_user_id',
    'api_key_id',
    'api_key_name',
    'request_id',
    'correlation_id',
  ],
  computed: { psa_company_name: companyNameByPsaId('$psa_company_id') },
})

/** Stores the call, in the transaction of its effect if there is one. Returns the id of its entry. */
export async function recordToolCall(ctx: DatabaseContext, call: ToolCall): Promise<string> {
  const entry = entryOf(call)
  await insert(ctx, INSERT, entry)
  return entry.id
}
