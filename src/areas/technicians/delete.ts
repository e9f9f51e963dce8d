import { scope } from '../../access/policies/policies.ts'
import type { Target } from '../../gateway/activity.ts'
import { approvalAlways } from '../../schema/approval.ts'
import { change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { TECHNICIAN_DELETED } from './deleted.ts'
import { lockDeletions, lockTechnician, readTechnician, TECHNICIAN } from './queries.ts'
import { deletion } from './rules.ts'
import { IN_LISTS, profileId, TechnicianProfile, technicianEtag } from './technician.ts'

const approval = approvalAlways('TECHNICIANS', {
  async describe(ctx, { profile_id }: { profile_id: number }) {
    const { name } = await readTechnician(ctx, profile_id)
    return {
      title: `Delete the technician ${name}`,
      summary: `Clears the profile and the instructions of ${name}, and marks them not ready.`,
    }
  },
  // Contract silent: by default a direct call runs at once, and "always" means that no permission group turns the approval
  // off. TECHNICIAN_DELETE_APPROVAL=always lets every call wait.
  ofDirectCalls: ({ services }) => services.technician_delete_approval === 'always',
})

area.mutation('delete_technician', (t) =>
  t.field({
    type: TechnicianProfile,
    description:
      'Deletes a technician softly: clears the profile and the instructions, and marks the technician not ready. The ' +
      'row remains, and deleting it again changes nothing. Open requests that only this technician could decide go ' +
      'to the technicians that OWNERs and ADMINs are.',
    rest: { method: 'DELETE', path: '/technicians/{profile_id}', omit: IN_LISTS },
    access: scope('technicians:write'),
    approval,
    errors: ['technician_not_found', 'technician_has_open_approvals', 'version_conflict'],
    etag: technicianEtag,
    args: { profile_id: t.arg(profileId) },
    resolve: async (_root, { profile_id }, ctx) => {
      let handed_over: Target[] = []
      await lockDeletions(ctx)
      return await change(ctx, TECHNICIAN, lockTechnician(ctx, profile_id), {
        verb: 'deleted',
        // Contract silent: a deleted technician stays on their schedule, and has its hours when brought back.
        decide: ({ deleted_at }) => (deleted_at === null ? deletion(ctx.now) : {}),
        async beforeWrite({ id }) {
          handed_over = await TECHNICIAN_DELETED.get()(ctx, id)
        },
        otherTargets: () => handed_over,
      })
    },
  }),
)
