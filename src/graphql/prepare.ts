/** Prepares an operation of a document: everything that is the same for each of its requests. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
  valueFromASTUntyped,
} from 'graphql'
import { type FieldError, invalid } from '../errors/errors.ts'
import { admitHolder, type Gateway, refusalOf, type SignedAddress } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'
import type { Operation, RootField } from '../gateway/operation.ts'
import { charge } from '../gateway/rate-limits.ts'
import { BASE_PATH } from '../lib/api.ts'
import { rootFields } from '../schema/document-fields.ts'
import { checkSize, type QuerySize, sizeCalculator } from './query-cost.ts'
import { argumentPlaces, refuseInvalidArguments, variablesOf } from './variables.ts'

type Variables = Record<string, unknown>

/** The location of an operation's argument over REST. */
export type Locate = (operation: Operation, argument: string) => FieldError['location']

/** One operation of a document that is valid. */
export interface PreparedOperation {
  document: DocumentNode
  operation: OperationDefinitionNode
  /** Of its root fields. */
  operations: readonly RootField[]
  /** Its name in metrics and usage. */
  label: string | null
  /** Milliseconds it may take, without the time that it waits. */
  timeout_ms: number
  /** Milliseconds until a request with these variables is given up. */
  deadlineOf(variables: Variables): number
  sizeOf(variables: Variables): QuerySize
  /** The signed URL that the arguments make, of a document with fields for its holder; null for any other document. */
  addressOf(variables: Variables): SignedAddress | null
  /** 422 with everything in the arguments that does not fit. */
  checkInput(variables: Variables): void
}

/** The label of the operations: `several` for a combination, since metrics need a bounded number of labels. */
function labelOf(operations: readonly RootField[]): string | null {
  const [name, ...others] = new Set(operations.map((operation) => operation.name))
  return others.length > 0 ? 'several' : (name ?? null)
}

/** 422 for invalid variables outside arguments: in a directive, or in an unused fragment. */
function checkOtherVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Variables,
): void {
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
  if (!errors) return
  throw invalid(
    errors.map(({ message }) => ({ field: 'variables', location: 'query', code: 'type', message })),
  )
}

/** The seconds that each of the fields waits, by the variables of the request. */
function waitsIn(
  fields: readonly FieldNode[],
  byName: ReadonlyMap<string, RootField>,
): ((variables: Variables) => number)[] {
  return fields.flatMap((node) => {
    const root = byName.get(node.name.value)
    if (!root || root.kind === 'subscription') return []
    const { waits, field } = root
    return waits ? (variables: Variables) => waits(getArgumentValues(field, node, variables)) : []
  })
}

/** The text of an argument; '' for anything that is none. */
function textOf(node: FieldNode, name: string, variables: Variables): string {
  const given = node.arguments?.find((argument) => argument.name.value === name)
  const value: unknown = given && valueFromASTUntyped(given.value, variables)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The signed URL that the arguments of the field make: those in its path and its query. */
function addressOf(node: FieldNode, root: Operation, locate: Locate, variables: Variables): SignedAddress {
  let path = BASE_PATH + root.rest.path
  const query = new URLSearchParams()
  for (const { name } of root.field.args) {
    const location = locate(root, name)
    if (location === 'body') continue
    const text = textOf(node, name, variables)
    if (location === 'path') path = path.replace(`{${name}}`, () => text)
    else if (text !== '') query.set(name, text)
  }
  return { path, query }
}

const NO_ADDRESS: SignedAddress = { path: '', query: new URLSearchParams() }

/**
 * The signed URL of a document with fields for the holder of one: it is the same for each of them, whatever directives they
 * have, or else there is none.
 */
function addressIn(
  fields: readonly FieldNode[],
  byName: ReadonlyMap<string, RootField>,
  locate: Locate,
): PreparedOperation['addressOf'] {
  const signed = fields.flatMap((node) => {
    const root = byName.get(node.name.value)
    return root && root.kind !== 'subscription' && root.access.kind === 'signed' ? [{ node, root }] : []
  })
  if (signed.length === 0) return () => null
  return (variables) => {
    const [first = NO_ADDRESS, ...others] = signed.map(({ node, root }) =>
      addressOf(node, root, locate, variables),
    )
    return others.every(({ path, query }) => path === first.path && String(query) === String(first.query))
      ? first
      : NO_ADDRESS
  }
}

interface PrepareOptions {
  schema: GraphQLSchema
  operations: readonly RootField[]
  locate: Locate
  /** Milliseconds that a query may take; a mutation has twice as long. */
  request_timeout_ms: number
}

/** Prepares each operation once, at the first request of its document, for as long as the document is cached. */
export function operationPreparer({ schema, operations, locate, request_timeout_ms }: PrepareOptions) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const kept = new WeakMap<OperationDefinitionNode, PreparedOperation>()

  function prepare(document: DocumentNode, operation: OperationDefinitionNode): PreparedOperation {
    const fields = rootFields(document, operation)
    const chosen = fields.flatMap(({ name }) => byName.get(name.value) ?? [])
    const timeout_ms = operation.operation === 'query' ? request_timeout_ms : request_timeout_ms * 2
    const waiting = waitsIn(fields, byName)
    const places = argumentPlaces(schema, document, (field, argument) => {
      const root = byName.get(field)
      return root && root.kind !== 'subscription' ? locate(root, argument) : 'query'
    })
    return {
      document,
      operation,
      operations: chosen,
      label: labelOf(chosen),
      timeout_ms,
      deadlineOf: (variables) =>
        timeout_ms + Math.max(0, ...waiting.map((secondsOf) => secondsOf(variables) * 1000)),
      sizeOf: sizeCalculator(schema, document, operation),
      addressOf: addressIn(fields, byName, locate),
      checkInput(variables) {
        refuseInvalidArguments(places, variables)
        checkOtherVariables(schema, operation, variables)
      },
    }
  }

  return (document: DocumentNode, operation: OperationDefinitionNode): PreparedOperation => {
    let prepared = kept.get(operation)
    if (!prepared) {
      prepared = prepare(document, operation)
      kept.set(operation, prepared)
    }
    return prepared
  }
}

/**
 * Completes the admission of a request by what its document asks for: access of every root field, size, limits, input,
 * in the order of REST. Throws the first refusal; nothing has run.
 */
export async function admitOperation(
  gateway: Gateway,
  prepared: PreparedOperation,
  call: Call,
  ctx: Context,
  given: Readonly<Variables>,
): Promise<Variables> {
  const { operation, operations } = prepared
  const variables = variablesOf(operation, given)
  const address = prepared.addressOf(variables)
  if (address) await admitHolder(gateway, call, ctx, address)
  const refused = refusalOf(operations, ctx.viewer)
  if (refused?.status === 401) throw refused
  const size = prepared.sizeOf(variables)
  if (!refused) checkSize(size)
  if (ctx.reads) ctx.reads.repeats = Math.max(1, size.cost)
  if (ctx.viewer) {
    const writes = operation.operation === 'mutation' ? operations.length : 0
    const demand = { calls: 0, writes, points: refused ? 0 : size.cost, operations }
    await charge(ctx.services, ctx.rates, ctx.viewer, demand, prepared.timeout_ms)
  }
  if (refused) throw refused
  prepared.checkInput(variables)
  return variables
}
