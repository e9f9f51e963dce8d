import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Channels',
  slug: 'channels',
  description: 'CONVERSATIONAL agents that are bound to team-chat transports.',
  example: `
query Channels {
  channels(status: [ACTIVE, PAUSED], page_size: 20) {
    items { id name transport audience status status_reason agent { name } }
    pagination { next_cursor has_more }
  }
}

# mutation Bind {
#   create_channel(input: {
#     name: "Service desk", agent_id: 6, transport: SLACK, audience: TECHNICIANS, workspace_id: "T024BE7LD"
#   }) { id status }
# }`,
})
