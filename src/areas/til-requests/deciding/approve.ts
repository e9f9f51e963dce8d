import { scope } from '../../../access/policies/policies.ts'
import { db } from '../../../db/db.ts'
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { argumentsHash } from '../../../lib/arguments-hash.ts'
import { isObject } from '../../../lib/is-object.ts'
import { builder } from '../../../schema/builder.ts'
import type { PatchOf } from '../../../schema/changes/change.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { foreignArguments } from '../../../tools/foreign-arguments.ts'
import { reachOfWork } from '../../../tools/grants.ts'
import { toolNamed } from '../../../tools/registry.ts'
import { area } from '../area.ts'
import { TilRequest, tilRequestEtag, tilRequestId } from '../til-request.ts'
import { decide } from './decide.ts'
import { comment, DECISION_ERRORS, OF_CALLER } from './input.ts'
import type { LockedRequest, TIL_REQUEST } from './lock.ts'
import { fitProblem, stateOf } from './rules/deciding.ts'
import { editProblems } from './rules/edited-arguments.ts'
import { WAITING_RUNS } from './waiting-runs.ts'

const ApprovalOfTilRequest = builder.inputType('ApprovalOfTilRequest', {
  description: 'The approval of a request to technicians.',
  fields: (t) => ({
    comment: t.string(comment),
    edited_arguments: t.field({
      type: 'JSON',
      description:
        'The arguments to call the tool with in place of those that were asked for, if the request takes EDIT. ' +
        'They must fit the `input_schema` of the tool, and name nothing of another company than that of the ticket.',
    }),
    arguments_hash: t.string({
      pattern: { matches: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits' },
      description:
        'The `arguments_hash` of the request that the technician has seen: 409 `arguments_changed` if it has ' +
        'another one.',
    }),
  }),
})

/** The columns of an approval with edited arguments; 422 if the tool does not take them. */
function edited({ tool_name }: LockedRequest, args: unknown): PatchOf<typeof TIL_REQUEST> {
  const tool = toolNamed(tool_name ?? '')
  if (!tool) throw new Error(`There is no tool ${tool_name} any more`)
  const problems = editProblems(tool, args)
  if (problems.length > 0) throw invalid(problems)
  const edited_arguments = args as NonNullable<LockedRequest['edited_arguments']>
  return { edited_arguments, edited_arguments_hash: argumentsHash(args) }
}

// Contract silent: an argument that stays as the agent gave it may name what the agent reaches.
/** 422 for edited arguments that leave the company of the work, whatever the agent may reach. */
async function checkCompany(ctx: Context, request: LockedRequest, edited: unknown): Promise<void> {
  const { execution_id, tool_name } = request
  const tool = toolNamed(tool_name ?? '')
  if (!tool || execution_id === null || !isObject(edited)) return
  const work = await db(ctx).execution.findFirst({
    where: { execution_id },
    select: { entity_type: true, entity_id: true, psa_company_id: true },
  })
  const reach = work ? reachOfWork(work) : null
  if (reach === null) return
  const before = isObject(request.arguments) ? request.arguments : {}
  const outside = await foreignArguments(ctx, reach, tool, { args: edited, before })
  const message = 'names nothing of the company that the agent works for'
  if (outside.length > 0)
    throw invalid(outside.map((name) => bodyProblem(`edited_arguments.${name}`, 'other_company', message)))
}

area.mutation('approve_til_request', (t) =>
  t.prismaField({
    type: TilRequest,
    description:
      'Approves a request to technicians, in the name of one of the technicians who may decide it. The work that ' +
      'waited goes on; a call of the API is made as the approver, once, and `call_error` says why, if it was refused. A run ' +
      'of a script is approved with the body that was asked for: if the RMM has another one, or no longer has the script, the ' +
      'request is SUPERSEDED and the run CANCELLED; while the device is offline the request stays. ' +
      `${OF_CALLER}`,
    rest: { method: 'POST', path: '/til-requests/{til_request_id}/approve' },
    access: scope('til_requests:decide'),
    errors: [
      ...DECISION_ERRORS,
      'self_approval_forbidden',
      'arguments_changed',
      'script_changed_since_approval',
      'script_removed',
      'script_not_enabled',
      'device_offline',
      'upstream_unavailable',
    ],
    etag: tilRequestEtag,
    args: {
      til_request_id: t.arg(tilRequestId),
      input: t.arg({ type: ApprovalOfTilRequest }),
    },
    resolve: (query, _root, { til_request_id, input }, ctx, info) => {
      const { comment = null, edited_arguments, arguments_hash } = input ?? {}
      refuseSecrets({ comment })
      const is_edit = edited_arguments != null
      let stored: unknown = edited_arguments
      return decide(
        ctx,
        til_request_id,
        {
          decision: is_edit ? 'EDIT' : 'APPROVE',
          comment,
          arguments_hash,
          async check(request) {
            const fits = fitProblem(request, is_edit ? 'EDIT' : 'APPROVE', arguments_hash) === null
            if (stateOf(request, ctx.now) !== 'PENDING' || !fits) return
            checkIfMatch(ctx, tilRequestEtag(request))
            if (is_edit) {
              edited(request, edited_arguments)
              await checkCompany(ctx, request, edited_arguments)
            }
            stored = await WAITING_RUNS.get().beforeApproval(ctx, request, is_edit ? edited_arguments : null)
            refuseSecrets({ edited_arguments: stored })
          },
          ...(is_edit && { columns: (request) => edited(request, stored) }),
        },
        wantedFields(info),
        query,
      )
    },
  }),
)
