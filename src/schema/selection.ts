/** What of an answer somebody asked for, so that no more than that is read. */
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
  const within = path.reduce(
    (fields, step) => selected(fields).filter(({ name }) => name.value === step),
    fieldNodes,
  )
  return new Set(selected(within).map(({ name }) => name.value))
}

/** Fields resolve again and again, and those of a document never change. */
const known = new WeakMap<FieldNode, ReadonlySet<string>>()

/**
 * The fields that are wanted of the value that is being resolved, or of what lies in it at the path, which is the same
 * whenever a field is resolved. One that a directive leaves out counts as wanted.
 */
export function wantedFields(info: Selecting, ...path: readonly string[]): ReadonlySet<string> {
  const [node, ...others] = info.fieldNodes
  // Directives decide how many nodes there are.
  if (!node || others.length > 0) return namesIn(info, path)
  let names = known.get(node)
  if (!names) {
    names = namesIn(info, path)
    known.set(node, names)
  }
  return names
}
