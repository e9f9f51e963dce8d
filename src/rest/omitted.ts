/** The fields that an operation's `rest.omit` leaves out over REST, although its type has them. */
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
} from 'graphql'
import type { Operation } from '../gateway/operation.ts'

interface OmittedFrom {
  type: GraphQLObjectType
  /** The fields that lead to the object, from the operation's own. */
  path: readonly string[]
}

/** The object that `omit` names fields of: each item of a page, otherwise the value of the operation. */
export function omittedFrom({ name, field }: Operation): OmittedFrom | null {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return null
  const { items, pagination } = type.getFields()
  if (!items || !pagination) return { type, path: [name] }
  const item = getNamedType(items.type)
  return isObjectType(item) ? { type: item, path: [name, 'items'] } : null
}

/** The names in `omit` that the object has no field for. */
export function unknownOmissions(operation: Operation): string[] {
  const { omit = [] } = operation.rest
  const fields = omittedFrom(operation)?.type.getFields() ?? {}
  return omit.filter((name) => !Object.hasOwn(fields, name))
}

/** The document without the selections of omitted fields. */
export function withoutOmitted(document: DocumentNode, operation: Operation): DocumentNode {
  const { omit } = operation.rest
  const from = omittedFrom(operation)
  if (!omit || !from) return document

  function pruned<Node extends FieldNode | OperationDefinitionNode>(
    node: Node,
    [next, ...rest]: readonly string[],
  ): Node {
    const isOmitted = (selection: SelectionNode) =>
      next === undefined && selection.kind === Kind.FIELD && omit?.includes(selection.name.value)
    const selections = node.selectionSet?.selections
      .filter((selection) => !isOmitted(selection))
      .map((selection) =>
        selection.kind === Kind.FIELD && selection.name.value === next ? pruned(selection, rest) : selection,
      )
    return selections ? { ...node, selectionSet: { kind: Kind.SELECTION_SET, selections } } : node
  }

  return {
    ...document,
    definitions: document.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? pruned(definition, from.path) : definition,
    ),
  }
}
