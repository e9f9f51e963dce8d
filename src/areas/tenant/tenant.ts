import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { DATA_RESIDENCY } from '../settings/index.ts'

/** The tenant with its columns of the caller's environment. */
export interface TenantRow extends Row<'Tenant'> {
  environment: string
  environments: string[]
  psa_connected: boolean
  timezone: string | null
}

const from = madeOf<TenantRow>()

export const Tenant = rowType('Tenant', {
  fields: (t) => ({
    ...t.columns('id', 'name'),
    environment: t.string({ description: 'The environment of this call.', ...from('environment') }),
    environments: t.stringList({
      description: 'This environment and every other that the tenant has settings in, by name.',
      ...from('environments'),
    }),
    ...t.columns('psa_type'),
    psa_connected: t.boolean({
      description: 'True if a PSA integration is connected in this environment.',
      ...from('psa_connected'),
    }),
    data_residency: t.exposeString('data_residency', { description: DATA_RESIDENCY }),
    timezone: t.field({
      type: 'TimeZone',
      nullable: true,
      description: 'IANA zone name. null: times are read as UTC.',
      ...from('timezone'),
    }),
    ...t.columns('created_at', 'features'),
  }),
})
