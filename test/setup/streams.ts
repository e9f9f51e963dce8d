/** Subscriptions over GraphQL over SSE, read as browsers read event streams. */
import { onTestFinished } from 'vitest'
import { testApp } from './app.ts'
import { until } from './until.ts'
import type { Caller } from './world.ts'

/** One event of a stream, as the HTML standard dispatches it. */
interface StreamEvent {
  id: string
  event: string
  data: string
}

export interface Stream {
  status: number
  headers: Headers
  events: StreamEvent[]
  /** The text of each comment: those that keep it alive have none. */
  comments: string[]
  /** The data of the root field of every update so far. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field's data
  updates(): any[]
  /** The ids of the updates so far, as the lines `id:` have them. */
  ids(): string[]
  /** The position at which the stream began, as the first line `id:` has it. */
  begins(): string | undefined
  /** True if the stream has told that it ended for good. */
  isComplete(): boolean
  /** The code of the error that ended or interrupted the stream; of a refusal, its own. */
  code(): string | undefined
  /** Resolves once so many updates have come. */
  reaches(updates: number): Promise<void>
  /** Resolves once the answer has ended. */
  ended: Promise<void>
  close(): void
}

interface Subscribe {
  base?: string
  headers?: Record<string, string>
  method?: 'GET' | 'POST'
  variables?: Record<string, unknown>
  /** Other members of the body. */
  params?: Record<string, unknown>
  /** The client takes nothing before it resolves. */
  read_from?: Promise<void>
}

/** Reads the text of a stream: https://html.spec.whatwg.org/multipage/server-sent-events.html */
async function readEvents(
  body: ReadableStream<Uint8Array>,
  stream: Pick<Stream, 'events' | 'comments'> & { positions: string[] },
) {
  let [id, event] = ['', '']
  let begun: string[] = []
  let data: string[] = []
  for await (const text of body.pipeThrough(
    new TextDecoderStream() as never,
  ) as unknown as AsyncIterable<string>) {
    // A line of megabytes comes in many parts, and is looked through once.
    const [end = '', ...following] = text.split(/\r\n|\n|\r/)
    begun.push(end)
    if (following.length === 0) continue
    const lines = [begun.join(''), ...following]
    begun = [lines.pop() ?? '']
    for (const line of lines) {
      const [, field = '', value = ''] = /^([^:]*)(?::\x20?(.*))?$/.exec(line) ?? []
      if (line.startsWith(':')) stream.comments.push(line.slice(1).trim())
      else if (line === '') {
        if (data.length > 0) stream.events.push({ id, event: event || 'message', data: data.join('\n') })
        event = ''
        data = []
      } else if (field === 'id') {
        id = value
        stream.positions.push(id)
      } else if (field === 'event') event = value
      else if (field === 'data') data.push(value)
    }
  }
}

/** Subscribes with the document. */
export async function subscribe(
  caller: Caller | null,
  query: string,
  { base, headers = {}, method = 'POST', variables, params, read_from }: Subscribe = {},
): Promise<Stream> {
  const at = `${base ?? (await testApp()).base}/graphql`
  const gone = new AbortController()
  onTestFinished(() => gone.abort())
  const search = new URLSearchParams({ query, ...(variables && { variables: JSON.stringify(variables) }) })
  const response = await fetch(method === 'GET' ? `${at}?${search}` : at, {
    method,
    headers: {
      ...(caller && { authorization: `Bearer ${caller.token}` }),
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      accept: 'text/event-stream',
      ...headers,
    },
    body: method === 'POST' ? JSON.stringify({ query, variables, ...params }) : null,
    signal: gone.signal,
  })
  const read = { events: [] as StreamEvent[], comments: [] as string[], positions: [] as string[] }
  // biome-ignore lint/suspicious/noExplicitAny: an answer in JSON
  let refusal: any
  const streams = response.headers.get('content-type')?.startsWith('text/event-stream')
  const reading = streams
    ? Promise.resolve(read_from).then(() => readEvents(response.body as ReadableStream<Uint8Array>, read))
    : response.json().then((json) => {
        refusal = json
      })
  // biome-ignore lint/suspicious/noExplicitAny: a result of GraphQL
  const parsed = new WeakMap<StreamEvent, any>()
  const resultOf = (event: StreamEvent) => {
    if (!parsed.has(event)) parsed.set(event, JSON.parse(event.data))
    return parsed.get(event)
  }
  const nextEvents = () => read.events.filter(({ event }) => event === 'next')
  const results = () => nextEvents().map(resultOf)
  const ended = () => {
    const interruption = read.comments.find((text) => text.startsWith('{'))
    return results().find(({ errors }) => errors) ?? (interruption && JSON.parse(interruption))
  }
  const stream: Stream = {
    status: response.status,
    headers: response.headers,
    events: read.events,
    comments: read.comments,
    updates: () => results().flatMap(({ data }) => (data ? Object.values(data) : [])),
    ids: () => nextEvents().flatMap((event) => (resultOf(event).data ? [event.id] : [])),
    begins: () => read.positions[0],
    isComplete: () => read.events.at(-1)?.event === 'complete',
    code: () => (refusal ?? ended())?.errors?.[0]?.extensions.code,
    reaches: (updates) => until(() => stream.updates().length >= updates),
    ended: reading.catch(() => {}),
    close: () => gone.abort(),
  }
  if (!streams) await reading
  return stream
}
