import { scope } from '../../access/policies/policies.ts'
import { tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import type { Target } from '../../gateway/activity.ts'
import { approvalAlways } from '../../schema/approval.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { TECHNICIAN_DELETED } from './deleted.ts'
import { TECHNICIAN } from './queries.ts'
import { deletion } from './rules.ts'
import { IN_LISTS } from './technician.ts'

const approval = approvalAlways('TECHNICIANS', {
  async describe(ctx, { profile_id }: { profile_id: number }) {
    const { name } = await TECHNICIAN.read(ctx, profile_id)
    return {
      title: `Delete the technician ${name}`,
      summary: `Clears the profile and the instructions of ${name}, and marks them not ready.`,
    }
  },
  // Contract silent: by default a direct call runs at once, and "always" means that no permission group turns the approval
  // off. TECHNICIAN_DELETE_APPROVAL=always lets every call wait.
  ofDirectCalls: ({ services }) => services.technician_delete_approval === 'always',
})

onTable(area, TECHNICIAN).change('delete_technician', {
  description:
    'Deletes a technician softly: clears the profile and the instructions, and marks the technician not ready. The ' +
    'row remains, and deleting it again changes nothing. Open requests that only this technician could decide go ' +
    'to the technicians that OWNERs and ADMINs are.',
  rest: { method: 'DELETE', path: '/technicians/{profile_id}', omit: IN_LISTS },
  access: scope('technicians:write'),
  approval,
  errors: ['technician_has_open_approvals'],
  async change(ctx) {
    let handed_over: Target[] = []
    // Deletions wait for each other: requests of a technician could otherwise go to another who is being deleted.
    await lockTenant(ctx, `${tenancyOf(ctx).environment} technician_deletions`)
    return {
      verb: 'deleted',
      // Contract silent: a deleted technician stays on their schedule, and has its hours when brought back.
      decide: ({ deleted_at }) => (deleted_at === null ? deletion(ctx.now) : {}),
      async beforeWrite({ id }) {
        handed_over = await TECHNICIAN_DELETED.get()(ctx, id)
      },
      otherTargets: () => handed_over,
    }
  },
})
