/** Runs REST operations by their GraphQL documents. */
import type { GraphQLSchema } from 'graphql'
import type { Context } from '../gateway/context.ts'
import { withDeadline } from '../gateway/deadline.ts'
import { documentRunner, type RunDocument } from '../gateway/execute.ts'
import { runOnce } from '../gateway/idempotency.ts'
import type { Operation } from '../gateway/operation.ts'
import { type EnvelopeParts, toPartsOf } from './envelope.ts'
import type { DocumentOf } from './sofa-routes.ts'

export interface Outcome {
  parts: EnvelopeParts
  replayed: boolean
}

export type Run = (ctx: Context, values: Record<string, unknown>) => Promise<Outcome>

const contentOf = ({ sent_body }: Context, values: Record<string, unknown>): unknown[] =>
  sent_body === null ? ['rest', values] : ['rest', values, sent_body]

/** Runs the operation by its document, within its timeout, and once per `Idempotency-Key`. */
export function runner(schema: GraphQLSchema, operation: Operation, documentOf: DocumentOf, ms: number): Run {
  const toParts = toPartsOf(operation.field.type)
  let run: RunDocument | undefined

  async function value(ctx: Context, values: Record<string, unknown>): Promise<unknown> {
    run ??= documentRunner(schema, documentOf(operation.name))
    const result = await run(ctx, values)
    if (result.errors?.[0]) throw result.errors[0]
    return result.data?.[operation.name]
  }

  async function runKeyed(ctx: Context, key: string, values: Record<string, unknown>): Promise<Outcome> {
    const { name } = operation
    const request = { key, operation: name, response_key: name, content: contentOf(ctx, values) }
    const { body, replayed } = await runOnce(ctx, request, async () => toParts(await value(ctx, values)))
    return { parts: body, replayed }
  }

  return async (ctx, values) => {
    const { idempotency_key } = ctx.request
    if (operation.kind === 'mutation' && idempotency_key) {
      return await withDeadline(ms, runKeyed(ctx, idempotency_key, values))
    }
    const wait_ms = operation.waits ? operation.waits(values) * 1000 : 0
    return { parts: toParts(await withDeadline(ms + wait_ms, value(ctx, values))), replayed: false }
  }
}
