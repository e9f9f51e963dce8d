import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Memories',
  slug: 'memories',
  description: 'The facts that agents remember about the MSP, its customers, their devices and people.',
  example: `
query Memories {
  memories(scope_type: CLIENT, min_confidence: 0.7, page_size: 20) {
    items { id content category scope_id confidence pinned last_confirmed_at }
    pagination { next_cursor has_more }
  }
}

# mutation Remember {
#   create_memory(input: {
#     content: "Invoices are approved by the finance team on Thursdays.", category: PROCEDURAL,
#     scope_type: TENANT, audiences: [TECHNICIANS]
#   }) { id confidence }
# }`,
})
