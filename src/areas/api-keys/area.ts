import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'API keys',
  slug: 'api-keys',
  description: 'The keys of service accounts. Admin dashboard JWT only.',
  example: `
query Keys {
  api_keys(status: ACTIVE) { items { id name scopes expires_at last_used_at } pagination { next_cursor } }
}

# mutation Create {
#   create_api_key(input: { name: "Nightly sync", scopes: ["end_companies:read"], expires_in_days: 90 }) {
#     id key expires_at
#   }
# }

# mutation Rotate {
#   rotate_api_key(key_id: "key_spare") { id key expires_at }
# }`,
})
