/** Keeps the document short: equal answers are written once, and what nothing refers to is left out. */
import { STATUS_CODES } from 'node:http'
import { type Json, ref } from './json.ts'

interface Shared {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

const pascal = (text: string): string => text.replace(/[^A-Za-z]/g, '')

/** The most frequent answer of every error status becomes a component of the status's name. */
export function shareResponses<Document extends Shared>(document: Document): Document {
  const answers = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .map(({ responses }) => responses as Record<string, Json>)
  const responses: Record<string, Json> = {}
  const statuses = [...new Set(answers.flatMap((one) => Object.keys(one)))].filter(
    (status) => status >= '400',
  )
  for (const status of statuses.sort()) {
    const own = answers.filter((one) => one[status])
    const sizes = [...Map.groupBy(own, (one) => JSON.stringify(one[status])).values()]
    const most = sizes.reduce((largest, group) => (group.length > largest.length ? group : largest))
    const response = most[0]?.[status]
    if (most.length < 2 || !response) continue
    const name = pascal(STATUS_CODES[status] ?? status)
    responses[name] = response
    for (const one of most) one[status] = ref('responses', name)
  }
  return { ...document, components: { ...document.components, responses } }
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([^"]+)"/g

const referencesIn = (part: unknown): string[] =>
  [...JSON.stringify(part).matchAll(REFERENCE)].map(([, kind, name]) => `${kind}/${name}`)

/** The document without the components that no path leads to. Security schemes are referred to by name. */
export function withoutUnused<Document extends Shared>(document: Document): Document {
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
