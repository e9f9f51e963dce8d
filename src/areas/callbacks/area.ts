import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Callbacks',
  slug: 'callbacks',
  description:
    'The webhook events of the PSA, and why each of them made agents run or did not. Events are kept for 30 days. ' +
    'Matches are seen by callers who see their agent.',
  example: `
query WhyNothingRan {
  callbacks(matched: false, status: PROCESSED, page_size: 10) {
    items {
      id change_types entity_type entity_number received_at
      matches(page_size: 10) {
        items { agent_name result reason_code failed_conditions { field operator expected actual } }
      }
    }
    pagination { next_cursor has_more }
  }
}

# query OfOneTicket {
#   callbacks(entity_type: TICKET, entity_id: "120001") {
#     items { id status change_types matched_count execution_ids }
#   }
# }`,
})
