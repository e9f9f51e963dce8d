/**
 * The door of an adapter: a system that tenants connect may answer anything. Every call has bounds, and every text that a port
 * answers with can be stored and shown.
 */
import { isObject } from '../lib/is-object.ts'
import { storableText } from '../lib/text.ts'
import { createYield } from '../lib/yielding.ts'
import type { Adapter } from './adapter.ts'
import type { ConnectableSystem } from './fields.ts'
import { type Bounds, READ_BOUNDS, WRITE_BOUNDS, withinBounds } from './http/call.ts'
import type { CallBounds, PortDescription } from './port.ts'

// Contract silent: longer texts are cut, and not refused: a person reads their beginning.
/** The texts of tickets, notes, alerts and scripts, and what scripts write. */
const MAX_CHARACTERS = 100_000
const LONG = new Set(['body', 'description', 'note', 'resolution', 'stderr', 'stdout', 'text'])
const MAX_URL = 2000
/** Names, labels, titles and addresses: an index takes as much. */
const MAX_NAME = 255
/** Ids, and places to go on after: a part of one would be another one. */
const WHOLE = /(?:^|_)(?:id|key|next)$/

function maximumOf(field: string): number {
  if (WHOLE.test(field)) return Number.POSITIVE_INFINITY
  if (LONG.has(field)) return MAX_CHARACTERS
  return field === 'url' ? MAX_URL : MAX_NAME
}

/** The answer, with texts that can be stored, and are as long as texts of their field can be. */
export function storableAnswer<Answer>(answer: Answer, field?: string): Answer
export function storableAnswer(answer: unknown, field = ''): unknown {
  if (typeof answer === 'string') return storableText(answer.slice(0, maximumOf(field)))
  if (Array.isArray(answer)) return answer.map((one) => storableAnswer(one, field))
  if (typeof answer !== 'object' || answer === null || answer instanceof Date) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [name, storableAnswer(value, name)]),
  )
}

/** The same of an answer that is a list, or has some. Other work goes on between their items. */
async function storableInSlices(answer: unknown): Promise<unknown> {
  const yielded = createYield()
  const part = async (value: unknown, field?: string): Promise<unknown> => {
    if (!Array.isArray(value)) return storableAnswer(value, field)
    const storable: unknown[] = []
    for (const item of value) {
      storable.push(storableAnswer(item, field))
      await yielded()
    }
    return storable
  }
  if (!isObject(answer)) return await part(answer)
  const members: [string, unknown][] = []
  for (const [name, value] of Object.entries(answer)) members.push([name, await part(value, name)])
  return Object.fromEntries(members)
}

/** A person wants to know how the system is now. */
const TEST: Bounds = { ...READ_BOUNDS, ms: 9500, ignores_circuits: true }
/** An event waits for its answer. */
const VERIFICATION: CallBounds = { ...READ_BOUNDS, ms: 2400 }
/** Some systems want a request for each field of each thing. */
const REGISTRATION: CallBounds = { ...READ_BOUNDS, ms: 60_000, requests: 1000 }

type Call = (...args: unknown[]) => Promise<unknown>

/** The port, each call within its bounds. */
function boundedPort<Port extends object>(port: Port, { calls, bounds }: PortDescription<Port>): Port {
  const within = (name: keyof Port): Call => {
    const usual = calls[name] === 'WRITE' ? WRITE_BOUNDS : READ_BOUNDS
    const own = { ...usual, ...bounds?.[name] }
    return async (...args) => storableInSlices(await withinBounds(own, () => (port[name] as Call)(...args)))
  }
  const names = Object.keys(calls) as (keyof Port)[]
  return Object.fromEntries(names.map((name) => [name, within(name)])) as Port
}

export function bounded<Port extends object, Of extends ConnectableSystem>(
  adapter: Adapter<Port, Of>,
  description: PortDescription<Port>,
): Adapter<Port, Of> {
  const { webhooks } = adapter
  return {
    ...adapter,
    open: (connection, ctx) => boundedPort(adapter.open(connection, ctx), description),
    test: async (connection) => storableAnswer(await withinBounds(TEST, () => adapter.test(connection))),
    ...(webhooks && {
      webhooks: {
        register: (connection, url) => withinBounds(REGISTRATION, () => webhooks.register(connection, url)),
        remove: (connection, url) => withinBounds(REGISTRATION, () => webhooks.remove(connection, url)),
        verify: (connection, headers, raw) =>
          withinBounds(VERIFICATION, () => webhooks.verify(connection, headers, raw)),
      },
    }),
  }
}
