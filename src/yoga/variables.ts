/** Judges the arguments of a GraphQL operation as the REST binder judges a request's. */
import {
  type DocumentNode,
  type GraphQLSchema,
  getVariableValues,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { type FieldError, invalid } from '../errors.ts'
import { checkArguments } from '../graphql/input.ts'

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

/** 422 with every argument that does not fit, of any field of the document. */
export function refuseUnfit(
  schema: GraphQLSchema,
  document: DocumentNode,
  variables: Record<string, unknown>,
  locate: Locate,
): void {
  const errors: FieldError[] = []
  const types = new TypeInfo(schema)
  visit(
    document,
    visitWithTypeInfo(types, {
      Field(node) {
        const field = types.getFieldDef()
        if (!field || field.args.length === 0) return
        const isRoot =
          types.getParentType() === schema.getQueryType() ||
          types.getParentType() === schema.getMutationType()
        const given: Record<string, unknown> = {}
        for (const { name, value } of node.arguments ?? []) {
          const isUnset = value.kind === Kind.VARIABLE && !Object.hasOwn(variables, value.name.value)
          if (!isUnset) given[name.value] = valueFromASTUntyped(value, variables)
        }
        const at = (name: string) => (isRoot ? locate(field.name, name) : 'query')
        const findings = checkArguments(field.args, given, at)
        errors.push(...findings.errors)
        for (const path of findings.ignored) {
          errors.push({
            field: path,
            location: 'body',
            code: 'unknown',
            message: 'is no field of this input',
          })
        }
      },
    }),
  )
  if (errors.length > 0) throw invalid(errors)
}

/** 422 for variables that stand where no argument is: in a directive, in a fragment that is not used. */
export function refuseUnfitVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
): void {
  const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables)
  if (!errors) return
  throw invalid(
    errors.map(({ message }) => ({ field: 'variables', location: 'query', code: 'type', message })),
  )
}
