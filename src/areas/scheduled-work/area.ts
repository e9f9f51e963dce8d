import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Scheduled work',
  slug: 'scheduled-work',
  description: 'Runs of TRIGGERED agents that are queued for a time.',
  example: `
query NextRuns {
  scheduled_work(status: PENDING, sort: scheduled_for, page_size: 10) {
    items { id scheduled_for workflow_name ticket_number created_by }
    pagination { next_cursor has_more }
  }
}

# mutation Reschedule {
#   reschedule_work(entry_id: 1, input: { scheduled_for: "2027-01-04T08:00:00Z" }) { id scheduled_for revision }
# }`,
})
