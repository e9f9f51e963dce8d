/** Validates the arguments of a GraphQL operation by the same rules as REST. */
import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { bodyProblem, type FieldError, invalid } from '../errors/errors.ts'
import { checkArguments, MAX_NAMED } from '../schema/calls/input.ts'

type Locate = (rootField: string, argument: string) => FieldError['location']

/** The values of an operation's variables, with the defaults of those that are not given. */
export function variablesOf(
  operation: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    if (Object.hasOwn(given, name)) values[name] = given[name]
    else if (defaultValue) values[name] = valueFromASTUntyped(defaultValue)
  }
  return values
}

/** A field that is given arguments, somewhere in the document. */
interface Place {
  args: readonly GraphQLArgument[]
  given: readonly ArgumentNode[]
  at: (argument: string) => FieldError['location']
}

/** Every field of the document that takes arguments. */
export function argumentPlaces(schema: GraphQLSchema, document: DocumentNode, locate: Locate): Place[] {
  const places: Place[] = []
  const types = new TypeInfo(schema)
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const field = types.getFieldDef()
        if (!field || field.args.length === 0) return
        const isRoot = roots.some((root) => root === types.getParentType())
        const at: Place['at'] = (name) => (isRoot ? locate(field.name, name) : 'query')
        places.push({ args: field.args, given: node.arguments ?? [], at })
      },
    }),
  )
  return places
}

/** The problems of unknown input fields, up to twenty by name; the rest is counted. */
function unknownFields(paths: readonly string[]): FieldError[] {
  const named = paths
    .slice(0, MAX_NAMED)
    .map((path) => bodyProblem(path, 'unknown', 'is no field of this input'))
  const more = paths.length - named.length
  return more > 0 ? [...named, bodyProblem('input', 'unknown', `has ${more} more unknown fields`)] : named
}

/** 422 with every argument that does not fit, of any field of the document. */
export function refuseInvalidArguments(places: readonly Place[], variables: Record<string, unknown>): void {
  const errors: FieldError[] = []
  for (const { args, given: nodes, at } of places) {
    const given: Record<string, unknown> = {}
    for (const { name, value } of nodes) {
      const isUnset = value.kind === Kind.VARIABLE && !Object.hasOwn(variables, value.name.value)
      if (!isUnset) given[name.value] = valueFromASTUntyped(value, variables)
    }
    const findings = checkArguments(args, given, at)
    errors.push(...findings.errors)
    errors.push(...unknownFields(findings.ignored))
  }
  if (errors.length > 0) throw invalid(errors)
}
