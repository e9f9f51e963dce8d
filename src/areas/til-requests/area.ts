import { approvalAlways } from '../../schema/approval.ts'
import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'TIL requests',
  slug: 'til-requests',
  description:
    'Technician in the loop: what agents and callers ask technicians to approve or to answer. A request is seen ' +
    'by callers who see its agent, and by the technicians who may decide it.',
  approval: approvalAlways('TECHNICIANS'),
  example: `
query WaitsForMe {
  til_requests(status: PENDING, assigned_to_me: true) {
    items { id kind title summary arguments expires_at execution { execution_id entity_number } }
    pagination { next_cursor has_more }
  }
}

# mutation Approve {
#   approve_til_request(til_request_id: "til_…") { status decided_by_name execution { execution_id status } }
# }

# query RejectedWrites {
#   til_requests(kind: WRITE, status: REJECTED, page_size: 20) {
#     items { id title tool_name decided_by_name decision_comment reason_code closed_at }
#   }
# }`,
})
