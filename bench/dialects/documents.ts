/** What both GraphQL servers are asked for, and how. */
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import type { Request } from '../questions.ts'

export const LINK = `system external_id external_name psa_company_id psa_company_name link_state match_method confidence
  is_primary mapped_by mapped_at revision`
export const EXECUTION = `execution_id agent_id agent_name status resolution trigger supervised entity_id entity_number
  processed_sub_entity_ids seconds_spent hours_saved credits_consumed run_count pending_til_request_count error failure_kind error_code
  message_for_dashboard additional_custom_instructions retry_of_execution_id callback_id created_at updated_at
  started_at finished_at`
export const SUMMARY = `window { from to timezone } total_executions successful_executions failed_executions fully_resolved_executions
  partially_resolved_executions unique_tickets total_seconds_spent total_hours_saved credits_consumed
  total_tickets_received earliest_execution_at earliest_time_entry_at`
export const AGENT =
  'name state autonomy_type trigger_type entity_type supervised created_by_name created_at updated_at'
export const LATEST = `execution_id status resolution entity_number seconds_spent message_for_dashboard created_at
  finished_at`
export const SETTINGS = `data_residency referral_code start_business_hours end_business_hours
  human_friendly_client_name sleep_before_callback_processing_seconds timezone revision`

export const FUNNEL = `window { since until timezone }
  callbacks { received filtered_out processed failed in_flight unique_entities webhook_delivery_p95_seconds
    by_change_type { ${CHANGE_TYPES.join(' ')} } }
  concurrency_cap { exhausted_count max_wait_seconds p95_wait_seconds }
  events_processed { count p95_actual_work_seconds p95_configured_sleep_seconds p95_total_duration_seconds }
  psa_api { calls failures p95_wait_seconds limited_count max_limit_wait_seconds p95_limit_wait_seconds }
  workflows_triggered { finished useful_vs_evaluated_ratio_pct }`
export const TOOL_CALL = `id occurred_at agent_id agent_name execution_id temporal_run_id tool_name tool_title system access
  outcome arguments arguments_truncated arguments_hash result_summary error_code error_message duration_ms entity_id entity_number
  psa_company_id psa_company_name supervised til_request_id decided_by_name acting_user_id api_key_id api_key_name
  request_id correlation_id sequence hash previous_hash`
export const MEMORY = `id state content category audiences scope_type scope_id derivation confidence evidence created_by
  created_by_user_name test_mode pinned_at last_confirmed_at superseded_by supersedes_id deleted_at created_at revision`

export function post(key: string, query: string, variables: object): Request {
  return { method: 'POST', path: '/graphql', body: JSON.stringify({ query, variables }), key }
}

/** The same, with variables that are others each time. */
export const postEach = (key: string, query: string, variables: () => object): Request => ({
  ...post(key, query, {}),
  body: () => JSON.stringify({ query, variables: variables() }),
})

/** The value of the one field that was asked for. */
export function only(body: unknown): Record<string, unknown> {
  const { data, errors } = body as { data?: Record<string, unknown>; errors?: unknown }
  const [value] = Object.values(data ?? {})
  if (errors || !value) throw new Error(`A GraphQL error: ${JSON.stringify(body).slice(0, 500)}`)
  return value as Record<string, unknown>
}
