/** Runs one operation by its compiled document. */
import type { GraphQLSchema } from 'graphql'
import { ApiError } from '../errors.ts'
import { type RunDocument, runsOf } from '../graphql/compiled.ts'
import type { Context } from '../graphql/context.ts'
import { within } from '../graphql/deadline.ts'
import { type Answer, fingerprint, once } from '../graphql/idempotency.ts'
import type { Operation } from '../graphql/operation.ts'
import { lostRace, presented, problemOf } from '../graphql/problem.ts'
import type { DocumentOf } from './derived.ts'
import { liftOf, type Parts } from './envelope.ts'

interface Outcome {
  parts: Parts
  replayed: boolean
}

export type Run = (ctx: Context, values: Record<string, unknown>) => Promise<Outcome>

/** How the operation is run: by its document, bounded in time, once per `Idempotency-Key`. */
export function runner(schema: GraphQLSchema, operation: Operation, documentOf: DocumentOf, ms: number): Run {
  const lift = liftOf(operation.field.type)
  let run: RunDocument | undefined

  async function value(ctx: Context, values: Record<string, unknown>): Promise<unknown> {
    run ??= runsOf(schema, documentOf(operation.name))
    const result = await run(ctx, values)
    if (result.errors?.[0]) throw result.errors[0]
    return result.data?.[operation.name]
  }

  async function answer(ctx: Context, values: Record<string, unknown>): Promise<Answer> {
    try {
      return { status: 200, body: lift(await value(ctx, values)) }
    } catch (error) {
      if (lostRace(error)) throw error
      const problem = problemOf(error, ctx.services.log, { id: ctx.request.id, operation: operation.name })
      if (problem.status >= 500) throw problem
      return { status: problem.status, body: { ...presented(problem), headers: problem.headers } }
    }
  }

  async function onceOnly(ctx: Context, key: string, values: Record<string, unknown>): Promise<Outcome> {
    const request = { key, operation: operation.name, fingerprint: fingerprint(['rest', values]) }
    const { status, body, replayed } = await once(ctx, request, () => answer(ctx, values))
    if (status === 200) return { parts: body as Parts, replayed }
    throw restored(body, replayed)
  }

  return async (ctx, values) => {
    const { idempotency_key } = ctx.request
    if (operation.kind === 'mutation' && idempotency_key) {
      return await within(ms, onceOnly(ctx, idempotency_key, values))
    }
    return { parts: lift(await within(ms, value(ctx, values))), replayed: false }
  }
}

/** The header that marks a stored answer. */
export const REPLAYED = { 'Idempotency-Replayed': 'true' }

function restored(body: unknown, replayed: boolean): ApiError {
  const { code, message, details, headers } = body as ConstructorParameters<typeof ApiError>[1] & {
    code: ConstructorParameters<typeof ApiError>[0]
  }
  return new ApiError(code, {
    ...(message !== undefined && { message }),
    ...(details && { details }),
    headers: { ...headers, ...(replayed && REPLAYED) },
  })
}
