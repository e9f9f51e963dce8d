/** Makes a stored call of an operation again, in the name of the approver. */
import { execute } from 'graphql'
import type { Viewer } from '../../access/viewer.ts'
import { ApiError, invalid } from '../../errors/errors.ts'
import { refusalOf } from '../../gateway/admit.ts'
import type { Context } from '../../gateway/context.ts'
import { causeOf, type ErrorBody, errorBody } from '../../gateway/errors.ts'
import type { Operation } from '../../gateway/operation.ts'
import type { EntityTags } from '../../lib/entity-tags.ts'
import { contextWithin, nested, tryOut } from '../trial.ts'
import { checkArguments } from './input.ts'

/** A call as it was stored. */
export interface StoredCall {
  operation: string
  arguments: Readonly<Record<string, unknown>>
  if_match: EntityTags | null
  /** The request to technicians in which it was stored, and who asked for it. */
  asked: NonNullable<Context['asked']>
  /** Who asked, as they are now. It throws the refusal of a caller who may call no more. */
  asker(): Promise<Viewer>
}

const contextOf = (ctx: Context, { if_match, asked }: StoredCall): Context => ({
  ...contextWithin(ctx),
  request: { ...ctx.request, if_match, idempotency_key: null },
  asked,
  sent_body: null,
})

/** The arguments, which a release since then may take no more. */
function argumentsOf({ field }: Operation, stored: StoredCall['arguments']): Record<string, unknown> {
  const { errors, values } = checkArguments(field.args, stored, () => 'body')
  if (errors.length > 0) throw invalid(errors)
  return values
}

/**
 * Makes the call in the caller's transaction. 403 if the caller may not. Returns the refusal of a call that was let
 * in and refused, to the approver or to the requester: nothing is left of it then. null if it succeeded.
 */
export async function replay(ctx: Context, call: StoredCall): Promise<ErrorBody | null> {
  const { services } = ctx
  const operation = services.operations().find(({ name }) => name === call.operation)
  if (!operation) throw new Error(`There is no operation ${call.operation} any more`)
  const refused = refusalOf([operation], ctx.viewer)
  if (refused) throw refused
  const own = contextOf(ctx, call)
  const make = async (contextValue: Context): Promise<void> => {
    const { errors } = await execute({
      schema: services.schema(),
      document: services.documentOf(operation.name),
      contextValue,
      variableValues: argumentsOf(operation, call.arguments),
    })
    const [error] = errors ?? []
    if (error) throw causeOf(error)
  }
  try {
    const asker = await call.asker()
    const refusedToAsker = refusalOf([operation], asker)
    if (refusedToAsker) throw refusedToAsker
    await tryOut({ ...own, viewer: asker }, make)
    await nested(own, () => make(own))
    return null
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return errorBody(error, own.services.public_url)
    throw error
  }
}
