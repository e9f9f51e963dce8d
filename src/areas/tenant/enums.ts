/** The enumerations of the tenant: its kinds of callers and of people. */
import { CREDENTIAL_KINDS } from '../../access/credentials/credential-kinds.ts'
import { builder, enumFrom } from '../../schema/builder.ts'

export const PrincipalType = builder.enumType('PrincipalType', {
  description: 'The kind of credential that was presented.',
  values: Object.fromEntries(
    CREDENTIAL_KINDS.flatMap(({ type, description, named_only }) =>
      named_only ? [] : [[type, { description }]],
    ),
  ),
})

export const TenantRole = enumFrom('TenantRole')
