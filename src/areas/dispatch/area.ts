import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Dispatch',
  slug: 'dispatch',
  description:
    'Who takes a ticket, and why. Rules give the pool of technicians for a ticket, a score with its parts and reasons ranks them, ' +
    'and a person applies the suggestion or chooses another technician; AUTO gives the ticket to the technician at once. The ' +
    'summary tells how often suggestions were right.',
  example: `
query WhoTakesIt {
  dispatch_decisions(status: SUGGESTED) {
    items {
      id ticket_number explanation chosen_technician_id
      candidates { name score parts { skills load availability familiarity } open_tickets reasons }
    }
    pagination { next_cursor has_more }
  }
}

# query WhenToTrustIt {
#   dispatch_summary { decisions applied overridden acceptance_rate_pct by_technician { name suggested applied overridden } }
# }

# mutation Preview {
#   preview_dispatch(input: { ticket_id: "4711" }) { explanation candidates { name score reasons } }
# }

# mutation Apply {
#   apply_dispatch_decision(decision_id: "dsp_…") { id status applied_at }
# }`,
})
