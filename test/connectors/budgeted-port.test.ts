import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { always, budgeted } from '../../src/connectors/budgeted-port.ts'
import { type PortContext, PortRefusal, PortUnavailable } from '../../src/connectors/port.ts'
import { PSA, type Psa } from '../../src/connectors/psa.ts'
import type { UpstreamCall } from '../../src/connectors/upstream-calls.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { until } from '../setup/until.ts'

const contextOf = (tenant_id: string, rest: Partial<PortContext> = {}): PortContext =>
  ({
    viewer: { tenant_id, environment: 'test' },
    services: {},
    transaction: null,
    db_time: new Stopwatch(),
    now: new Date(),
    upstream_time: new Stopwatch(),
    ...rest,
  }) as unknown as PortContext

/** A PSA that answers every call with the number of calls so far, once `work` is done. */
function counting(work: (name: string) => Promise<void> = async () => {}, limit_ms = 60_000) {
  const calls: string[] = []
  const psa = new Proxy({} as Record<string, unknown>, {
    get: (_target, name) => async () => {
      const number = calls.push(String(name))
      await work(String(name))
      return { number }
    },
  })
  let elapsed = 0
  const recorded: UpstreamCall[] = []
  const connect = budgeted(
    PSA,
    always(() => psa as unknown as Psa),
    {
      read_ms: limit_ms,
      write_ms: limit_ms,
      elapsed: () => elapsed,
      record: (call) => void recorded.push(call),
      now: () => NOW,
    },
  )
  return { calls, recorded, connect, pass: (ms: number) => (elapsed += ms) }
}

const NOW = new Date('2026-06-10T00:00:00.000Z')

const forever = () => new Promise<void>(() => {})

describe('identical reads', () => {
  it('of five seconds share one call, also from several requests', async () => {
    const { calls, connect, pass } = counting()
    const [one, other] = [connect(contextOf('ten_a')), connect(contextOf('ten_a'))]
    const first = await Promise.all([one.ticket('1'), other.ticket('1'), one.ticket('1')])
    expect(new Set(first).size).toBe(1)
    pass(4999)
    expect(await other.ticket('1')).toBe(first[0])
    expect(calls).toHaveLength(1)
    pass(1)
    expect(await other.ticket('1')).not.toBe(first[0])
  })

  it('are of the same tenant, call and arguments', async () => {
    const { calls, connect } = counting()
    const psa = connect(contextOf('ten_a'))
    await psa.ticket('1')
    await psa.ticket('2')
    await psa.notesOf('1')
    await psa.recentlyClosedTicketsOf('1', 30)
    await psa.recentlyClosedTicketsOf('1', 31)
    await connect(contextOf('ten_b')).ticket('1')
    expect(calls).toHaveLength(6)
  })

  it('see what their tenant has written', async () => {
    const { calls, connect } = counting()
    const [psa, others] = [connect(contextOf('ten_a')), connect(contextOf('ten_b'))]
    const [before, theirs] = [await psa.ticket('1'), await others.ticket('1')]
    await psa.updateTicket('1', { title: 'New' }, 'k')
    expect(await psa.ticket('1')).not.toBe(before)
    expect(await others.ticket('1')).toBe(theirs)
    expect(calls).toEqual(['ticket', 'ticket', 'updateTicket', 'ticket'])
  })

  it('inside a transaction are calls of their own', async () => {
    const { calls, connect } = counting()
    const transaction = {} as PortContext['transaction']
    const psa = connect(contextOf('ten_a', { transaction }))
    await psa.ticket('1')
    await psa.ticket('1')
    expect(calls).toHaveLength(2)
  })

  it('are forgotten again when the transaction of a write has ended', async () => {
    const { calls, connect } = counting()
    const ended: (() => void)[] = []
    const transaction = { onEnd: (listener: () => void) => ended.push(listener) }
    await connect(contextOf('ten_a', { transaction } as unknown as Partial<PortContext>)).updateTicket(
      '1',
      {},
      'k',
    )
    const others = connect(contextOf('ten_a'))
    const uncommitted = await others.ticket('1')
    expect(await others.ticket('1')).toBe(uncommitted)
    for (const listener of ended) listener()
    expect(await others.ticket('1')).not.toBe(uncommitted)
    expect(calls).toHaveLength(3)
  })

  it('are forgotten again when a write ends after its time', async () => {
    const write = Promise.withResolvers<void>()
    const { connect } = counting((name) => (name === 'updateTicket' ? write.promise : Promise.resolve()), 20)
    const psa = connect(contextOf('ten_a'))
    await expect(psa.updateTicket('1', {}, 'k')).rejects.toMatchObject({ code: 'upstream_unavailable' })
    const before = await psa.ticket('1')
    write.resolve()
    await write.promise
    await until(async () => (await psa.ticket('1')) !== before)
  })

  it('are calls of their own if they have to be fresh', async () => {
    const { calls, connect } = counting()
    await connect(contextOf('ten_a')).ticket('1')
    await connect(contextOf('ten_a', { fresh: true })).ticket('1')
    await connect(contextOf('ten_a', { fresh: true })).ticket('1')
    expect(calls).toHaveLength(3)
  })

  it('are tried again after a failure', async () => {
    let fails = true
    const { calls, connect } = counting(async () => {
      if (fails) throw new PortUnavailable('down')
    })
    const psa = connect(contextOf('ten_a'))
    await expect(psa.ticket('1')).rejects.toMatchObject({ code: 'upstream_unavailable' })
    fails = false
    await psa.ticket('1')
    expect(calls).toHaveLength(2)
  })

  it('are forgotten, the oldest first, if there are many', async () => {
    const { calls, connect } = counting()
    const psa = connect(contextOf('ten_a'))
    for (let id = 0; id <= 1000; id++) await psa.ticket(String(id))
    await psa.ticket('1000')
    expect(calls).toHaveLength(1001)
    await psa.ticket('0')
    expect(calls).toHaveLength(1002)
  })
})

