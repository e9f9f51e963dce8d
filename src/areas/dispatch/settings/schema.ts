import { scope } from '../../../access/policies/policies.ts'
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import { builder } from '../../../schema/builder.ts'
import { change } from '../../../schema/changes/change.ts'
import { presentTechnicians } from '../../technicians/index.ts'
import { area } from '../area.ts'
import {
  DISPATCH_SETTINGS,
  DispatchMode,
  DispatchSettings,
  DispatchStrategy,
  type SettingsRow,
} from './dispatch-settings.ts'

area.query('dispatch_settings', (t) =>
  t.field({
    type: DispatchSettings,
    description: 'Gets the settings of dispatch.',
    rest: { method: 'GET', path: '/dispatch/settings' },
    access: scope('dispatch:read'),
    etag: (settings) => DISPATCH_SETTINGS.etag(settings as SettingsRow),
    resolve: (_root, _args, ctx) => DISPATCH_SETTINGS.read(ctx),
  }),
)

const DispatchSettingsPatch = builder.inputType('DispatchSettingsPatch', {
  description: 'The changes. A field that is left out keeps its value.',
  fields: (t) => ({
    enabled: t.boolean({
      description: 'true: tickets that arrive are dispatched, and suggestions can be applied.',
    }),
    mode: t.field({ type: DispatchMode, description: 'What follows from a decision.' }),
    strategy: t.field({
      type: DispatchStrategy,
      description: 'The way in which one of the technicians who fit is chosen.',
    }),
    respect_schedules: t.boolean({ description: 'true: technicians who are not at work are left out.' }),
    max_open_tickets_per_technician: t.int({
      min: 1,
      max: 500,
      nullable: true,
      description: 'The open tickets from which a technician gets no more. null: there is no limit.',
    }),
    only_ready_technicians: t.boolean({
      description: 'true: technicians whom agents may not work with are left out.',
    }),
    fallback_technician_id: t.int({
      nullable: true,
      description: 'The technician who is chosen if nobody fits, by the `id`. null: nobody is.',
    }),
  }),
})

type Patch = Partial<Omit<SettingsRow, 'tenant_id' | 'environment' | 'revision' | 'updated_at'>>

area.mutation('update_dispatch_settings', (t) =>
  t.field({
    type: DispatchSettings,
    description:
      'Changes the fields that are given, and returns the updated settings. Decisions that were made before stay as they are.',
    rest: { method: 'PUT', path: '/dispatch/settings' },
    access: scope('dispatch:write'),
    errors: ['version_conflict'],
    etag: (settings) => DISPATCH_SETTINGS.etag(settings as SettingsRow),
    args: { input: t.arg({ type: DispatchSettingsPatch, required: true }) },
    resolve: async (_root, { input }, ctx) => {
      const { fallback_technician_id: id } = input
      const is_present = id == null || (await presentTechnicians(ctx, [id])).length > 0
      return change(ctx, DISPATCH_SETTINGS, DISPATCH_SETTINGS.lock(ctx), {
        verb: 'updated',
        decide(stored) {
          // A technician who was deleted since stays: nobody is chosen in their place.
          if (!is_present && id !== stored.fallback_technician_id)
            throw invalid([
              bodyProblem('fallback_technician_id', 'unknown', 'is not a technician of the tenant'),
            ])
          return input as Patch
        },
      })
    },
  }),
)
