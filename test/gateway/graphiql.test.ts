/** The page for exploring the graph in a browser. */
import { readFile } from 'node:fs/promises'
import { setImmediate as settled } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { allAreas } from '../../src/schema/area.ts'
import { published } from '../setup/api.ts'
import { graphql } from '../setup/graphql.ts'
import { request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const { schema } = await published()
const msp = await world()
const response = await request('/graphql', { headers: { accept: 'text/html' } })
const page = await response.text()

/** The properties that the page gives to GraphiQL. */
const options: { defaultTabs: { query: string }[] } = JSON.parse(
  /<script type="application\/json" id="options">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}',
)

it('GraphiQL is served to browsers, and loads nothing from elsewhere', async () => {
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  const loaded = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="([^"]*)"/g)].map(([, url = '']) => url)
  expect(loaded).toContain('/graphql/graphiql.js')
  for (const url of loaded.filter((one) => one !== 'data:,')) {
    expect(url).toMatch(/^\/graphql\//)
    const file = await request(url)
    expect([url, file.status]).toEqual([url, 200])
    await file.body?.cancel()
  }
})

it('GraphiQL runs the scripts of the service, and is shown in no frame', () => {
  const policy = response.headers.get('content-security-policy') ?? ''
  const directives = new Map(policy.split('; ').map((one) => [one.split(' ')[0], one.split(' ').slice(1)]))
  expect(directives.get('frame-ancestors')).toEqual(["'none'"])
  expect(directives.get('default-src')).toEqual(["'none'"])
  expect(directives.get('script-src')).toEqual(["'self'"])
  expect(directives.get('worker-src')).toEqual(["'self'"])
  expect(page.match(/<script(?![^>]* src=)[^>]*>/g)).toEqual([
    '<script type="application/json" id="options">',
  ])
  expect(page).not.toMatch(/ (?:on\w+|style)=/)
})

it('a worker of GraphiQL asks for nothing', async () => {
  for (const name of ['editor', 'json', 'graphql']) {
    const worker = await request(`/graphql/${name}-worker.js`)
    expect(worker.headers.get('content-security-policy')).toBe("default-src 'none'")
    await worker.body?.cancel()
  }
})

it('GraphiQL is kept for five minutes', () => {
  expect(response.headers.get('cache-control')).toBe('private, max-age=300')
})

