import fc from 'fast-check'
import { clock } from '../../setup/app.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { some, text, zone } from '../../setup/suites/sent-back.ts'

const hour = { min: 0, max: 9 }

export const SUITES: AreaSuites = {
  who_may: {
    settings: { scope: 'settings:read' },
    update_settings: { scope: 'settings:write' },
  },
  examples: {
    reads: {
      settings: {},
    },
    writes: {
      update_settings: { input: { end_business_hours: 19, timezone: 'Europe/London' } },
    },
  },
  async own_rows({ database: { prisma }, tenant_id, environment }, { mark }) {
    await prisma.settings.upsert({
      where: { tenant_id_environment: { tenant_id, environment } },
      create: { tenant_id, environment, human_friendly_client_name: mark, updated_at: clock.now() },
      update: { human_friendly_client_name: mark },
    })
    return {}
  },
  events: {
    'settings.updated': ({ call }) => call('update_settings', { input: { end_business_hours: 19 } }),
  },
  not_walked: ['TenantSettings.tenant'],
  channel_writes: {
    update_settings: 'runs at once',
  },
  sent_back: {
    update_settings: {
      read_only: ['data_residency', 'referral_code'],
      bodies: () =>
        some({
          start_business_hours: fc.integer(hour),
          end_business_hours: fc.integer({ min: 18, max: 24 }),
          human_friendly_client_name: text,
          sleep_before_callback_processing_seconds: fc.integer({ min: 0, max: 900 }),
          timezone: fc.option(zone),
        }),
    },
  },
  error_codes: {
    422: 'business_hours_order',
  },
  foreign_tables: {
    tenant: 'the defaults of settings come from the tenant, whose area imports the settings',
  },
  single_rows: {
    'settings.zone': 'bench/ measures what reads it',
  },
}
