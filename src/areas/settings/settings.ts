/** The settings of a tenant, as they are stored and as callers see them. */
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { onlyRowId } from '../../schema/scalars/entity-id.ts'
import { DATA_RESIDENCIES } from './rules.ts'

/** The description of `data_residency`, in every type that has it. */
export const DATA_RESIDENCY = `The region of the tenant’s data: ${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(DATA_RESIDENCIES)}.`

/** The settings with the columns of the tenant that are among them. */
export type SettingsRow = Row<'Settings'> & Pick<Row<'Tenant'>, 'data_residency' | 'referral_code'>

const from = madeOf<SettingsRow>()

export const TenantSettings = rowType('Settings', {
  name: 'TenantSettings',
  fields: (t) => ({
    id: t.id(onlyRowId('settings')),
    data_residency: t.string({ description: `${DATA_RESIDENCY} Read-only.`, ...from('data_residency') }),
    referral_code: t.string({
      description: 'Six to twelve upper-case letters and digits. Read-only.',
      ...from('referral_code'),
    }),
    ...t.columns('start_business_hours', 'end_business_hours', 'human_friendly_client_name'),
    ...t.columns('sleep_before_callback_processing_seconds', 'timezone', 'revision'),
  }),
})
