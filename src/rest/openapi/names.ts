/** The names that OpenAPI and the code made of it have for an operation. */
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql'
import type { Operation } from '../../gateway/operation.ts'

function isList({ field }: Operation): boolean {
  const named = getNamedType(field.type)
  return isListType(getNullableType(field.type)) || (isObjectType(named) && 'pagination' in named.getFields())
}

/** Verb first: `list_agents`, `get_agent`; a mutation begins with its verb already. */
export function operationId(operation: Operation): string {
  const { rest, kind, name } = operation
  if (rest.operation_id) return rest.operation_id
  if (kind === 'mutation') return name
  return `${isList(operation) ? 'list' : 'get'}_${name}`
}

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** `list_agents` and `Not Found` are `ListAgents` and `NotFound`. */
export const pascal = (text: string): string =>
  text
    .split(/[^A-Za-z]+/)
    .map(capitalised)
    .join('')

/** A description's first sentence, and the sentences after it. */
export function sentences(description: string): [first: string, rest: string] {
  const [first = ''] = /^.*?\.(?=\s|$)/s.exec(description) ?? [description]
  return [first, description.slice(first.length).trim()]
}
