import { scope } from '../../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../../access/viewer.ts'
import { ApiError, bodyProblem, invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { redact } from '../../../gateway/redact.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import { newId } from '../../../lib/ids.ts'
import { builder } from '../../../schema/builder.ts'
import { NO_FIELDS } from '../../../schema/selection.ts'
import { onTable } from '../../../schema/tables/operations.ts'
import { executionIfSeen } from '../../executions/index.ts'
import { area } from '../area.ts'
import { MAIL_SUPPORT_REQUEST } from '../declared.ts'
import { SUPPORT_REQUEST, SUPPORT_REQUESTS } from './queries.ts'
import { newReference } from './reference.ts'

const requests = onTable(area, SUPPORT_REQUEST)

requests.list('support_requests', SUPPORT_REQUESTS, {
  description:
    'Lists the support requests, the newest first: those about an execution only of agents that the caller sees.',
  rest: { method: 'GET', path: '/escalation/support-requests' },
  access: scope('escalation:read'),
})

requests.read('support_request', {
  description: 'Gets a support request.',
  rest: { method: 'GET', path: '/escalation/support-requests/{support_request_id}' },
  access: scope('escalation:read'),
})

const SupportRequestDraft = builder.inputType('SupportRequestDraft', {
  description: 'The request to the operator of the service.',
  fields: (t) => ({
    summary: t.string({
      min_length: 1,
      max_length: 300,
      required: true,
      description: 'The request in a line. What looks like a password, key or token is removed.',
    }),
    details: t.string({
      min_length: 1,
      max_length: 20_000,
      required: true,
      description:
        'What happened, and what was expected, for the operator alone: no answer has it. What looks like a password, key or ' +
        'token is removed.',
    }),
    execution_id: t.id({
      nullable: true,
      min_length: 1,
      max_length: 200,
      description:
        'The execution that the request is about, of an agent that you see. null: it is about none.',
    }),
    conversation_id: t.id({
      nullable: true,
      min_length: 1,
      max_length: 200,
      description: 'The conversation that the request is about. null: it is about none.',
    }),
  }),
})

async function requireExecutionSeen(ctx: Context, id: string): Promise<void> {
  if (await executionIfSeen(ctx, { id, fields: NO_FIELDS })) return
  throw invalid([bodyProblem('execution_id', 'unknown', 'is no execution that you see')])
}

const withoutSecrets = (text: string): string => redact(text) as string

requests.create('create_support_request', {
  description:
    'Asks the operator of the service, who gets a mail with the request, its details and the execution that it is about. ' +
    'People know the request by its `reference`. Secrets are removed before anything is stored. 409 ' +
    '`support_not_configured`: the operator takes no requests here.',
  rest: { method: 'POST', path: '/escalation/support-requests' },
  access: scope('escalation:write'),
  errors: ['support_not_configured'],
  input: SupportRequestDraft,
  async values(ctx, { summary, details, execution_id = null, conversation_id = null }) {
    const { mail, support_email } = ctx.services
    if (!mail || support_email === null) throw new ApiError('support_not_configured')
    if (execution_id !== null) await requireExecutionSeen(ctx, execution_id)
    const id = newId('sup')
    await enqueue(ctx, MAIL_SUPPORT_REQUEST, { support_request_id: id })
    return {
      id,
      reference: newReference(),
      summary: withoutSecrets(summary),
      details: withoutSecrets(details),
      execution_id,
      // Contract silent: a conversation is named for people, who look it up: it may be one of a chat that is not here.
      conversation_id: conversation_id === null ? null : withoutSecrets(conversation_id),
      request_id: ctx.request.id,
      created_by_name: recordedName(callerOf(ctx)),
    }
  },
})
