import { approvalAlways } from '../../schema/approval.ts'
import { defineArea } from '../../schema/builder.ts'

export const area = defineArea({
  name: 'Tenant',
  slug: 'tenant',
  description: 'The tenant, who calls, the people of its dashboard, and what its agents may do unasked.',
  approval: approvalAlways('TECHNICIANS'),
  example: `
query WhoAmI {
  me { principal_type name role scopes limits { name limit remaining reset_at } }
  tenant { name environment psa_type psa_connected }
}

# query Users {
#   tenant_users(role: ADMIN) { items { id name email last_seen_at } }
# }

# mutation AskFirst {
#   update_permission_group(name: "TICKETS", input: { requires_approval: true }) { name requires_approval }
# }`,
})
