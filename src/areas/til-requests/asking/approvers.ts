/** The technicians who are asked: the approvers of what is gated, or the supervisors of a run. */
import { editableBy } from '../../../access/policies/visibility.ts'
import { scoped, sql } from '../../../db/db.ts'
import type { MutationContext } from '../../../gateway/context.ts'
import type { RunState } from '../../executions/index.ts'
import { approversOf, readGroup } from '../../tenant/index.ts'
import type { Asked } from '../rules.ts'

const EVERYBODY = scoped(
  'til_requests.every_technician',
  `select p.id from technician_profile p
   where p.tenant_id = $1 and p.environment = $2 and p.deleted_at is null order by p.id`,
)

// Contract silent: if no chosen technician is left and none approves by default, every technician may decide.
/** The technicians who decide if these were chosen. */
async function decidersOf(ctx: MutationContext, chosen: readonly number[]): Promise<number[]> {
  const approvers = await approversOf(ctx, chosen)
  return approvers.length > 0 ? approvers : (await sql<{ id: number }>(ctx, EVERYBODY)).map(({ id }) => id)
}

/** The technicians that the permission group names as its approvers; null: no group gates what is asked for. */
export const chosenBy = async (ctx: MutationContext, group: string | null): Promise<readonly number[]> =>
  group === null ? [] : (await readGroup(ctx, group)).approver_technician_ids

/** The approvers of what the group gates, or the tool itself. */
export const approversOfGroup = async (ctx: MutationContext, group: string | null): Promise<Asked> => ({
  of: 'APPROVERS',
  technician_ids: await decidersOf(ctx, await chosenBy(ctx, group)),
  may_edit: true,
})

const MAY_EDIT = scoped(
  'til_requests.supervisor_may_edit',
  `select u.role in ('OWNER', 'ADMIN') or exists (
     select from agent a where a.tenant_id = $1 and a.environment = $2 and a.id = $4::int and ${editableBy('$3::text')}
   ) as may_edit
   from tenant_user u where u.tenant_id = $1 and u.environment = $2 and u.id = $3`,
)

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
