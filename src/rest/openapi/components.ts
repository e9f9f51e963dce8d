/** Removal of components that no operation refers to. */
import type { Json } from './json.ts'

interface Components {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g

const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(REFERENCE)].map(([, kind, name]) => `${kind}/${name}`)

/** The document without the components that no path leads to. Security schemes are referred to by name. */
export function withoutUnused<Document extends Components>(document: Document): Document {
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
