import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Integration syncs',
  slug: 'integration-syncs',
  description: 'What the service reads from the systems that are connected, and how far it is.',
  example: `
query LatestSyncs {
  integration_syncs(name: "connectwise-psa") {
    items { id status stages { stage status read added changed missing } finished_at }
    pagination { next_cursor has_more }
  }
}

# mutation Sync {
#   sync_integration(name: "connectwise-psa") { id status }
# }`,
})