describe('a PSA that cannot be reached', () => {
  it.each([
    ['a read that takes too long', () => forever(), (psa: Psa) => psa.ticket('1'), '5'],
    ['a write that takes too long', () => forever(), (psa: Psa) => psa.updateTicket('1', {}, 'k'), '5'],
    [
      'one that says so',
      () => Promise.reject(new PortUnavailable('vendor text', { retry_after_seconds: 30 })),
      (psa: Psa) => psa.companies(),
      '30',
    ],
  ])('is 503 for %s, without its words', async (_name, work, call, retry_after) => {
    const { connect } = counting(work, 20)
    const error = await call(connect(contextOf('ten_a'))).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'upstream_unavailable',
      status: 503,
      details: { upstream: 'PSA' },
      headers: { 'Retry-After': retry_after },
      originalError: expect.any(PortUnavailable),
    })
    expect((error as Error).message).not.toContain('vendor')
  })

  it('is not what a refusal is', async () => {
    const { connect } = counting(() => Promise.reject(new PortRefusal('STATUS_NOT_FOUND')))
    await expect(connect(contextOf('ten_a')).updateTicket('1', {}, 'k')).rejects.toBeInstanceOf(PortRefusal)
  })
})

it('time that a request waits is time upstream, also if it joins the call of another one', async () => {
  const { connect } = counting(async () => void (await sleep(10)))
  const [one, other] = [contextOf('ten_a'), contextOf('ten_a')]
  await Promise.all([connect(one).ticket('1'), connect(other).ticket('1')])
  for (const { upstream_time, db_time } of [one, other]) {
    expect(upstream_time?.ms(performance.now())).toBeGreaterThan(5)
    expect(db_time.ms(performance.now())).toBe(0)
  }
})

describe('the record of calls', () => {
  const CALL = { tenant_id: 'ten_a', environment: 'test', upstream: 'PSA', at: NOW }

  it('has each call that was made once, with its wait, however many share the answer', async () => {
    const { recorded, connect, pass } = counting(async () => void pass(250))
    const psa = connect(contextOf('ten_a'))
    await Promise.all([psa.ticket('1'), psa.ticket('1')])
    await psa.outcomeOf('k', 'NEW_TICKET')
    await psa.updateTicket('1', { title: 'New' }, 'k')
    expect(recorded).toEqual(Array(3).fill({ ...CALL, wait_seconds: 0.25, ok: true }))
  })

  it('tells those that failed or were given up from those that were refused', async () => {
    const failures: Record<string, () => Promise<void>> = {
      ticket: () => Promise.reject(new PortUnavailable('down')),
      notesOf: () => Promise.reject(new Error('no JSON')),
      updateTicket: () => Promise.reject(new PortRefusal('TICKET_NOT_FOUND')),
      attachmentsOf: forever,
    }
    const { recorded, connect } = counting(async (name) => failures[name]?.(), 20)
    const psa = connect(contextOf('ten_a'))
    const results = await Promise.allSettled([
      psa.ticket('1'),
      psa.notesOf('1'),
      psa.attachmentsOf('1'),
      psa.updateTicket('1', { title: 'New' }, 'k'),
    ])
    expect(results.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
    expect(recorded.map(({ ok }) => ok).sort()).toEqual([false, false, false, true])
  })
})
