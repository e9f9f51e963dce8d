import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Performance',
  slug: 'performance',
  description: 'The work of the agents, and the time that it saved.',
  example: `
query Performance {
  performance_summary {
    window { from to timezone }
    total_executions successful_executions failed_executions
    unique_tickets total_tickets_received total_hours_saved credits_consumed
  }
}

# query EveryDay {
#   performance_timeseries(granularity: DAY) {
#     buckets { start total_executions successful_executions total_hours_saved credits_consumed }
#   }
# }

# query BestAgents {
#   performance_by_agent(sort: total_hours_saved, page_size: 5) {
#     items { agent_name total_executions total_hours_saved unique_tickets last_run_at }
#   }
# }`,
})
