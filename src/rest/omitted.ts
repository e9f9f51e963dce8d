/** Fields of a type that an operation leaves out over REST: `rest.omit`. */
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
  /** Field names from the root to the object. */
  path: readonly string[]
}

/** The object whose fields `omit` names: the item of a page, otherwise the operation's value. */
export function omittedFrom({ name, field }: Operation): OmittedFrom | null {
  const type = getNamedType(field.type)
  if (!isObjectType(type)) return null
  const { items, pagination } = type.getFields()
  if (!items || !pagination) return { type, path: [name] }
  const item = getNamedType(items.type)
  return isObjectType(item) ? { type: item, path: [name, 'items'] } : null
}

/** The names in `omit` that are no fields of the object. */
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
