/** The calls of the demo: each is printed with what it is answered, and must be answered as it is expected to be. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoService } from './service.ts'
import { writeAnswer, writeRequest } from './words.ts'

/** A value of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: what the API answers is compared with what is expected of it.
export type Answer = any

export interface Step {
  /** Called as the technician; else by the demo API key. */
  as_technician?: boolean
  body?: unknown
  /** The part of the answer that is printed. */
  shows(answer: Answer): unknown
  /** A condition that the answer must meet, with its words. */
  expects: readonly [words: string, condition: (answer: Answer) => boolean]
  /** While this holds it is asked again, and an answer that differs is printed. */
  again?(answer: Answer): boolean
}

/** An answer that is not as the story needs it. */
function checkAnswer(answer: Answer, [words, condition]: Step['expects']): void {
  let holds = false
  try {
    holds = condition(answer)
  } catch {
    // The resource is not there yet.
  }
  if (!holds) throw new Error(`Expected ${words}. The answer was ${JSON.stringify(answer)}`)
}

const ROUNDS = 25
const PAUSE_MS = 500

export interface Calls {
  rest(method: 'GET' | 'POST', path: string, step: Step): Promise<Answer>
  graphql(query: string, step: Step): Promise<Answer>
  /** The updates of a subscription, as they arrive. */
  subscribe(query: string): Promise<AsyncGenerator<Answer, void>>
}

export function callsOf({ base, key, technician }: DemoService, signal: AbortSignal): Calls {
  const sent = async (
    path: string,
    method: string,
    as_technician = false,
    body?: unknown,
    accept = 'application/json',
  ) =>
    await fetch(base + path, {
      method,
      signal,
      headers: {
        Authorization: `Bearer ${as_technician ? technician : key}`,
        Accept: accept,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })

  async function call(method: string, path: string, step: Step): Promise<Answer> {
    const { as_technician, body, shows, expects, again } = step
    let shown: string | undefined
    for (let round = 1; ; round += 1) {
      if (round === 1)
        writeRequest(as_technician ? 'as the technician' : 'by the API key', method, path, body)
      const response = await sent(path, method, as_technician, body)
      const { data, error, errors } = (await response.json()) as Answer
      if (error || errors) {
        writeAnswer(response.status, error ?? errors)
        throw new Error(`Expected ${expects[0]}. The call was refused with ${response.status}.`)
      }
      const now = JSON.stringify(shows(data))
      if (now !== shown) writeAnswer(response.status, shows(data))
      shown = now
      if (again?.(data) && round < ROUNDS) {
        await sleep(PAUSE_MS, undefined, { signal })
        continue
      }
      checkAnswer(data, expects)
      return data
    }
  }

  return {
    rest: (method, path, step) => call(method, `/public-api${path}`, step),
    graphql: (query, { body, ...step }) =>
      call('POST', '/graphql', { ...step, body: { query, ...(body !== undefined && { variables: body }) } }),
    async subscribe(query) {
      writeRequest('by the API key, as a stream of events', 'POST', '/graphql', { query })
      const response = await sent('/graphql', 'POST', false, { query }, 'text/event-stream')
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (!isStream || !response.body)
        throw new Error(`Expected a stream of events. The answer was ${response.status}.`)
      return eventsOf(response.body)
    },
  }
}

/** The data of the events of a stream. */
export async function* eventsOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Answer, void> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: (.+)$/m.exec(event)?.[1]
      if (data) yield JSON.parse(data).data
    }
  }
}
