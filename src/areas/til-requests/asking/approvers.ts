/** The technicians who are asked: the approvers of what is gated, or the supervisors of a run. */
import { MAY_EDIT_AGENT } from '../../../access/policies/visibility.ts'
import { scoped, sql } from '../../../db/db.ts'
import type { MutationContext } from '../../../gateway/context.ts'
import type { RunState } from '../../executions/index.ts'
import { presentTechnicians } from '../../technicians/index.ts'
import { approversOf, PERMISSION_GROUP } from '../../tenant/index.ts'
import type { Asked } from '../rules.ts'

// Contract silent: if no chosen technician is left and none approves by default, every technician may decide.
/** The technicians who decide if these were chosen. */
async function decidersOf(ctx: MutationContext, chosen: readonly number[]): Promise<number[]> {
  const approvers = await approversOf(ctx, chosen)
  return approvers.length > 0 ? approvers : await presentTechnicians(ctx, null)
}

/** The technicians that the permission group names as its approvers; null: no group gates what is asked for. */
export const chosenBy = async (ctx: MutationContext, group: string | null): Promise<readonly number[]> =>
  group === null ? [] : (await PERMISSION_GROUP.read(ctx, group)).approver_technician_ids

/** The approvers of what the group gates, or the tool itself. */
export const approversOfGroup = async (ctx: MutationContext, group: string | null): Promise<Asked> => ({
  of: 'APPROVERS',
  technician_ids: await decidersOf(ctx, await chosenBy(ctx, group)),
  may_edit: true,
})

const MAY_EDIT = scoped('til_requests.supervisor_may_edit', MAY_EDIT_AGENT)

/**
 * False if a user who may not change the agent had the run supervised: the technicians whom that user named decide,
 * but may not edit.
 */
async function maySupervisorsEdit({ ctx, execution }: RunState): Promise<boolean> {
  const { supervised_by_user_id: user, agent_id } = execution
  if (user === null) return true
  const [row] = await sql<{ may_edit: boolean }>(ctx, MAY_EDIT, [user, agent_id])
  return row?.may_edit ?? false
}

/** The supervisors of the run. */
export const supervisorsOf = async (run: RunState): Promise<Asked> => ({
  of: 'SUPERVISORS',
  technician_ids: await decidersOf(run.ctx, run.execution.supervisor_technician_ids),
  may_edit: await maySupervisorsEdit(run),
})
