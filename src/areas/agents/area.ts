import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Agents',
  slug: 'agents',
  description:
    'The agents that work for the MSP. OWNER, ADMIN and API keys with no acting user see all of them; USER ' +
    'and VIEWER see those that they created or that were shared with them.',
  example: `
query Agents {
  agents(state: ACTIVE, sort: name, page_size: 20) {
    items {
      id name autonomy_type trigger_type supervised last_run_at
      executions(page_size: 5) { items { execution_id status entity_number created_at } }
    }
    pagination { next_cursor has_more }
  }
}

# query WholeAgent {
#   agent(agent_id: 1) { name state agent_settings toolbox integrations ticket_conditions }
# }

# mutation WouldItRun {
#   run_agent_now(agent_id: 9, input: { entity_id: "150000", dry_run: true }) { status already_live supervised }
# }`,
})
