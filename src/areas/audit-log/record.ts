/** Stores the tool calls of agents: without secrets, and no more of each than the log keeps. */
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'
import { redact } from '../../gateway/redact.ts'
import { argumentsHash } from '../../lib/arguments-hash.ts'
import { newId } from '../../lib/ids.ts'
import { storable } from '../../lib/text.ts'
import type { Row } from '../../schema/models.ts'
import { storedArguments, storedText } from './rules.ts'

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

const TYPES: Record<keyof Entry, string> = {
  id: 'text',
  occurred_at: 'timestamptz',
  agent_id: 'int',
  agent_name: 'text',
  execution_id: 'text',
  temporal_run_id: 'text',
  tool_name: 'text',
  tool_title: 'text',
  system: 'text',
  access: 'text::tool_access',
  outcome: 'text::audit_outcome',
  arguments: 'jsonb',
  arguments_truncated: 'boolean',
  arguments_hash: 'text',
  result_summary: 'text',
  error_code: 'text',
  error_message: 'text',
  duration_ms: 'int',
  entity_id: 'text',
  entity_number: 'text',
  psa_company_id: 'text',
  supervised: 'boolean',
  til_request_id: 'text',
  decided_by_name: 'text',
  acting_user_id: 'text',
  request_id: 'text',
  correlation_id: 'text',
}

const COLUMNS = Object.keys(TYPES) as (keyof Entry)[]
const FIRST_OWN = 3

const parameterOf = (column: keyof Entry): string =>
  `$${FIRST_OWN + COLUMNS.indexOf(column)}::${TYPES[column]}`

const INSERT = scopedInsert(
  'audit_log.record',
  `insert into audit_entry (tenant_id, environment, ${COLUMNS.join(', ')}, psa_company_name)
   values ($1, $2, ${COLUMNS.map(parameterOf).join(', ')}, (
     select c.name from end_company c
     where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = ${parameterOf('psa_company_id')}
   ))`,
)

/** Stores the call, in the transaction of its effect where there is one. Returns the id of its entry. */
export async function recordToolCall(ctx: DatabaseContext, call: ToolCall): Promise<string> {
  const entry = entryOf(call)
  const values = { ...entry, arguments: JSON.stringify(entry.arguments) }
  await sql(
    ctx,
    INSERT,
    COLUMNS.map((column) => values[column]),
  )
  return entry.id
}
