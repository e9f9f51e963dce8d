/** The steps between Yoga's validation and its execution: admission, a deadline, and `Idempotency-Key`. */
import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type GraphQLError,
  getOperationAST,
} from 'graphql'
import { invalid } from '../errors/errors.ts'
import type { Gateway } from '../gateway/admit.ts'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { isLostRace, needsExternalRead, toApiError } from '../gateway/errors.ts'
import { REPLAYED, runOnce } from '../gateway/idempotency.ts'
import { committedRefusal } from '../gateway/transaction.ts'
import { unreadable } from '../http/body.ts'
import { rootFields } from '../schema/document-fields.ts'
import type { DocumentCache } from './document-cache.ts'
import { admitOperation, type operationPreparer, type PreparedOperation } from './prepare.ts'
import { formatError } from './result.ts'
import type { ServerContext, YogaPlugin } from './server-context.ts'
import type { streamOpener } from './subscription.ts'

const oneMutationNeeded = () =>
  invalid([
    {
      field: 'Idempotency-Key',
      location: 'header',
      code: 'one_mutation',
      message: 'goes with a document that has exactly one mutation field',
    },
  ])

/** Rolls the transaction of a refused mutation back, and carries its result. */
class Refused extends Error {
  readonly result: ExecutionResult

  constructor(result: ExecutionResult) {
    super('refused')
    this.result = result
  }
}

/** Executes once per `Idempotency-Key`, as REST does. */
async function executeOnce(
  args: ExecutionArgs,
  { document, operation, operations }: PreparedOperation,
  variables: Record<string, unknown>,
  key: string,
  text: string,
): Promise<ExecutionResult> {
  const ctx = args.contextValue as Context
  const [only] = operations
  if (operation.operation !== 'mutation' || !only || operations.length > 1) throw oneMutationNeeded()
  const [field] = rootFields(document, operation)
  const response_key = (field?.alias ?? field?.name)?.value ?? only.name
  const request = {
    key,
    operation: only.name,
    response_key,
    content: ['graphql', text, operation.name?.value, variables],
  }
  const run = async (): Promise<ExecutionResult> => {
    const result = await execute(args)
    const { errors = [] } = result
    const [error] = [...errors.filter(needsExternalRead), ...errors]
    if (!error) return result
    if (needsExternalRead(error) || isLostRace(error) || committedRefusal(error)) throw error
    // The answer is read in the same transaction as the mutation: an error in reading undoes the mutation too.
    throw new Refused({ ...result, ...(result.data && { data: { [response_key]: null } }) })
  }
  try {
    const { body, replayed } = await runOnce(ctx, request, run)
    return { ...body, ...(replayed && { extensions: { http: { headers: REPLAYED } } }) }
  } catch (error) {
    if (error instanceof Refused) return error.result
    if (committedRefusal(error)) return { errors: [error as GraphQLError], data: { [response_key]: null } }
    throw error
  }
}

interface ExecutionOptions {
  gateway: Gateway
  prepare: ReturnType<typeof operationPreparer>
  /** null if it is turned off. */
  cache: DocumentCache | null
  openStream: ReturnType<typeof streamOpener>
}

/** Admits what a document asks for before it is executed, within its time, once per `Idempotency-Key`. */
export const executionPlugin = ({ gateway, prepare, cache, openStream }: ExecutionOptions): YogaPlugin => ({
  async onSubscribe({ args, setSubscribeFn, setResultAndStopExecution }) {
    const ctx = args.contextValue as Context
    const { call, streams } = args.contextValue as unknown as ServerContext
    call.context = ctx
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation) return
    try {
      const prepared = prepare(args.document, operation)
      call.operation = prepared.label
      await admitOperation(gateway, prepared, call, ctx, args.variableValues ?? {})
      if (ctx.request.idempotency_key) throw oneMutationNeeded()
      if (!streams) throw unreadable('A subscription is a stream: send Accept: text/event-stream.')
      setSubscribeFn((given) => openStream({ call, prepared }, given as ExecutionArgs))
    } catch (error) {
      const problem = toApiError(error, ctx.services.log, call)
      setResultAndStopExecution({ errors: [formatError(problem, call, ctx.services.log, false)] })
    }
  },
  async onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
    const ctx = args.contextValue as Context
    const { params, call } = args.contextValue as unknown as ServerContext & { params: { query?: string } }
    // Yoga hands resolvers a copy of the context it was given.
    call.context = ctx
    const operation = getOperationAST(args.document, args.operationName)
    if (!operation) return
    try {
      const text = params.query ?? ''
      const prepared = prepare(args.document, operation)
      call.operation = prepared.label
      const variables = await admitOperation(gateway, prepared, call, ctx, args.variableValues ?? {})
      cache?.add(text, args.operationName, prepared)
      const { idempotency_key } = ctx.request
      // Yoga's own executor takes every value with a field `then` for a promise, be it JSON or an alias.
      const run = async () =>
        idempotency_key
          ? await executeOnce(args, prepared, variables, idempotency_key, text)
          : await execute(args)
      setExecuteFn(() => withDeadline(prepared.deadlineOf(variables), run()))
    } catch (error) {
      const problem = toApiError(error, ctx.services.log, call)
      setResultAndStopExecution({ errors: [formatError(problem, call, ctx.services.log, false)] })
    }
  },
})
