import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Escalation',
  slug: 'escalation',
  description:
    'People take over what agents cannot finish. A policy says for which causes, how the ticket changes, and whom each step ' +
    'tells, until a person acknowledges the escalation: the first one has it. Support requests go to the operator of the service.',
  example: `
query WhoTakesOver {
  escalation_events(status: OPEN) {
    items { id trigger entity_number unanswered next_step_at notified { step name via at } }
    pagination { next_cursor has_more }
  }
}

# mutation TakeOver {
#   acknowledge_escalation(event_id: "esc_…") { id status acknowledged_by_name }
# }`,
})
