/** The operations that the contract names, with what it names in them, and the test that each works. */
import type { Proof } from './row.ts'

interface Named {
  /** Parameters, and fields of the body. */
  takes?: string
  /** Fields of `data`, in lists and objects of it by a path. */
  answers?: string
  proof: Proof
}

export const OPERATIONS: Record<string, Named> = {
  'GET /company-links': {
    takes: 'system status psa_company_id search page_size cursor',
    answers: `links.system links.external_id links.external_name links.psa_company_id links.psa_company_name
      links.link_state links.match_method links.confidence links.is_primary links.mapped_by links.mapped_at
      counts.total counts.mapped counts.unmapped`,
    proof: ['areas/company-links/list.test.ts', 'answer every field of the contract'],
  },
  'POST /api-keys/{key_id}/rotate': {
    answers: 'id name key created_at expires_at',
    proof: [
      'areas/api-keys/rotate.test.ts',
      'are rotated: the replacement is the same but for its secret, and both work for 24 hours',
    ],
  },
  'DELETE /api-keys/{key_id}': {
    proof: ['areas/api-keys/revoke.test.ts', 'are refused from the next request after their revocation on'],
  },
  'POST /integrations/requests': {
    takes: 'use_case vendor_name can_share_test_key docs_url access',
    answers: `id access can_share_test_key created_at docs_url has_spec_file requested_by_name use_case
      vendor_name`,
    proof: ['areas/integrations/request.test.ts', 'keeps everything that is said, at its longest'],
  },
  'GET /settings': {
    answers: `data_residency referral_code start_business_hours end_business_hours human_friendly_client_name
      sleep_before_callback_processing_seconds timezone`,
    proof: ['areas/settings.test.ts', 'are read by every role and by a key'],
  },
  'PUT /settings': {
    takes: `end_business_hours start_business_hours human_friendly_client_name
      sleep_before_callback_processing_seconds timezone`,
    answers: 'data_residency referral_code timezone',
    proof: ['areas/settings.test.ts', 'change only in the fields that are given'],
  },
  'PUT /technician-schedules/{schedule_id}': {
    takes: 'name timezone windows.day windows.start_time windows.end_time',
    answers: `id name technician_ids timezone updated_at updated_by_user windows.day windows.start_time
      windows.end_time`,
    proof: [
      'areas/technicians/schedules.test.ts',
      'that is replaced has the new content, in the name of who replaced it',
    ],
  },
  'PUT /company-filters': {
    takes: 'filters.field_name filters.selected_options.id filters.selected_options.name',
    answers: 'psa_type removable.companies.name removable.companies.psa_company_id removable.count',
    proof: [
      'areas/company-filters/filters.test.ts',
      'widen the scope at once, and only list what no longer fits',
    ],
  },
  'POST /company-filters/remove-unmatched': {
    proof: [
      'areas/company-filters/remove-unmatched.test.ts',
      'are removed all together, or those that are named',
    ],
  },
  'GET /schemas/agents': {
    answers: 'rules.code',
    proof: ['areas/schemas/agents.test.ts', 'has the whole matrix'],
  },
  'GET /schemas/tools': {
    proof: ['areas/schemas/tools.test.ts', 'say of a tool what it takes, and how it is granted'],
  },
  'GET /schemas/callback-change-options': {
    proof: ['areas/schemas/change-options.test.ts', 'are every change of the catalogue, with what each is'],
  },
  'GET /scheduled-work': {
    takes: 'status ticket_id search page page_size',
    answers: `id status scheduled_for created_at updated_at executed_at created_by client_id ticket_id
      ticket_number workflow_id workflow_name additional_custom_instructions execution_message
      execution_temporal_run_id`,
    proof: ['areas/scheduled-work.test.ts', 'is queued for a time, with every field of the contract'],
  },
  'GET /performance/summary': {
    takes: 'from to autonomy_type',
    answers: `credits_consumed failed_executions fully_resolved_executions partially_resolved_executions
      successful_executions total_executions total_hours_saved total_seconds_spent total_tickets_received
      unique_tickets earliest_execution_at earliest_time_entry_at`,
    proof: ['areas/performance/summary.test.ts', 'has every field of the contract, and counts what it says'],
  },
  'GET /executions/{execution_id}': {
    answers: `execution_id agent_id agent_name status supervised entity_id entity_number
      processed_sub_entity_ids seconds_spent error message_for_dashboard additional_custom_instructions
      created_at updated_at`,
    proof: ['areas/executions/list.test.ts', 'answer every field in order, alone and in the list'],
  },
  'GET /memories/{memory_id}': {
    answers: `id audiences category confidence content created_at deleted_at last_confirmed_at pinned_at
      created_by created_by_user_name derivation evidence pinned restricted_to_agent_ids scope_id scope_type
      superseded_by supersedes_id test_mode`,
    proof: ['areas/memories.test.ts', 'are kept with every field of the contract'],
  },
  'DELETE /technicians/{profile_id}': {
    answers: `id psa_id name profile profile_status custom_instructions is_ready update_automatically
      updated_at`,
    proof: [
      'areas/technicians/delete.test.ts',
      'clears the profile and the instructions, and leaves the row, not ready',
    ],
  },
  'GET /integrations': {
    proof: ['areas/integrations/list.test.ts', 'are listed, connected or not, by label'],
  },
  'GET /integrations/chat-app': {
    answers: `available workspace.installed_at workspace.installer_email workspace.team_id
      workspace.team_name`,
    proof: ['areas/integrations/chat-app.test.ts', 'shows the workspace it is installed in'],
  },
  'GET /integrations/{name}': {
    answers: 'id label category connected glyph logo_path last_sync_at last_sync_status',
    proof: [
      'areas/integrations/list.test.ts',
      'show what the tenant has connected in this environment, and nobody else’s',
    ],
  },
  'GET /observability/callback-funnel': {
    takes: 'since until',
    answers: `callbacks.by_change_type callbacks.filtered_out callbacks.received callbacks.unique_entities
      callbacks.webhook_delivery_p95_seconds concurrency_cap.exhausted_count concurrency_cap.max_wait_seconds
      concurrency_cap.p95_wait_seconds events_processed.count events_processed.p95_actual_work_seconds
      events_processed.p95_configured_sleep_seconds events_processed.p95_total_duration_seconds
      psa_api.calls psa_api.failures psa_api.p95_wait_seconds window.since window.until window.timezone
      workflows_triggered.finished workflows_triggered.useful_vs_evaluated_ratio_pct`,
    proof: ['areas/observability/funnel.test.ts', 'has every field of the contract, and counts what it says'],
  },
  'GET /agents': {
    proof: [
      'areas/agents/read.test.ts',
      'answer every field in order, the config objects alone with the agent',
    ],
  },
  'POST /agents': {
    takes: `autonomy_type agent_settings toolbox integrations schedule callback_settings actions
      ticket_conditions time_entry_conditions`,
    proof: [
      'areas/agents/create.test.ts',
      'of the kind %s is stored as it was sent, as a DRAFT of its creator',
    ],
  },
  'GET /agents/{agent_id}': {
    answers: `agent_settings agent_settings_edits toolbox integrations schedule callback_settings actions
      ticket_conditions time_entry_conditions`,
    proof: [
      'areas/agents/read.test.ts',
      'answer every field in order, the config objects alone with the agent',
    ],
  },
  'PUT /agents/{agent_id}': {
    takes: `agent_settings agent_settings_edits toolbox integrations schedule callback_settings actions
      ticket_conditions time_entry_conditions`,
    answers: 'id name state created_at updated_at',
    proof: ['areas/agents/update.test.ts', 'the fields that are given, and answers with a summary'],
  },
  'PATCH /agents/{agent_id}': {
    takes: `agent_settings agent_settings_edits toolbox integrations schedule callback_settings actions
      ticket_conditions time_entry_conditions`,
    answers: 'id name state created_at updated_at',
    proof: ['areas/agents/update.test.ts', 'the fields that are given, and answers with a summary'],
  },
  'POST /agents/{agent_id}/run-now': {
    takes: 'supervised_run',
    answers: 'execution_id',
    proof: ['areas/agents/run-now.test.ts', 'stores an execution that is NEW, its job and one activity'],
  },
  'GET /til-requests': {
    answers: 'initiating_temporal_run_id',
    proof: [
      'areas/til-requests/list.test.ts',
      'are listed open ones first, from the oldest on, then closed ones, from the last closed on',
    ],
  },
  'GET /executions/{execution_id}/til-requests': {
    answers: 'initiating_temporal_run_id',
    proof: [
      'areas/til-requests/list.test.ts',
      'of an execution are only its own, and none if it is from before 12 August 2026',
    ],
  },
  'GET /documentation/quota': {
    proof: [
      'areas/documentation.test.ts',
      'counts bytes beyond 32 bits and files, against the tenant’s own allowance',
    ],
  },
  'GET /audit-log': {
    proof: ['areas/audit-log/list.test.ts', 'answers every field, alone and in lists'],
  },
  'GET /health': { proof: ['areas/meta.test.ts', 'is told to anyone, without what it is made of'] },
  'GET /end-user/tickets': {
    answers: `closed_window_days open.ticket_id open.reference open.title open.status open.url
      open.created_at open.updated_at open.closed_at recently_closed.ticket_id state`,
    proof: [
      'areas/end-users/tickets.test.ts',
      'are the open ones and those closed in 30 days, each in its order',
      'rest',
    ],
  },
}
