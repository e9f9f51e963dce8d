import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Billing',
  slug: 'billing',
  description: 'The subscription, and the credits that the agents use.',
  example: `
query Billing {
  billing_subscription { status plan_name current_period_end credits_included credits_used credits_remaining }
}

# query CreditsByAgent {
#   billing_usage(granularity: WEEK, group_by: AGENT) {
#     total_credits buckets { start end credits executions chat_messages groups { label credits } }
#   }
# }

# mutation AlertEarlier {
#   update_billing_alerts(input: { thresholds_pct: [50, 80, 100] }) { thresholds_pct }
# }`,
})
