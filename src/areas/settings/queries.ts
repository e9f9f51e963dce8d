/** The stored settings. A tenant that has stored none has the defaults, so that a missing row is never an error. */
import { type DatabaseContext, scoped, scopedInsert, sql } from '../../db/db.ts'
import { changedFields } from '../../schema/events/changed-fields.ts'
import { defineTenantRow } from '../../schema/tables/tenant-row.ts'
import { SETTINGS_EVENTS } from './events.ts'
import { DEFAULTS } from './rules.ts'
import type { SettingsRow } from './settings.ts'

export const SETTINGS = defineTenantRow<SettingsRow>()('Settings', {
  noun: 'settings',
  title: 'Settings',
  // Contract silent: until it is set, end users see the tenant's own name.
  defaults: ({ name }) => ({ ...DEFAULTS, human_friendly_client_name: name, timezone: null }),
  of_tenant: ['data_residency', 'referral_code'],
  events: (_verb, settings, before) => [
    SETTINGS_EVENTS.updated({ changed_fields: changedFields(before ?? {}, settings) }),
  ],
})

const STORE_DEFAULTS = scopedInsert(
  'settings.store_defaults',
  `insert into settings (tenant_id, environment, human_friendly_client_name, updated_at)
   select $1, $2, name, created_at from tenant where id = $1 on conflict do nothing`,
)

const ZONE = scoped(
  'settings.zone',
  'select timezone from settings where tenant_id = $1 and environment = $2',
)

/** The tenant's zone; UTC if none is set. */
export async function readZone(ctx: DatabaseContext): Promise<string> {
  const [settings] = await sql<{ timezone: string | null }>(ctx, ZONE)
  return settings?.timezone ?? 'UTC'
}

/** Stores the defaults, if nothing is stored yet. */
export async function storeDefaults(ctx: DatabaseContext): Promise<void> {
  await sql(ctx, STORE_DEFAULTS)
}
