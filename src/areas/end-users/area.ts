import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'End users',
  slug: 'end-users',
  description: 'The people at the customers of the MSP, and the tickets that they see in its team-chat app.',
  example: `
query EndUsers {
  end_users(is_vip: true, page_size: 20) {
    items { id name email end_company_name last_ticket_at }
    pagination { next_cursor has_more }
  }
}`,
})
