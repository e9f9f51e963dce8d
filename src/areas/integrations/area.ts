import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Integrations',
  slug: 'integrations',
  description:
    'The third-party systems the service works with, their connections, and wishes for more of them. OWNERs and ADMINs ' +
    'connect a system in the dashboard, and no answer has its credentials. If no system of a kind is connected, stand-ins ' +
    'of the service, which keep everything in its own database, serve the tenant’s agents.',
  example: `
query ConnectedIntegrations {
  integrations(connected: true) {
    items { id label category last_sync_at last_sync_status health }
    pagination { next_cursor has_more }
  }
}

# mutation AskForAnIntegration {
#   request_integration(
#     input: { vendor_name: "Acme Backup", use_case: "Read the result of last night's backups of a device." }
#   ) { id status created_at }
# }`,
})
