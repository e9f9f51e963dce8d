/** The settings of dispatch, as they are stored and as callers see them. */
import { enumFrom } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { rowType } from '../../../schema/row-type.ts'
import { onlyRowId } from '../../../schema/scalars/entity-id.ts'
import { defineTenantRow } from '../../../schema/tables/tenant-row.ts'

export type SettingsRow = Row<'DispatchSettings'>

export const DispatchMode = enumFrom('DispatchMode')
export const DispatchStrategy = enumFrom('DispatchStrategy')

export const DispatchSettings = rowType('DispatchSettings', {
  fields: (t) => ({
    id: t.id(onlyRowId('dispatch_settings')),
    ...t.columns('enabled', 'mode', 'strategy', 'respect_schedules', 'max_open_tickets_per_technician'),
    ...t.columns('only_ready_technicians', 'fallback_technician_id', 'updated_at', 'revision'),
  }),
})

export const DISPATCH_SETTINGS = defineTenantRow<SettingsRow>()('DispatchSettings', {
  noun: 'dispatch_settings',
  title: 'Dispatch settings',
  defaults: () => ({
    enabled: false,
    mode: 'SUGGEST',
    strategy: 'BEST_FIT',
    respect_schedules: true,
    only_ready_technicians: true,
  }),
})
