import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Observability',
  slug: 'observability',
  description: 'The health of the service for the tenant: callbacks, executions and calls to other systems.',
  example: `
query CallbackFunnel {
  callback_funnel {
    window { since until timezone }
    callbacks { received filtered_out processed failed in_flight webhook_delivery_p95_seconds }
    concurrency_cap { exhausted_count p95_wait_seconds max_wait_seconds }
    events_processed { count p95_total_duration_seconds }
    workflows_triggered { finished useful_vs_evaluated_ratio_pct }
  }
}

# query Health {
#   execution_health(granularity: HOUR) { buckets { start started completed failed waiting p95_seconds } }
#   integration_health { name calls failure_pct last_error_at }
# }`,
})
