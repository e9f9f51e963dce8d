import { scope } from '../../access/policies/policies.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { TECHNICIAN } from './queries.ts'
import { patched } from './rules.ts'
import { IN_LISTS } from './technician.ts'

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

onTable(area, TECHNICIAN).change('update_technician', {
  description:
    'Changes the fields that are given. A deleted technician can be changed too, and stays deleted until ' +
    '`create_technician` brings them back.',
  rest: { method: 'PATCH', path: '/technicians/{profile_id}', omit: IN_LISTS },
  access: scope('technicians:write'),
  input: TechnicianPatch,
  change: (_ctx, { input }) => ({ verb: 'updated', decide: (technician) => patched(technician, input) }),
})
