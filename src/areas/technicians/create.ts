import { scope } from '../../access/policies/policies.ts'
import { psaOf } from '../../connectors/psa.ts'
import { bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { unchanged } from '../../schema/changes/mutation.ts'
import { area } from './area.ts'
import { TECHNICIAN } from './queries.ts'
import { restoration } from './rules.ts'
import { IN_LISTS, TechnicianProfile, type TechnicianRow } from './technician.ts'

const TechnicianDraft = builder.inputType('TechnicianDraft', {
  description: 'The technician to make.',
  fields: (t) => ({
    psa_id: t.int({ required: true, min: 1, description: 'The id of the technician in the PSA.' }),
  }),
})

async function createTechnician(ctx: Context, psa_id: number): Promise<TechnicianRow> {
  const [existing] = await TECHNICIAN.lockAll(ctx, { text: 'p.psa_id = ?::int', values: [psa_id] })
  if (existing && existing.deleted_at === null) return unchanged(ctx, existing)
  const known = await psaOf(ctx).technician(psa_id)
  // Contract silent: a deleted technician whom the PSA no longer knows is not brought back.
  if (!known) throw invalid([bodyProblem('psa_id', 'unknown', 'is not a technician of the PSA')])
  if (!existing) return await TECHNICIAN.create(ctx, { psa_id, name: known.name })
  return await change(ctx, TECHNICIAN, existing, {
    verb: 'restored',
    decide: (technician) => restoration(technician, known.name),
  })
}

// By hand: a technician who is there already is answered or brought back.
area.mutation('create_technician', (t) =>
  t.field({
    type: TechnicianProfile,
    description:
      'Makes the profile of a technician of the PSA. A technician who has one is answered as they are, and brought ' +
      'back if they were deleted.',
    rest: { method: 'POST', path: '/technicians', omit: IN_LISTS },
    access: scope('technicians:write'),
    errors: ['upstream_unavailable', 'version_conflict'],
    etag: TECHNICIAN.etag,
    args: { input: t.arg({ type: TechnicianDraft, required: true }) },
    resolve: async (_root, { input: { psa_id } }, ctx) => {
      const technician = await createTechnician(ctx, psa_id)
      ctx.location = `/technicians/${technician.id}`
      return technician
    },
  }),
)
