/** The types of the tenant that other areas use: its kinds of callers and of people. */

import { CREDENTIAL_KINDS } from '../../access/credential-kinds.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import { DATA_RESIDENCIES } from './rules.ts'

export const PrincipalType = builder.enumType('PrincipalType', {
  description: 'What kind of credential was presented.',
  values: Object.fromEntries(CREDENTIAL_KINDS.map(({ type, description }) => [type, { description }])),
})

export const TenantRole = enumFrom('TenantRole')

/** The description of `data_residency`, in every type that has it. */
export const DATA_RESIDENCY = `Where the tenant’s data is kept: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DATA_RESIDENCIES)}.`
