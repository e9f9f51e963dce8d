/** What is the same for every request of a document: found out once, at the first. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql'
import { type FieldError, invalid } from '../errors.ts'
import type { Context } from '../gateway/context.ts'
import type { Operation } from '../gateway/operation.ts'
import { charge, refusalOf } from '../gateway/rate-limits.ts'
import { rootFields } from '../schema/document-fields.ts'
import { type Measures, measurer, refuseExcess } from './query-cost.ts'
import { argumentPlaces, refuseInvalidArguments, variablesOf } from './variables.ts'

type Variables = Record<string, unknown>

/** Where REST carries an argument of an operation. */
export type Locate = (operation: Operation, argument: string) => FieldError['location']

/** One operation of a document that is valid. */
export interface Plan {
  document: DocumentNode
  operation: OperationDefinitionNode
  /** Of its root fields. */
  operations: readonly Operation[]
  /** How metrics and usage call it. */
  label: string | null
  /** Milliseconds it may take. */
  timeout_ms: number
  measure(variables: Variables): Measures
  /** 422 with everything in the arguments that does not fit. */
  refuseInvalidArguments(variables: Variables): void
}

/** Callers can combine operations in more ways than metrics and usage could count. */
function labelOf(operations: readonly Operation[]): string | null {
  const [name, ...others] = new Set(operations.map((operation) => operation.name))
  return others.length > 0 ? 'several' : (name ?? null)
}

/** 422 for variables that stand where no argument is: in a directive, in a fragment that is not used. */
function refuseInvalidVariables(
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

interface PlannerOptions {
  schema: GraphQLSchema
  operations: readonly Operation[]
  locate: Locate
  /** Milliseconds that a query may take; a mutation has twice as long. */
  request_timeout_ms: number
}

/** Plans, made at the first request of a document and kept as long as the document is. */
export function planner({ schema, operations, locate, request_timeout_ms }: PlannerOptions) {
  const byName = new Map(operations.map((operation) => [operation.name, operation]))
  const plans = new WeakMap<OperationDefinitionNode, Plan>()

  function planned(document: DocumentNode, operation: OperationDefinitionNode): Plan {
    const chosen = rootFields(document, operation).flatMap(({ name }) => byName.get(name.value) ?? [])
    const places = argumentPlaces(schema, document, (field, argument) => {
      const root = byName.get(field)
      return root ? locate(root, argument) : 'query'
    })
    return {
      document,
      operation,
      operations: chosen,
      label: labelOf(chosen),
      timeout_ms: operation.operation === 'query' ? request_timeout_ms : request_timeout_ms * 2,
      measure: measurer(schema, document, operation),
      refuseInvalidArguments(variables) {
        refuseInvalidArguments(places, variables)
        refuseInvalidVariables(schema, operation, variables)
      },
    }
  }

  return (document: DocumentNode, operation: OperationDefinitionNode): Plan => {
    let plan = plans.get(operation)
    if (!plan) {
      plan = planned(document, operation)
      plans.set(operation, plan)
    }
    return plan
  }
}

/** Access of every root field, size, limits, input, in the order of REST: throws the first refusal; nothing has run. */
export async function admit(plan: Plan, ctx: Context, given: Readonly<Variables>): Promise<Variables> {
  const { operation, operations } = plan
  const variables = variablesOf(operation, given)
  const refused = refusalOf(operations, ctx.viewer)
  if (refused?.status === 401) throw refused
  const measures = plan.measure(variables)
  if (!refused) refuseExcess(measures)
  if (ctx.viewer) {
    const writes = operation.operation === 'mutation' ? operations.length : 0
    const demand = { calls: 0, writes, points: refused ? 0 : measures.cost }
    await charge(ctx.services, ctx.rates, ctx.viewer, demand, plan.timeout_ms)
  }
  if (refused) throw refused
  plan.refuseInvalidArguments(variables)
  return variables
}
