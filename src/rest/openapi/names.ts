/** Names of operations in OpenAPI and in generated clients. */
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql'
import type { Operation } from '../../gateway/operation.ts'

function isList({ field }: Operation): boolean {
  const named = getNamedType(field.type)
  return isListType(getNullableType(field.type)) || (isObjectType(named) && 'pagination' in named.getFields())
}

/** The `operationId`, verb first: `list_agents`, `get_agent`. The name of a mutation begins with a verb already. */
export function operationId(operation: Operation): string {
  const { rest, kind, name } = operation
  if (rest.operation_id) return rest.operation_id
  if (kind === 'mutation') return name
  return `${isList(operation) ? 'list' : 'get'}_${name}`
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** PascalCase: `list_agents` becomes `ListAgents`, `Not Found` becomes `NotFound`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z]+/)
    .map(capitalised)
    .join('')

/** The first sentence of a description. */
export const firstSentence = (description: string): string =>
  /^.*?\.(?=\s|$)/s.exec(description)?.[0] ?? description
