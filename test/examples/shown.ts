/** Answers as the OpenAPI document shows them: without what differs from call to call, and with short lists. */

import type { Example } from '../../src/rest/openapi/examples.ts'

const REQUEST_ID = '3f2b8a54-6d1e-4c9b-9a70-5e8c1d2f4b6a'
const CURSOR = 'eyJ2IjoxfQ'
const MAX_ITEMS = 2

/** An id that the service draws: a prefix and 22 characters, or that of an event: 32 hexadecimal digits. */
const DRAWN_ID = /\b([a-z]{2,4})_(?:[0-9A-Za-z]{22}|[0-9a-f]{32})\b/g
/** The name of a support request, which the service draws too. */
const REFERENCE = /\bSR-[2-9A-Z]{8}\b/g
const SECRET = /\b(svc_sk_[a-z]+_|whsec_)[0-9A-Za-z+/]{43,46}\b=?/g

const SIGNATURE = /"signature":"[^"]*"/g

/** The fields that differ from call to call. Fields named like them in `data` are rows of the demo, and do not. */
const IN_META: Readonly<Record<string, unknown>> = { request_id: REQUEST_ID, timings_ms: { total: 12.5 } }

const shownUrl = (url: string): string => url.replace(/\b(grant|signature)=[^&]+/g, '$1=example')

interface Answer {
  data: unknown
  meta: Record<string, unknown>
}

/** A call and its answer. Ids that are not in `known` were drawn for it, or for an earlier call. */
export function shown(
  { parameters, body, answer: { data, meta } }: Example & { answer: Answer },
  known: string,
): Example {
  const drawn = new Map<string, string>()

  /** `mem_example` stands for the first id with that prefix, `mem_example2` for the second. */
  function shownId(id: string, prefix: string): string {
    if (known.includes(id)) return id
    const earlier = [...drawn.values()].filter((one) => one.startsWith(`${prefix}_`)).length
    const name = drawn.get(id) ?? `${prefix}_example${earlier === 0 ? '' : earlier + 1}`
    drawn.set(id, name)
    return name
  }

  const shownArguments = <Value>(value: Value): Value =>
    JSON.parse(JSON.stringify(value).replace(SIGNATURE, '"signature":"example"').replace(DRAWN_ID, shownId))

  function shownValue(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => shownValue(item, name))
    if (name === 'latency_ms') return 1
    if (name === 'next_cursor') return value && CURSOR
    if (typeof value === 'string')
      return shownUrl(
        value
          .replace(SECRET, '$1example')
          .replace(DRAWN_ID, shownId)
          .replace(REFERENCE, (name) => (known.includes(name) ? name : 'SR-EXAMPLE2')),
      )
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shownValue(inner, key)]))
  }

  const sent = {
    ...(parameters && { parameters: shownArguments(parameters) }),
    ...(body !== undefined && { body: shownArguments(body) }),
  }
  const shownMeta = Object.entries(meta).map(([name, value]) => [
    name,
    IN_META[name] ?? shownValue(value, name),
  ])
  return { ...sent, answer: { data: shownValue(data, 'data'), meta: Object.fromEntries(shownMeta) } }
}
