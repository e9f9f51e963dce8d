/** The tenant, as it is stored and as callers see it. */
import { builder } from '../../schema/builder.ts'
import { DATA_RESIDENCY } from './index.ts'

export interface TenantRow {
  id: string
  name: string
  environment: string
  environments: string[]
  psa_type: string | null
  psa_connected: boolean
  data_residency: string
  timezone: string | null
  created_at: Date
  features: string[]
}

export const Tenant = builder.objectRef<TenantRow>('Tenant').implement({
  description: 'One managed service provider, as the caller’s environment has it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the tenant, the same in every environment.' }),
    name: t.exposeString('name', { description: 'The MSP’s name.' }),
    environment: t.exposeString('environment', { description: 'The environment of this call.' }),
    environments: t.exposeStringList('environments', {
      description: 'This environment and every other that the tenant has settings in, by name.',
    }),
    psa_type: t.exposeString('psa_type', {
      nullable: true,
      description: 'The kind of PSA system the tenant works in. null: none was chosen yet.',
    }),
    psa_connected: t.exposeBoolean('psa_connected', {
      description: 'Whether a PSA integration is connected in this environment.',
    }),
    data_residency: t.exposeString('data_residency', {
      description: DATA_RESIDENCY,
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description: 'IANA zone name. null: times are read as UTC.',
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When the tenant was created.' }),
    features: t.exposeStringList('features', { description: 'What is switched on for this tenant.' }),
  }),
})
