import { scope } from '../../access/policies/policies.ts'
import { invalid } from '../../errors/errors.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { readOnlyField, refuseReadOnly } from '../../schema/changes/read-only.ts'
import { checkZone } from '../../schema/scalars/time-zone.ts'
import { SETTINGS } from './queries.ts'
import { businessHoursProblems, type Patch } from './rules.ts'
import { type SettingsRow, TenantSettings } from './settings.ts'

const area = defineArea({
  name: 'Settings',
  slug: 'settings',
  description: 'The settings of the service for the tenant.',
  example: `
query Settings {
  settings { timezone start_business_hours end_business_hours human_friendly_client_name }
}

# mutation LondonTime {
#   update_settings(input: { timezone: "Europe/London" }) { timezone }
# }`,
})

area.query('settings', (t) =>
  t.field({
    type: TenantSettings,
    description: 'Gets the tenant’s settings.',
    rest: { method: 'GET', path: '/settings' },
    access: scope('settings:read'),
    etag: (settings) => SETTINGS.etag(settings as SettingsRow),
    resolve: (_root, _args, ctx) => SETTINGS.read(ctx),
  }),
)

const SettingsPatch = builder.inputType('SettingsPatch', {
  description: 'The changes. A field that is left out keeps its value.',
  fields: (t) => ({
    // Contract silent: business hours are whole hours of the day in the tenant's zone, the end up to 24.
    start_business_hours: t.int({ min: 0, max: 23, description: 'A whole hour of the day.' }),
    end_business_hours: t.int({ min: 1, max: 24, description: 'A whole hour of the day.' }),
    human_friendly_client_name: t.string({
      min_length: 1,
      max_length: 120,
      description: 'The name end users see.',
    }),
    sleep_before_callback_processing_seconds: t.int({
      min: 0,
      max: 900,
      description: 'Seconds a PSA callback waits before it is processed.',
    }),
    timezone: t.field({
      type: 'TimeZone',
      nullable: true,
      description:
        'One of the names of the IANA time zone database, aliases included, in its own letter case; at most 64 ' +
        'characters. An offset is no name. null clears it.',
    }),
    data_residency: t.field(readOnlyField),
    referral_code: t.field(readOnlyField),
  }),
})

/** The settings with the patch; an error if a rule speaks against it. */
function checkPatch(stored: SettingsRow, patch: Patch): Patch {
  const { timezone } = patch
  if (timezone != null) checkZone(timezone, stored.timezone)
  const wrongHours = businessHoursProblems(stored, patch)
  if (wrongHours.length > 0) throw invalid(wrongHours, 'business_hours_order')
  return patch
}

area.mutation('update_settings', (t) =>
  t.field({
    type: TenantSettings,
    description: 'Changes the fields that are given, and returns the updated settings.',
    rest: { method: 'PUT', path: '/settings' },
    access: scope('settings:write'),
    errors: ['invalid_timezone', 'read_only_field', 'business_hours_order', 'version_conflict'],
    etag: (settings) => SETTINGS.etag(settings as SettingsRow),
    args: { input: t.arg({ type: SettingsPatch, required: true }) },
    resolve: (_root, { input }, ctx) => {
      // Contract silent: read-only fields are 422, since the request is readable and the schema refuses them.
      const patch = refuseReadOnly(input, ['data_residency', 'referral_code']) as Patch
      return change(ctx, SETTINGS, SETTINGS.lock(ctx), {
        verb: 'updated',
        decide: (stored) => checkPatch(stored, patch),
      })
    },
  }),
)
