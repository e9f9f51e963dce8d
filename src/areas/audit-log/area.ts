import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Audit Log',
  slug: 'audit-log',
  description:
    'Every tool call that the agents made in the last 30 days, seen by callers who see the agent, and for admins every ' +
    'change that people and programs made in the last 400 days.',
  example: `
query FailedWrites {
  audit_log(access: WRITE, outcome: [FAILED, DENIED], page_size: 20) {
    items { occurred_at agent_name tool_title system outcome error_message entity_number psa_company_name }
    pagination { next_cursor has_more }
  }
}

# query ToolCallsByTool {
#   audit_log_summary(group_by: TOOL) { window { from to } groups { label total succeeded failed denied } }
# }

# query Changes {
#   activity_log(page_size: 20) {
#     items { occurred_at action actor { type name } targets { type name } before after }
#   }
# }`,
})
