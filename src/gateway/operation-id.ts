/** The names of operations in OpenAPI. */
import { getNamedType, getNullableType, isListType, isObjectType } from 'graphql'
import type { Operation } from './operation.ts'

function isList({ field }: Pick<Operation, 'field'>): boolean {
  const named = getNamedType(field.type)
  return isListType(getNullableType(field.type)) || (isObjectType(named) && 'pagination' in named.getFields())
}

type Named = Pick<Operation, 'name' | 'kind' | 'field' | 'rest'>

/** The `operationId`, verb first: `list_agents`, `get_agent`. The name of a mutation begins with a verb already. */
export function operationId(operation: Named): string {
  const { rest, kind, name } = operation
  if (rest.operation_id) return rest.operation_id
  if (kind === 'mutation') return name
  return `${isList(operation) ? 'list' : 'get'}_${name}`
}