describe.each(allAreas().map(({ name, example }) => [name, example] as const))(
  'the tab of %s',
  (_name, example) => {
    it('has one operation, so that it is run by one click', async () => {
      expect(parse(example).definitions).toMatchObject([{ kind: 'OperationDefinition', operation: 'query' }])
      const tabs = options.defaultTabs.filter(({ query }) => query.includes(example.trim()))
      expect(tabs).toHaveLength(1)
      expect((await graphql(msp.admin, example)).code).toBeUndefined()
    })

    it('has other operations as comments, which fit the schema too', () => {
      const document = parse(example.replace(/^# ?/gm, ''))
      expect(validate(schema, document)).toEqual([])
    })
  },
)

/** Results that GraphiQL is shown. */
interface Observer {
  next(result: unknown): void
  error(error: unknown): void
  complete(): void
}

interface Observable {
  subscribe(observer: Observer): { unsubscribe(): void }
}

interface Props {
  fetcher(params: object, options?: object): Observable & Promise<unknown>
  onTabChange(state: { tabs: { id: string }[]; activeTabIndex: number }): void
}

interface Sent {
  url: string
  headers: Headers
  body: { operationName?: string; query: string }
  signal: AbortSignal | undefined
  /** Sends events of a stream. */
  send(...results: unknown[]): void
  /** Ends the stream for good. */
  end(): void
  /** Ends the stream after this position. */
  interrupt(id: string): void
}

const script = await readFile(new URL('../../src/pages/graphiql.js', import.meta.url), 'utf8')

/** The page's script with GraphiQL in its hands, as far as it goes: the tabs, and what is shown in the one that is open. */
function opened({ credential = '', answer }: { credential?: string; answer?: object } = {}) {
  const sent: Sent[] = []
  let props = {} as Props
  /** What GraphiQL keeps of the one run that it knows, and the text of the open tab. */
  const ui = { shown: [] as unknown[], running: false, subscription: null as { unsubscribe(): void } | null }
  const tabs = [{ id: 'a' }, { id: 'b' }]
  let active = 0

  function run(params: object = { query: 'subscription' }): void {
    props.onTabChange({ tabs: [...tabs], activeTabIndex: active })
    Object.assign(ui, { shown: [], running: true })
    const over = () => Object.assign(ui, { running: false, subscription: null })
    const observable = props.fetcher(params, {})
    ui.subscription = observable.subscribe({
      next: (result) => void ui.shown.push(result),
      error: (error) => {
        ui.shown.push(error)
        over()
      },
      complete: over,
    })
  }

  runInNewContext(script, {
    Headers,
    URL,
    TextDecoderStream,
    AbortController,
    queueMicrotask,
    setTimeout,
    Promise,
    sessionStorage: { getItem: () => credential, setItem() {} },
    document: { querySelector: () => ({ textContent: '{}', addEventListener() {} }) },
    YogaGraphiQL: {
      renderYogaGraphiQL(_root: unknown, given: Props) {
        props = given
      },
    },
    __MONACO: { editor: { getEditors: () => [{ getAction: () => ({ run: () => run() }) }] } },
    fetch: async (
      url: string,
      { headers, body, signal }: { headers: Headers; body: string; signal?: AbortSignal },
    ) => {
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined
      const stream = new ReadableStream<Uint8Array>({
        start(own) {
          controller = own
        },
      })
      signal?.addEventListener('abort', () => controller?.error(signal.reason))
      sent.push({
        url,
        headers,
        body: JSON.parse(body),
        signal,
        send(...results) {
          const text = results.map((result) => `event: next\ndata: ${JSON.stringify(result)}\n\n`).join('')
          controller?.enqueue(new TextEncoder().encode(text))
        },
        end() {
          controller?.enqueue(new TextEncoder().encode('event: complete\ndata:\n\n'))
          controller?.close()
        },
        interrupt(id) {
          controller?.enqueue(new TextEncoder().encode(`id: ${id}\n\n`))
          controller?.close()
        },
      })
      return answer
        ? Response.json(answer)
        : new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
    },
  })

  const show = (index: number) => {
    active = index
    props.onTabChange({ tabs: [...tabs], activeTabIndex: index })
  }
  return {
    sent,
    ui,
    run,
    fetcher: (...args: Parameters<Props['fetcher']>) => props.fetcher(...args),
    /** Stops the run that GraphiQL knows. */
    stop() {
      ui.subscription?.unsubscribe()
      Object.assign(ui, { running: false, subscription: null })
    },
    /** Opens another tab: GraphiQL stops what it knows, and shows what the tab had when it was left. */
    async open(index: number) {
      this.stop()
      ui.shown = []
      show(index)
      await settled()
    },
    /** Adds a tab and opens it: GraphiQL goes on with what it knows. */
    async add() {
      tabs.push({ id: `new ${tabs.length}` })
      show(tabs.length - 1)
      ui.shown = []
      await settled()
    },
    async close(index: number) {
      tabs.splice(index, 1)
      show(0)
      await settled()
    },
  }
}

describe('the credential', () => {
  it('is in one place for all tabs, and kept for no longer than the visit', () => {
    expect(options).toMatchObject({ shouldPersistHeaders: false })
    expect(Object.keys(options)).not.toContain('headers')
    for (const tab of options.defaultTabs) expect(Object.keys(tab)).toEqual(['query'])
    expect(page.match(/<form id="credential">/g)).toHaveLength(1)
  })

  const authorization = async (credential: string, headers: object = {}) => {
    const { sent, fetcher } = opened({ credential, answer: {} })
    await fetcher({ query: '{ a }', operationName: 'IntrospectionQuery' }, { headers })
    expect(sent[0]?.url).toBe('/graphql')
    return sent[0]?.headers.get('authorization')
  }

  it.each(['svc_sk_x', ' Bearer svc_sk_x '])('is sent with every request: %j', async (value) => {
    expect(await authorization(value)).toBe('Bearer svc_sk_x')
  })

  it('is not sent in place of one that the tab has, nor if there is none', async () => {
    expect(await authorization('a', { Authorization: 'Bearer b' })).toBe('Bearer b')
    expect(await authorization('')).toBeNull()
  })
})

describe('a stream', () => {
  it('is shown in its tab, and stopped there', async () => {
    const { sent, ui, run, stop } = opened()
    run()
    await settled()
    sent[0]?.send({ data: 1 }, { data: 2 })
    await expect.poll(() => ui.shown).toEqual([{ data: 1 }, { data: 2 }])
    stop()
    await settled()
    expect(sent[0]?.signal?.aborted).toBe(true)
  })

  it('goes on while another tab is open, which runs its own, and is shown again in its tab', async () => {
    const graphiql = opened()
    graphiql.run()
    await settled()
    await graphiql.open(1)
    graphiql.sent[0]?.send({ data: 'of a' })
    graphiql.run()
    await settled()
    graphiql.sent[1]?.send({ data: 'of b' })
    await expect.poll(() => graphiql.ui.shown).toEqual([{ data: 'of b' }])
    await graphiql.open(0)
    await expect.poll(() => graphiql.ui.shown).toEqual([{ data: 'of a' }])
    expect(graphiql.ui.running).toBe(true)
    graphiql.sent[0]?.send({ data: 'of a, later' })
    await expect.poll(() => graphiql.ui.shown).toEqual([{ data: 'of a' }, { data: 'of a, later' }])
    expect(graphiql.sent).toHaveLength(2)
    expect(graphiql.sent.map(({ signal }) => signal?.aborted)).toEqual([false, false])
  })

  it('is not shown in a tab that is added', async () => {
    const graphiql = opened()
    graphiql.run()
    await settled()
    await graphiql.add()
    expect(graphiql.ui.running).toBe(false)
    graphiql.sent[0]?.send({ data: 'of a' })
    await settled()
    expect(graphiql.ui.shown).toEqual([])
    await graphiql.open(0)
    await expect.poll(() => graphiql.ui.shown).toEqual([{ data: 'of a' }])
  })

  it('that ended meanwhile is shown in its tab as ended', async () => {
    const graphiql = opened()
    graphiql.run()
    await settled()
    await graphiql.open(1)
    graphiql.sent[0]?.send({ data: 'of a' })
    graphiql.sent[0]?.end()
    await settled()
    await graphiql.open(0)
    await expect.poll(() => graphiql.ui).toMatchObject({ shown: [{ data: 'of a' }], running: false })
    graphiql.run()
    await settled()
    expect(graphiql.sent).toHaveLength(2)
  })

  it('that is interrupted goes on after its last result', async () => {
    const { sent, ui, run } = opened()
    run()
    await settled()
    sent[0]?.send({ data: 1 })
    sent[0]?.interrupt('position')
    await expect.poll(() => sent.length, { timeout: 20_000 }).toBe(2)
    expect(sent.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, 'position'])
    sent[1]?.send({ data: 2 })
    await expect.poll(() => ui.shown).toEqual([{ data: 1 }, { data: 2 }])
    sent[1]?.end()
    await expect.poll(() => ui.running).toBe(false)
    expect(sent).toHaveLength(2)
  })

  it('ends with its tab', async () => {
    const graphiql = opened()
    graphiql.run()
    await settled()
    await graphiql.open(1)
    await graphiql.close(0)
    expect(graphiql.sent[0]?.signal?.aborted).toBe(true)
  })
})

describe('an answer', () => {
  it('that is no stream is shown as it is', async () => {
    const { ui, run } = opened({ answer: { errors: [] } })
    run({ query: '{ a }' })
    await expect.poll(() => ui).toMatchObject({ shown: [{ errors: [] }], running: false })
  })
})
