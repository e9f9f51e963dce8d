import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Executions',
  slug: 'executions',
  description: 'The runs of agents. Executions are seen by callers who see their agent.',
  example: `
query WaitingExecutions {
  executions(status: [WAITING_FOR_APPROVAL, WAITING_FOR_INPUT], page_size: 20) {
    items { execution_id agent_name status entity_number message_for_dashboard created_at }
    pagination { next_cursor has_more }
  }
}

# subscription Follow {
#   execution_updates { id execution { execution_id agent_name status message_for_dashboard } }
# }

# query ResolvedByAgent {
#   executions(agent_id: 1, resolution: FULL, from: "2026-01-01") {
#     items { execution_id entity_number seconds_spent hours_saved credits_consumed }
#   }
# }`,
})
