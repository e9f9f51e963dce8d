/** Checks, at start, that SOFA translates the REST view without loss. */
import {
  type GraphQLNamedOutputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql'
import type { Operation } from '../gateway/operation.ts'
import { unknownOmissions } from './omitted.ts'

function fieldsOf(type: GraphQLNamedOutputType) {
  return isObjectType(type) ? Object.values(type.getFields()) : []
}

function problemsIn(type: GraphQLOutputType, path: string, ancestors: readonly string[]): string[] {
  const named = getNamedType(type)
  if (ancestors.includes(named.name))
    return [`${path}: ${named.name} is inside itself, so SOFA leaves it out`]
  if (isUnionType(named)) return [`${path}: SOFA renames same-named fields of a union's members`]
  return fieldsOf(named).flatMap((field) => {
    const at = `${path}.${field.name}`
    if (field.args.length > 0) return [`${at}: an argument of a nested field becomes a query parameter`]
    return problemsIn(field.type, at, [...ancestors, named.name])
  })
}

function parameterProblems({ name, rest, field }: Operation): string[] {
  const parameters = [...rest.path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '')
  return parameters.flatMap((parameter) => {
    const arg = field.args.find((candidate) => candidate.name === parameter)
    if (!arg) return [`${name}: the path has {${parameter}}, which is no argument`]
    return isNonNullType(arg.type)
      ? []
      : [`${name}: the argument ${parameter} is in the path, so it is required`]
  })
}

function envelopeProblems({ name, envelope, field }: Operation): string[] {
  const type = getNamedType(field.type)
  const isPage = isObjectType(type) && 'pagination' in type.getFields()
  return envelope === false && isPage ? [`${name}: a page has its cursor in the envelope`] : []
}

/** Throws with every problem of the REST view. */
export function checkView(view: GraphQLSchema, operations: readonly Operation[]): void {
  const roots = { query: view.getQueryType(), mutation: view.getMutationType() }
  const problems = operations.flatMap((operation) => {
    const field = roots[operation.kind]?.getFields()[operation.name]
    const unknown = unknownOmissions(operation)
    return [
      ...parameterProblems(operation),
      ...envelopeProblems(operation),
      ...unknown.map((name) => `${operation.name}: rest.omit names ${name}, which its type does not have`),
      ...(field ? problemsIn(field.type, operation.name, []) : []),
    ]
  })
  if (problems.length > 0) throw new Error(`The schema does not fit REST:\n${problems.join('\n')}`)
}
