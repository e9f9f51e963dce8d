/** What other areas may know of the tenant: which kinds of callers and of people it has. */

import { CREDENTIAL_KINDS } from '../../access/credential-kinds.ts'
import type { Role } from '../../access/roles.ts'
import { builder } from '../../schema/builder.ts'
import { DATA_RESIDENCIES } from './rules.ts'

export const PrincipalType = builder.enumType('PrincipalType', {
  description: 'What kind of credential was presented.',
  values: Object.fromEntries(CREDENTIAL_KINDS.map(({ type, description }) => [type, { description }])),
})

export const TenantRole = builder.enumType('TenantRole', {
  description: 'What a person may do in the dashboard; each role may do what those after it may.',
  values: {
    OWNER: { description: 'Everything, the role OWNER and billing included.' },
    ADMIN: { description: 'Everything but the role OWNER and billing changes.' },
    USER: { description: 'Reads everything, and works with agents that are their own or shared.' },
    VIEWER: { description: 'Reads.' },
  } satisfies Record<Role, object>,
})

/** The description of `data_residency`, in every type that has it. */
export const DATA_RESIDENCY = `Where the tenant’s data is kept: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DATA_RESIDENCIES)}.`
