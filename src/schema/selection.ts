/** Column projection: the columns that the selected fields of a value need. */
import { type FieldNode, type GraphQLResolveInfo, getNamedType, isObjectType } from 'graphql'
import { fieldsIn } from './document-fields.ts'

type Selecting = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments' | 'returnType'>

function namesIn({ fieldNodes, fragments, returnType }: Selecting, path: readonly string[]) {
  const spread = new Map(Object.entries(fragments))
  const selected = (fields: readonly FieldNode[]) =>
    fieldsIn(
      fields.flatMap(({ selectionSet }) => selectionSet ?? []),
      spread,
    )
  const fieldsOf = (type: unknown) => (isObjectType(type) ? type.getFields() : {})
  let nodes: readonly FieldNode[] = fieldNodes
  let type: unknown = getNamedType(returnType)
  for (const step of path) {
    nodes = selected(nodes).filter(({ name }) => name.value === step)
    const field = fieldsOf(type)[step]
    type = field && getNamedType(field.type)
  }
  const fields = fieldsOf(type)
  return new Set(
    selected(nodes).flatMap(({ name: { value } }) => {
      const { pothosOptions, pothosPrismaVariant: exposed } = fields[value]?.extensions ?? {}
      const { columns = [] } = (pothosOptions ?? {}) as { columns?: readonly string[] }
      return [value, ...columns, ...(typeof exposed === 'string' ? [exposed] : [])]
    }),
  )
}

/** The selection of a row that is read only to see that it is there. */
export const NO_FIELDS: ReadonlySet<string> = new Set()

/** The cache of selections, by field node and path: documents are immutable. */
const selections = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>()

/**
 * The fields that are selected of the value that is being resolved, or of what lies in it at the path, and the columns
 * that those are made of. One that a directive leaves out counts as selected.
 */
export function wantedFields(info: Selecting, ...path: readonly string[]): ReadonlySet<string> {
  const [node, ...others] = info.fieldNodes
  // Directives decide how many nodes there are.
  if (!node || others.length > 0) return namesIn(info, path)
  let paths = selections.get(node)
  if (!paths) {
    paths = new Map()
    selections.set(node, paths)
  }
  const key = path.join('.')
  let names = paths.get(key)
  if (!names) {
    names = namesIn(info, path)
    paths.set(key, names)
  }
  return names
}
