/** The fields that an operation selects, fragments included. */
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'

export const INTROSPECTION = new Set(['__schema', '__type', '__typename'])

export function fragmentsOf(document: DocumentNode): Map<string, FragmentDefinitionNode> {
  const fragments = document.definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
  return new Map(fragments.map((fragment) => [fragment.name.value, fragment]))
}

/** The fields of the selection sets themselves, each fragment's once. */
export function fieldsIn(
  sets: readonly SelectionSetNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): FieldNode[] {
  const seen = new Set<string>()
  const fieldsOf = ({ selections }: SelectionSetNode): FieldNode[] =>
    selections.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection]
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet)
      const name = selection.name.value
      const fragment = fragments.get(name)
      if (!fragment || seen.has(name)) return []
      seen.add(name)
      return fieldsOf(fragment.selectionSet)
    })
  return sets.flatMap(fieldsOf)
}

const selectedAtRoot = (document: DocumentNode, { selectionSet }: OperationDefinitionNode): FieldNode[] =>
  fieldsIn([selectionSet], fragmentsOf(document))

/** The root fields that the operation selects; introspection is not among them. */
export const rootFields = (document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] =>
  selectedAtRoot(document, operation).filter(({ name }) => !INTROSPECTION.has(name.value))

/** The fields by which the operation reads the schema: `__schema` and `__type`. */
export const introspections = (document: DocumentNode, operation: OperationDefinitionNode): FieldNode[] =>
  selectedAtRoot(document, operation).filter(
    ({ name }) => name.value === '__schema' || name.value === '__type',
  )

/** The fields that make the value at this path of the answer. */
export function fieldsAt(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
  path: readonly (string | number)[],
): FieldNode[] {
  const fragments = fragmentsOf(document)
  let fields: FieldNode[] = []
  let sets = [selectionSet]
  for (const key of path.filter((step) => typeof step === 'string')) {
    fields = fieldsIn(sets, fragments).filter(({ alias, name }) => (alias ?? name).value === key)
    sets = fields.flatMap(({ selectionSet: selected }) => selected ?? [])
  }
  return fields
}
