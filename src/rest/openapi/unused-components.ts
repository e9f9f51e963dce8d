/** Removal of components that no path refers to. */
import type { DocumentParts } from './json.ts'

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g

const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(REFERENCE)].map(([, kind, name]) => `${kind}/${name}`)

/** The document without unused components. Security schemes are referred to by name and stay. */
export function withoutUnusedComponents<Document extends DocumentParts>(document: Document): Document {
  const { paths, components } = document
  const used = new Set<string>()
  const queue = referencesIn(paths)
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (used.has(next)) continue
    used.add(next)
    const [kind = '', name = ''] = next.split('/')
    const component = components[kind]?.[name]
    if (!component) throw new Error(`The document refers to ${next}, which it does not have`)
    queue.push(...referencesIn(component))
  }
  const kept = Object.entries(components).map(([kind, named]) => [
    kind,
    Object.fromEntries(
      Object.entries(named).filter(([name]) => kind === 'securitySchemes' || used.has(`${kind}/${name}`)),
    ),
  ])
  return { ...document, components: Object.fromEntries(kept) }
}
