/** The selected fields of a value, for column projection. */
import type { FieldNode, GraphQLResolveInfo } from 'graphql'
import { fieldsIn } from './document-fields.ts'

type Selecting = Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>

function namesIn({ fieldNodes, fragments }: Selecting, path: readonly string[]): ReadonlySet<string> {
  const spread = new Map(Object.entries(fragments))
  const selected = (fields: readonly FieldNode[]) =>
    fieldsIn(
      fields.flatMap(({ selectionSet }) => selectionSet ?? []),
      spread,
    )
  const last = path.reduce(
    (fields, step) => selected(fields).filter(({ name }) => name.value === step),
    fieldNodes,
  )
  return new Set(selected(last).map(({ name }) => name.value))
}

/** The selection of a row that is read only to see that it is there. */
export const NO_FIELDS: ReadonlySet<string> = new Set()

/** The cache of selections, by field node and path: documents are immutable. */
const known = new WeakMap<FieldNode, Map<string, ReadonlySet<string>>>()

/**
 * The fields that are selected of the value that is being resolved, or of what lies in it at the path. One that a
 * directive leaves out counts as selected.
 */
export function wantedFields(info: Selecting, ...path: readonly string[]): ReadonlySet<string> {
  const [node, ...others] = info.fieldNodes
  // Directives decide how many nodes there are.
  if (!node || others.length > 0) return namesIn(info, path)
  let paths = known.get(node)
  if (!paths) {
    paths = new Map()
    known.set(node, paths)
  }
  const key = path.join('.')
  let names = paths.get(key)
  if (!names) {
    names = namesIn(info, path)
    paths.set(key, names)
  }
  return names
}
