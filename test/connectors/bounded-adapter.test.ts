import { expect, it } from 'vitest'
import { bounded, storableAnswer } from '../../src/connectors/bounded-adapter.ts'
import { presentCall, READ_BOUNDS, WRITE_BOUNDS, withinBounds } from '../../src/connectors/http/call.ts'
import { createKept } from '../../src/connectors/kept.ts'
import type { PortDescription } from '../../src/connectors/port.ts'

it('an answer has texts that can be stored, and ids and places as they are', () => {
  const at = new Date()
  const long = 'x'.repeat(200_000)
  const answer = storableAnswer({
    rows: [
      { contact_id: long, name: `${long}\ud800`, title: 'A\0\ud800B', description: long, url: long, at },
    ],
    domains: [long],
    next: long,
    count: 7,
    nothing: null,
  })
  const [row] = answer.rows
  expect(row?.title).toBe('A\ufffd\ufffdB')
  expect([row?.name, row?.description, row?.url, answer.domains[0]].map((text) => text?.length)).toEqual([
    255, 100_000, 2000, 255,
  ])
  expect([row?.contact_id, answer.next]).toEqual([long, long])
  expect([row?.at, answer.count, answer.nothing]).toEqual([at, 7, null])
})

it('a text that is cut within a character ends with a replacement character', () => {
  expect(storableAnswer({ name: `${'x'.repeat(254)}\u{1f642}` }).name).toBe(`${'x'.repeat(254)}\ufffd`)
})

it.each<[string, Partial<typeof READ_BOUNDS>, () => void]>([
  ['requests', { requests: 2 }, () => presentCall()?.request()],
  ['rows', { rows: 20 }, () => presentCall()?.rows(10)],
  ['bytes', { bytes: 20 }, () => presentCall()?.bytes(10)],
])('a call takes as many %s as its bounds say', async (_what, bounds, take) => {
  const work = async () => {
    take()
    take()
    expect(take).toThrow(expect.objectContaining({ kind: 'TOO_MUCH' }))
  }
  await withinBounds({ ...READ_BOUNDS, ...bounds }, work)
})

it('the signal of a call aborts at its end, and at its deadline', async () => {
  const signals: (AbortSignal | undefined)[] = []
  const keep = async () => void signals.push(presentCall()?.signal)
  await withinBounds(READ_BOUNDS, keep)
  expect(signals[0]?.reason).toMatchObject({ name: 'AbortError' })
  const late = withinBounds({ ...READ_BOUNDS, ms: 1 }, async () => {
    const signal = presentCall()?.signal as AbortSignal
    await new Promise((done) => signal.addEventListener('abort', done))
    return signal.reason as unknown
  })
  expect(await late).toMatchObject({ name: 'TimeoutError' })
})

it('what callers share has bounds of its own, which do not end with the call that began it', async () => {
  const kept = createKept<AbortSignal | undefined>(1000)
  const loaded = Promise.withResolvers<void>()
  let shared: Promise<AbortSignal | undefined> | undefined
  const load = async () => {
    await loaded.promise
    return presentCall()?.signal
  }
  await withinBounds(READ_BOUNDS, async () => {
    shared = kept.get('a', load)
  })
  const waiting = withinBounds(READ_BOUNDS, () => kept.get('a', load))
  loaded.resolve()
  expect((await waiting)?.aborted).toBe(true)
  expect(await shared).toBe(await waiting)
})

interface Port {
  read(): Promise<unknown>
  large(): Promise<unknown>
  write(): Promise<unknown>
}

const DESCRIPTION: PortDescription<Port> = {
  upstream: 'PSA',
  calls: { read: 'READ', large: 'READ', write: 'WRITE' },
  bounds: { large: { rows: 1_000_000 } },
}

it('each call of an adapter runs within the bounds that its port declares', async () => {
  const rows: Record<string, number> = {}
  const counting = (name: string) => async () => {
    let count = 0
    try {
      for (;;) {
        presentCall()?.rows(1000)
        count += 1000
      }
    } catch {}
    rows[name] = count
    return null
  }
  const port: Port = { read: counting('read'), large: counting('large'), write: counting('write') }
  const adapter = bounded(
    {
      system: 'HALO_PSA',
      unsupported: new Set<keyof Port>(),
      open: () => port,
      test: async () => ({ ok: true, message: `${await counting('test')()}` }),
    },
    DESCRIPTION,
  )
  const connection = { connection_id: 'c', tenant_id: 't', environment: 'e', settings: {} }
  const opened = adapter.open(connection as never, {} as never)
  await Promise.all([opened.read(), opened.large(), opened.write(), adapter.test(connection as never)])
  expect(rows).toEqual({
    read: READ_BOUNDS.rows,
    large: 1_000_000,
    write: WRITE_BOUNDS.rows,
    test: READ_BOUNDS.rows,
  })
})
