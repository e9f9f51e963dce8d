import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Webhooks',
  slug: 'webhooks',
  description:
    'Events are sent to addresses of the tenant as they happen: signed by Standard Webhooks, at least once, each under one ' +
    '`webhook-id`, which a receiver knows a repeated one by. An endpoint gets the events that its creator sees. An attempt ' +
    'that fails is repeated for three days; an endpoint that takes nothing for five days is turned off. The docs have a ' +
    'receiver in ten lines.',
  example: `
query Endpoints {
  webhook_endpoints {
    items { id url event_types status disabled_reason last_success_at failing_since }
    pagination { next_cursor has_more }
  }
}

# mutation Subscribe {
#   create_webhook_endpoint(
#     input: { url: "https://hooks.example.com/automation", event_types: ["execution.failed", "til_request.*"] }
#   ) { id secret }
# }`,
})
