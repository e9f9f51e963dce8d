/** The columns of an entry that its hash is of. */
import type { HashedEntry } from './chain.ts'

const COLUMNS: Record<keyof HashedEntry, true> = {
  tenant_id: true,
  environment: true,
  id: true,
  occurred_at: true,
  sequence: true,
  agent_id: true,
  agent_name: true,
  execution_id: true,
  temporal_run_id: true,
  tool_name: true,
  tool_title: true,
  system: true,
  access: true,
  outcome: true,
  arguments: true,
  arguments_truncated: true,
  arguments_hash: true,
  result_summary: true,
  error_code: true,
  error_message: true,
  duration_ms: true,
  entity_id: true,
  entity_number: true,
  psa_company_id: true,
  psa_company_name: true,
  supervised: true,
  til_request_id: true,
  decided_by_name: true,
  acting_user_id: true,
  request_id: true,
  correlation_id: true,
  previous_hash: true,
}

export const HASHED_COLUMNS = Object.keys(COLUMNS)
