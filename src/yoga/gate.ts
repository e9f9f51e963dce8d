/** What every GraphQL operation passes before it runs, in the order of the REST layer. */
import {
  type ExecutionArgs,
  type ExecutionResult,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql'
import { type FieldError, invalid } from '../errors.ts'
import { authorize, charge } from '../graphql/admit.ts'
import type { Context } from '../graphql/context.ts'
import { type Answer, fingerprint, once } from '../graphql/idempotency.ts'
import type { Operation } from '../graphql/operation.ts'
import { lostRace, problemOf } from '../graphql/problem.ts'
import { measure, refuseExcess, rootFields } from './measure.ts'
import { formatted } from './result.ts'
import { refuseUnfit, refuseUnfitVariables, variablesOf } from './variables.ts'

export interface Admitted {
  operation: OperationDefinitionNode
  operations: Operation[]
  variables: Record<string, unknown>
}

/** Where REST carries an argument of an operation. */
export type Locate = (operation: Operation, argument: string) => FieldError['location']

/** Access of every root field, size, limits, input: throws the first refusal, and nothing has run. */
export async function admit(
  { schema, document, operationName, variableValues, contextValue }: ExecutionArgs,
  byName: ReadonlyMap<string, Operation>,
  locate: Locate,
): Promise<Admitted | null> {
  const ctx = contextValue as Context
  const operation = getOperationAST(document, operationName)
  if (!operation) return null
  const variables = variablesOf(operation, variableValues ?? {})
  const operations = rootFields(document, operation).flatMap(({ name }) => byName.get(name.value) ?? [])
  authorize(operations, ctx.viewer)
  const measures = measure(schema, document, operation, variables)
  refuseExcess(measures)
  const writes = operation.operation === 'mutation' ? operations.length : 0
  await charge(ctx.services, {
    viewer: ctx.viewer,
    ip: ctx.request.ip,
    calls: 0,
    writes,
    points: measures.cost,
  })
  refuseUnfit(schema, document, variables, (field, argument) => {
    const root = byName.get(field)
    return root ? locate(root, argument) : 'query'
  })
  refuseUnfitVariables(schema, operation, variables)
  return { operation, operations, variables }
}

type Execute = (args: ExecutionArgs) => ExecutionResult | Promise<ExecutionResult>

const onlyOneMutation = () =>
  invalid([
    {
      field: 'Idempotency-Key',
      location: 'header',
      code: 'one_mutation',
      message: 'goes with a document that has exactly one mutation field',
    },
  ])

/** Executes once per `Idempotency-Key`, as REST does. */
export async function executeOnce(
  args: ExecutionArgs,
  { operation, operations, variables }: Admitted,
  key: string,
  text: string,
  execute: Execute,
): Promise<ExecutionResult> {
  const ctx = args.contextValue as Context
  const [only] = operations
  if (operation.operation !== 'mutation' || !only || operations.length > 1) throw onlyOneMutation()
  const request = {
    key,
    operation: only.name,
    fingerprint: fingerprint(['graphql', text, operation.name?.value, variables]),
  }
  const run = async (): Promise<Answer> => {
    const result = await execute(args)
    const [error] = result.errors ?? []
    if (!error) return { status: 200, body: result }
    if (lostRace(error)) throw error
    const problem = problemOf(error, ctx.services.log)
    if (problem.status >= 500) throw error
    const errors = result.errors?.map((each) => formatted(each, ctx.request.id, ctx.services.log, true))
    return { status: problem.status, body: { ...result, errors } }
  }
  const { body, replayed } = await once(ctx, request, run)
  const http = replayed ? { http: { headers: { 'Idempotency-Replayed': 'true' } } } : {}
  return { ...(body as ExecutionResult), extensions: http }
}
