/** Answers a request for a known query as Yoga would. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ExecutionResult } from 'graphql'
import { processRegularResult } from 'graphql-yoga'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { problemOf } from '../gateway/errors.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import { send } from '../http/send.ts'
import type { Known, KnownDocuments } from './known.ts'
import { admit } from './plan.ts'
import { answerType, paramsIn } from './request.ts'
import { complete, formatted } from './result.ts'

interface Request {
  call: Call
  ctx: Context
  body: unknown
}

/** What Yoga makes of a result, without the Response of the Fetch standard. */
class Answer {
  readonly body: string
  readonly status: number
  readonly headers: Record<string, string>

  constructor(body: string, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.body = body
    this.status = status
    this.headers = headers
  }
}

const fetchAPI = { Response: Answer } as unknown as Parameters<typeof processRegularResult>[1]

async function resultOf(
  { plan, run }: Known,
  call: Call,
  ctx: Context,
  given: Record<string, unknown>,
): Promise<ExecutionResult> {
  const { log } = ctx.services
  try {
    call.operation = plan.label
    const variables = await admit(plan, ctx, given)
    return await withDeadline(plan.timeout_ms, Promise.resolve(run(ctx, variables)))
  } catch (error) {
    return { errors: [formatted(problemOf(error, log, call), call, log, false)] }
  }
}

/** Whether the request was for a known query, and is answered. */
export async function runKnown(
  documents: KnownDocuments,
  req: IncomingMessage,
  res: ServerResponse,
  { call, ctx, body }: Request,
): Promise<boolean> {
  const params = paramsIn(body)
  const known = params && documents.find(params)
  const type = answerType(req)
  if (!known || !type || ctx.request.idempotency_key !== null) return false
  const result = await resultOf(known, call, ctx, params.variables)
  const completed = complete(result, call, ctx.services.log)
  const answer = processRegularResult(completed, fetchAPI, type) as unknown as Answer
  const headers = { ...commonHeaders(call, timingsOf(call)), ...answer.headers }
  send(req, res, { status: answer.status, headers, body: answer.body })
  return true
}
