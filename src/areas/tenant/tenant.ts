/** The tenant, as it is stored and as callers see it. */
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { DATA_RESIDENCY } from '../settings/index.ts'

/** The tenant with its columns of the caller's environment. */
export interface TenantRow extends Row<'Tenant'> {
  environment: string
  environments: string[]
  psa_connected: boolean
  timezone: string | null
}

const inEnvironment = (tenant: Row<'Tenant'>) => tenant as TenantRow

export const Tenant = builder.prismaObject('Tenant', {
  fields: (t) => ({
    id: t.exposeID('id'),
    name: t.exposeString('name'),
    environment: t.string({
      description: 'The environment of this call.',
      resolve: (tenant) => inEnvironment(tenant).environment,
    }),
    environments: t.stringList({
      description: 'This environment and every other that the tenant has settings in, by name.',
      resolve: (tenant) => inEnvironment(tenant).environments,
    }),
    psa_type: t.exposeString('psa_type', { nullable: true }),
    psa_connected: t.boolean({
      description: 'True if a PSA integration is connected in this environment.',
      resolve: (tenant) => inEnvironment(tenant).psa_connected,
    }),
    data_residency: t.exposeString('data_residency', { description: DATA_RESIDENCY }),
    timezone: t.field({
      type: 'TimeZone',
      nullable: true,
      description: 'IANA zone name. null: times are read as UTC.',
      resolve: (tenant) => inEnvironment(tenant).timezone,
    }),
    created_at: t.expose('created_at', { type: 'DateTime' }),
    features: t.exposeStringList('features'),
  }),
})
