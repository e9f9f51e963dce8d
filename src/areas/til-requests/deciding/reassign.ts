/** Other technicians are named on a request to decide it. */
import { scope } from '../../../access/policies/policies.ts'
import { restrictedUser } from '../../../access/policies/visibility.ts'
import { callerOf } from '../../../access/viewer.ts'
import { scoped, sql } from '../../../db/db.ts'
import { ApiError, bodyProblem, type FieldError, invalid } from '../../../errors/errors.ts'
import { recordedWrite, writeRecorded } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { builder } from '../../../schema/builder.ts'
import { unchanged } from '../../../schema/changes/mutation.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { presentTechnicians } from '../../technicians/index.ts'
import { area } from '../area.ts'
import { approversOfGroup } from '../asking/approvers.ts'
import { nameTechnicians, raiseReassigned } from '../named-technicians.ts'
import { readTilRequest } from '../queries.ts'
import { TilRequest, tilRequestEtag, tilRequestId } from '../til-request.ts'
import { comment, OF_CREDENTIAL } from './input.ts'
import { closedRefusal, lockRequest, requirePerson } from './lock.ts'
import { stateOf } from './rules/deciding.ts'

const ReassignmentOfTilRequest = builder.inputType('ReassignmentOfTilRequest', {
  description: 'The technicians who may decide a request from now on.',
  fields: (t) => ({
    technician_ids: t.intList({
      required: true,
      min: 1,
      min_items: 1,
      max_items: 50,
      description: 'The technicians, by their ids. They replace those who were named.',
    }),
    comment: t.string({ ...comment, description: 'A comment, which the activity log keeps.' }),
  }),
})

const UNNAME = scoped(
  'til_requests.unname_others',
  `delete from til_request_technician
   where tenant_id = $1 and environment = $2 and til_request_id = $3 and technician_id <> all($4::int[])`,
)

const RAISE = recordedWrite(
  'til_requests.reassign',
  `update til_request set revision = revision + 1, updated_at = $4
   where tenant_id = $1 and environment = $2 and id = $3 returning id`,
)

interface Reassignment {
  technician_ids: readonly number[]
  comment: string | null
}

type Locked = Awaited<ReturnType<typeof lockRequest>>

/**
 * The technicians who may be named on a request about what is gated: the approvers, and the OWNER or ADMIN who names
 * themselves. null: a technician who is asked may hand the request to any other one.
 */
async function nameable(ctx: Context, { request, parties }: Locked): Promise<ReadonlySet<number> | null> {
  const { asked_of, permission_group } = request
  if (asked_of !== 'APPROVERS') return null
  const { technician_ids } = await approversOfGroup(ctx, permission_group)
  const isAdmin = restrictedUser(callerOf(ctx)) === null
  return new Set([...technician_ids, ...(isAdmin && parties.technician ? [parties.technician.id] : [])])
}

/** The problems of naming these technicians, each by its place. */
const namingProblems = (
  technician_ids: readonly number[],
  present: ReadonlySet<number>,
  nameable: ReadonlySet<number> | null,
): FieldError[] =>
  technician_ids.flatMap((one, index) => {
    const field = `technician_ids.${index}`
    if (!present.has(one)) return [bodyProblem(field, 'unknown', 'is not a technician of the tenant')]
    if (nameable === null || nameable.has(one)) return []
    return [bodyProblem(field, 'not_an_approver', 'is not one of the approvers of what is asked for')]
  })

/** Names these technicians on the request, and no others. */
async function reassign(ctx: Context, id: string, { technician_ids, comment }: Reassignment): Promise<void> {
  const locked = await lockRequest(ctx, id)
  const { request, parties } = locked
  const { technician, technician_ids: before } = parties
  // Contract silent: the technician who approves a reassignment decides it: any credential of the channel may ask for one.
  if (!ctx.trial) requirePerson(ctx)
  if (restrictedUser(callerOf(ctx)) !== null && !(technician && before.includes(technician.id)))
    throw new ApiError('not_an_approver', { details: { technician_ids: before } })
  checkIfMatch(ctx, tilRequestEtag(request))
  const state = stateOf(request, ctx.now)
  if (state !== 'PENDING') throw closedRefusal(request, state)
  const present = new Set(await presentTechnicians(ctx, technician_ids))
  const problems = namingProblems(technician_ids, present, await nameable(ctx, locked))
  if (problems.length > 0) throw invalid(problems)
  const after = [...present]
  if (after.length === before.length && before.every((one) => present.has(one)))
    return unchanged(ctx, undefined)
  await sql(ctx, UNNAME, [id, after])
  await nameTechnicians(ctx, [id], after)
  await raiseReassigned(ctx, [id])
  await writeRecorded(ctx, RAISE, [id, ctx.now], {
    action: 'til_request.reassigned',
    targets: [{ type: 'til_request', id, name: request.title }],
    before: { technician_ids: before },
    after: { technician_ids: after, comment },
  })
}

area.mutation('reassign_til_request', (t) =>
  t.prismaField({
    type: TilRequest,
    description:
      'Names other technicians to decide an open request. It is for the technicians who may decide it now, and for ' +
      'OWNERs and ADMINs, who may name themselves and decide then. Beside them, what a permission group gates can go ' +
      `to the approvers of the group alone. ${OF_CREDENTIAL}`,
    rest: { method: 'POST', path: '/til-requests/{til_request_id}/reassign' },
    access: scope('til_requests:decide'),
    errors: [
      'til_request_not_found',
      'acting_user_required',
      'not_an_approver',
      'version_conflict',
      'til_request_closed',
      'til_request_expired',
      'secret_in_content',
    ],
    etag: tilRequestEtag,
    args: {
      til_request_id: t.arg(tilRequestId),
      input: t.arg({ type: ReassignmentOfTilRequest, required: true }),
    },
    resolve: async (
      query,
      _root,
      { til_request_id, input: { technician_ids, comment = null } },
      ctx,
      info,
    ) => {
      refuseSecrets({ comment })
      await reassign(ctx, til_request_id, { technician_ids, comment })
      return await readTilRequest(ctx, til_request_id, wantedFields(info), { query, whoever_sees_it: true })
    },
  }),
)
