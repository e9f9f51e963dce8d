/** A request to technicians as its decision locks it, and how a decision is stored. */

import { technicianOfUser } from '../../../access/policies/visibility.ts'
import { callerOf, type Person, personIdOf, recordedName } from '../../../access/viewer.ts'
import { type DatabaseContext, scoped, sql } from '../../../db/db.ts'
import { insert, insertOf } from '../../../db/query/insert.ts'
import { projection } from '../../../db/query/projection.ts'
import { ApiError, found } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { defineResource } from '../../../schema/changes/change.ts'
import { updateOf } from '../../../schema/changes/row-update.ts'
import type { Row } from '../../../schema/models.ts'
import { agentName } from '../../agents/index.ts'
import { type LockedExecution, lockExecution } from '../../executions/index.ts'
import { technicianById } from '../../technicians/index.ts'
import { readTilRequest } from '../queries.ts'
import { type TilRequestRow, tilRequestEtag } from '../til-request.ts'
import { credentialProblem, deciderProblem, type State, stateOf } from './rules/deciding.ts'

/** The columns that decisions write. */
const WRITTEN = [
  'status',
  'edited_arguments',
  'edited_arguments_hash',
  'decided_at',
  'decided_by_name',
  'decision_comment',
  'reason_code',
  'answer',
  'answer_option_id',
  'closed_at',
] as const

type Decision = TilRequestRow['allowed_decisions'][number]

export interface LockedRequest extends Row<'TilRequest'> {
  agent_name: string | null
}

/** The technicians who may decide, and the one that the caller is. */
interface Parties {
  technician_ids: number[]
  technician: { id: number; name: string } | null
}

const columns = projection('TilRequest', 'r', { computed: { agent_name: agentName('r') }, always: [] })

const LOCK = scoped(
  'til_requests.lock',
  `select ${columns.select(null)} from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.id = $3 for update of r`,
)

// A statement of its own, which sees who was named while the lock was waited for.
const PARTIES = scoped(
  'til_requests.parties',
  `select
     array(select n.technician_id from til_request_technician n
       where n.tenant_id = $1 and n.environment = $2 and n.til_request_id = $3 order by n.technician_id)
       as technician_ids,
     ${technicianById(technicianOfUser('$4::text'))} as technician`,
)

/** The execution of a request, locked before the request itself is; null: the request belongs to none. */
export const lockExecutionOf = async (
  ctx: DatabaseContext,
  execution_id: string | null,
): Promise<LockedExecution | null> => (execution_id === null ? null : await lockExecution(ctx, execution_id))

const ITS_EXECUTION: ReadonlySet<string> = new Set(['execution_id'])

interface Locked {
  request: LockedRequest
  parties: Parties
  execution: LockedExecution | null
}

/** The request, or 404 if the caller does not see it, locked with its execution until the transaction ends. */
export async function lockRequest(ctx: Context, id: string): Promise<Locked> {
  const { execution_id } = await readTilRequest(ctx, id, ITS_EXECUTION)
  const execution = await lockExecutionOf(ctx, execution_id)
  const [row] = await sql<LockedRequest>(ctx, LOCK, [id])
  const request = found(row, 'til_request_not_found', id)
  const [parties] = await sql<Parties>(ctx, PARTIES, [id, personIdOf(callerOf(ctx))])
  if (!parties) throw new Error('A select of one row without a row')
  return { request, parties, execution }
}

const NOT_OWN =
  'A decision takes a token of the dashboard user, or a key that the user made to act for themselves.'

/** The person who calls; 403 for a credential that is not their own. */
export function requirePerson(ctx: Context): Person {
  const viewer = callerOf(ctx)
  const problem = credentialProblem(viewer)
  if (problem === 'acting_user_not_allowed') throw new ApiError(problem, { message: NOT_OWN })
  if (problem || !viewer.person) throw new ApiError(problem ?? 'acting_user_required')
  return viewer.person
}

/** The technician who decides, by the name that is recorded; 403 for a caller who may not. */
export function requireDecider(
  ctx: Context,
  { request, parties }: Pick<Locked, 'request' | 'parties'>,
  decision: Decision,
): { id: number; name: string } {
  const { id: person_id } = requirePerson(ctx)
  const viewer = callerOf(ctx)
  const { technician, technician_ids } = parties
  const decider = { credential_id: viewer.id, person_id, technician_id: technician?.id ?? null }
  const problem = deciderProblem({ ...request, technician_ids }, decider, decision)
  if (problem || !technician)
    throw new ApiError(problem ?? 'not_an_approver', { details: { technician_ids } })
  return { id: technician.id, name: recordedName(viewer, technician.name) }
}

/** 409 for a request that takes no decision any more. */
export function closedRefusal(
  { status, decided_by_name, decided_at, expires_at }: LockedRequest,
  state: State,
): ApiError {
  const details = { status, decided_by_name, decided_at: decided_at?.toISOString() ?? null }
  return state === 'OVERDUE'
    ? new ApiError('til_request_expired', { details: { ...details, expires_at: expires_at.toISOString() } })
    : new ApiError('til_request_closed', { details })
}

/** Every decision is a change of this resource, from PENDING. */
export const TIL_REQUEST = defineResource<LockedRequest, State>()({
  noun: 'til_request',
  etag: tilRequestEtag,
  named: ({ id, title }) => ({ id, name: title }),
  write: updateOf('TilRequest', { key: ['id'], columns: WRITTEN }),
  state: { of: stateOf, refusal: closedRefusal },
})

export interface Approval {
  technician: { id: number; name: string }
  decision: Decision
  comment: string | null
  via: 'DASHBOARD' | 'API'
}

const APPROVE = insertOf('til_requests.store_approval', 'TilApproval', {
  columns: ['til_request_id', 'technician_id', 'name', 'decision', 'comment', 'at', 'via'],
})

/** Stores what the technician decided. */
export async function storeApproval(
  ctx: Context,
  id: string,
  { technician, decision, comment, via }: Approval,
): Promise<void> {
  await insert(ctx, APPROVE, {
    til_request_id: id,
    technician_id: technician.id,
    name: technician.name,
    decision,
    comment,
    at: ctx.now,
    via,
  })
}
