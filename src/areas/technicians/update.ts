import { scope } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { lockTechnician, TECHNICIAN } from './queries.ts'
import { patched } from './rules.ts'
import { IN_LISTS, profileId, TechnicianProfile, technicianEtag } from './technician.ts'

const TechnicianPatch = builder.inputType('TechnicianPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    profile: t.string({
      max_length: 8000,
      nullable: true,
      description:
        'The text that agents know the technician by, which is then READY. null or empty text clears it.',
    }),
    custom_instructions: t.string({
      max_length: 4000,
      nullable: true,
      description: 'The technician’s own rules for agents. null or empty text clears them.',
    }),
    update_automatically: t.boolean({
      description: 'true: the profile is written anew when the technician’s data in the PSA changes.',
    }),
    // Contract silent: skills can be set, since agents and dispatch choose technicians by them.
    skills: t.stringList({
      max_items: 50,
      min_length: 1,
      max_length: 60,
      description: 'Replaces the skills. One that is there twice, in whatever letter case, counts once.',
    }),
  }),
})

area.mutation('update_technician', (t) =>
  t.field({
    type: TechnicianProfile,
    description:
      'Changes the fields that are given. A deleted technician can be changed too, and stays deleted until ' +
      '`create_technician` brings them back.',
    rest: { method: 'PATCH', path: '/technicians/{profile_id}', omit: IN_LISTS },
    access: scope('technicians:write'),
    errors: ['technician_not_found', 'version_conflict'],
    etag: technicianEtag,
    args: {
      profile_id: t.arg(profileId),
      input: t.arg({ type: TechnicianPatch, required: true }),
    },
    resolve: (_root, { profile_id, input }, ctx) =>
      change(ctx, TECHNICIAN, lockTechnician(ctx, profile_id), {
        verb: 'updated',
        decide: (technician) => patched(technician, input),
      }),
  }),
)
