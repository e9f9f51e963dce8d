/** The settings of a tenant, as they are stored and as callers see them. */
import { etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { entityId } from '../../schema/entity-id.ts'
import { DATA_RESIDENCY } from '../tenant/index.ts'
import type { Patch } from './rules.ts'

export interface SettingsRow extends Required<Patch> {
  data_residency: string
  referral_code: string
  revision: number
  updated_at: Date
}

export const TenantSettings = builder.objectRef<SettingsRow>('TenantSettings').implement({
  description: 'The settings of the tenant in this environment.',
  fields: (t) => ({
    id: t.string(entityId(() => 'settings')),
    data_residency: t.exposeString('data_residency', {
      description: `${DATA_RESIDENCY} Read-only.`,
    }),
    referral_code: t.exposeString('referral_code', {
      description: 'Six to twelve upper-case letters and digits. Read-only.',
    }),
    start_business_hours: t.exposeInt('start_business_hours', {
      description: 'Whole hour of the day at which business hours start, 0 to 23, in `timezone`.',
    }),
    end_business_hours: t.exposeInt('end_business_hours', {
      description: 'Whole hour of the day at which business hours end, 1 to 24, later than the start.',
    }),
    human_friendly_client_name: t.exposeString('human_friendly_client_name', {
      description: 'The name end users see.',
    }),
    sleep_before_callback_processing_seconds: t.exposeInt('sleep_before_callback_processing_seconds', {
      description: 'Seconds a PSA callback waits before it is processed, 0 to 900.',
    }),
    timezone: t.expose('timezone', {
      type: 'TimeZone',
      nullable: true,
      description: 'IANA zone name. null: times are read as UTC.',
    }),
    revision: t.exposeInt('revision', { description: REVISION }),
  }),
})

// The read-only settings never change.
export const settingsEtag = ({ revision }: SettingsRow): string => etagOf(revision)
