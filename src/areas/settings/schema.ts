import { scope } from '../../access/policies.ts'
import { db } from '../../db/db.ts'
import { ApiError, invalid } from '../../errors.ts'
import { record } from '../../gateway/activity.ts'
import { checkIfMatch, etagOf, REVISION } from '../../gateway/entity-tags.ts'
import { changesIn } from '../../lib/changes.ts'
import { builder, defineArea } from '../../schema/builder.ts'
import { unchanged } from '../../schema/mutation.ts'
import { readOnlyField, refuseReadOnly } from '../../schema/read-only.ts'
import { lockSettings, readSettings, type SettingsRow } from './row.ts'
import { businessHoursProblems, isAcceptedZone, type Patch, zoneDetails } from './rules.ts'

const area = defineArea({
  name: 'Settings',
  slug: 'settings',
  description: 'How the service works for the tenant.',
  example: `
query Settings {
  settings { timezone start_business_hours end_business_hours human_friendly_client_name }
}

# mutation LondonTime {
#   update_settings(input: { timezone: "Europe/London" }) { timezone }
# }`,
})

const TenantSettings = builder.objectRef<SettingsRow>('TenantSettings').implement({
  description: 'The settings of the tenant in this environment.',
  fields: (t) => ({
    data_residency: t.exposeString('data_residency', {
      description: 'Where the tenant’s data is kept: US, EU, UK, CA or AU. Read-only.',
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
const settingsEtag = ({ revision }: SettingsRow): string => etagOf(revision)

area.query('settings', (t) =>
  t.field({
    type: TenantSettings,
    description: 'Gets the tenant’s settings.',
    rest: { method: 'GET', path: '/settings' },
    access: scope('settings:read'),
    etag: settingsEtag,
    resolve: (_root, _args, ctx) => readSettings(ctx),
  }),
)

const SettingsPatch = builder.inputType('SettingsPatch', {
  description: 'What to change. A field that is left out keeps its value.',
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

/** The patch as rules know it: what is absent stays absent. */
const given = <Input extends object>(input: Input) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))

area.mutation('update_settings', (t) =>
  t.field({
    type: TenantSettings,
    description: 'Changes the fields that are given, and returns the updated settings.',
    rest: { method: 'PUT', path: '/settings' },
    access: scope('settings:write'),
    errors: ['invalid_timezone', 'read_only_field', 'business_hours_order', 'version_conflict'],
    etag: settingsEtag,
    args: { input: t.arg({ type: SettingsPatch, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      // Contract silent: read-only fields are 422, since the request is readable and the schema refuses them.
      refuseReadOnly(input, ['data_residency', 'referral_code'])
      const patch: Patch = given(input)
      const before = await lockSettings(ctx)
      checkIfMatch(ctx, settingsEtag(before))
      const { timezone } = patch
      if (timezone != null && !isAcceptedZone(timezone, before.timezone)) {
        throw new ApiError('invalid_timezone', {
          message: 'timezone: must be the name of an IANA time zone, in its own letter case',
          details: zoneDetails(timezone),
        })
      }
      const wrongHours = businessHoursProblems(before, patch)
      if (wrongHours.length > 0) throw invalid(wrongHours, 'business_hours_order')
      const changes = changesIn(before, patch)
      if (!changes) return unchanged(ctx, before)
      const data = { ...changes, revision: { increment: 1 }, updated_at: ctx.now }
      await db(ctx).settings.updateMany({ data })
      const after = { ...before, ...changes, revision: before.revision + 1, updated_at: ctx.now }
      const targets = [{ type: 'settings', id: 'settings', name: 'Settings' }]
      await record(ctx, { action: 'settings.updated', targets, before, after })
      return after
    },
  }),
)
