import { expect, it } from 'vitest'
import { CHANGE_TYPES } from '../../../src/areas/change-types/catalogue.ts'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCallbacks, addCalls, addMatches } from '../../setup/callbacks.ts'
import { countStatements } from '../../setup/statements.ts'
import { days, world } from '../../setup/world.ts'
import { at, DAY, funnel } from './rows.ts'

const NO_CHANGES = Object.fromEntries(CHANGE_TYPES.map((code) => [code, 0]))

const NO_LIMIT_WAITS = { limited_count: 0, max_limit_wait_seconds: 0, p95_limit_wait_seconds: 0 }

const NOTHING = {
  callbacks: {
    received: 0,
    filtered_out: 0,
    processed: 0,
    failed: 0,
    in_flight: 0,
    unique_entities: 0,
    webhook_delivery_p95_seconds: 0,
    by_change_type: NO_CHANGES,
  },
  concurrency_cap: { exhausted_count: 0, max_wait_seconds: 0, p95_wait_seconds: 0 },
  events_processed: {
    count: 0,
    p95_actual_work_seconds: 0,
    p95_configured_sleep_seconds: 0,
    p95_total_duration_seconds: 0,
  },
  psa_api: { calls: 0, failures: 0, p95_wait_seconds: 0, ...NO_LIMIT_WAITS },
  workflows_triggered: { finished: 0, useful_vs_evaluated_ratio_pct: 0 },
}

describeApi('the callback funnel', (api) => {
  it('has every field of the contract, and counts what it says', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const received_at = at('10T10:00:00')
    await addCallbacks(msp, [
      {
        id: 'a',
        received_at,
        change_types: ['TICKET_CREATED', 'TICKET_OTHER_CHANGED'],
        psa_changed_at: at('10T09:59:58'),
        sleep_seconds: 45,
        wait_seconds: 20,
        work_seconds: 1.5,
        processed_at: at('10T10:01:10'),
      },
      {
        id: 'b',
        received_at,
        entity_id: '4712',
        change_types: ['TICKET_CREATED'],
        sleep_seconds: 30,
        work_seconds: 0.5,
        processed_at: at('10T10:00:31'),
      },
      { id: 'c', received_at, status: 'FILTERED_OUT', change_types: ['TICKET_CLOSED'] },
      {
        id: 'd',
        received_at,
        status: 'FAILED',
        entity_type: 'TIME_ENTRY',
        work_seconds: 99,
        wait_seconds: 30,
      },
      { id: 'e', received_at, status: 'RECEIVED' },
      { id: 'f', received_at, status: 'QUEUED' },
      { id: 'g', received_at, status: 'PROCESSING' },
      { id: 'first', received_at: at('10T00:00:00'), status: 'QUEUED' },
      { id: 'before', received_at: at('09T23:59:59.999') },
      { id: 'after', received_at: at('11T00:00:00') },
    ])
    await addExecutions(msp, [
      // It was created a week later, when the callback was processed again.
      { execution_id: 'done', agent_id: 1, created_at: at('17T09:59:59') },
      { execution_id: 'running', agent_id: 2, status: 'RUNNING', created_at: received_at },
      { execution_id: 'unrelated', agent_id: 2, created_at: received_at },
    ])
    await addMatches(msp, [
      { callback_id: 'a', agent_id: 1, execution_id: 'done', received_at },
      { callback_id: 'a', agent_id: 2, execution_id: 'running', received_at },
      { callback_id: 'b', agent_id: 1, result: 'NOT_MATCHED', received_at },
      { callback_id: 'after', agent_id: 1, execution_id: 'unrelated', received_at: at('11T00:00:00') },
    ])
    await addCalls(msp, [
      { at: received_at, wait_seconds: 0.25 },
      { at: received_at, wait_seconds: 30, ok: false },
      { at: received_at, system: 'SYNCRO', wait_seconds: 1 },
      { at: received_at, system: 'HUDU', ok: false },
      { at: at('11T00:00:00') },
    ])
    clock.frozen_at = at('12T00:00:00')
    const { status, data, warnings } = await funnel(api, await msp.newKey(), DAY)
    expect([status, data, warnings]).toEqual([
      200,
      {
        window: { since: '2026-06-10T00:00:00.000Z', until: '2026-06-11T00:00:00.000Z', timezone: 'UTC' },
        callbacks: {
          received: 8,
          filtered_out: 1,
          processed: 2,
          failed: 1,
          in_flight: 4,
          unique_entities: 3,
          webhook_delivery_p95_seconds: 2,
          by_change_type: { ...NO_CHANGES, TICKET_CREATED: 2, TICKET_OTHER_CHANGED: 1, TICKET_CLOSED: 1 },
        },
        concurrency_cap: { exhausted_count: 2, max_wait_seconds: 30, p95_wait_seconds: 30 },
        events_processed: {
          count: 2,
          p95_actual_work_seconds: 1.5,
          p95_configured_sleep_seconds: 45,
          p95_total_duration_seconds: 70,
        },
        psa_api: { calls: 3, failures: 1, p95_wait_seconds: 30, ...NO_LIMIT_WAITS },
        workflows_triggered: { finished: 1, useful_vs_evaluated_ratio_pct: 33.33 },
      },
      [],
    ])
  })

  it('tells the delivery of webhooks alone, however old the changes are that polls found', async () => {
    const msp = await world()
    const received_at = at('10T10:00:00')
    const changed = (id: string, time: string, source: 'WEBHOOK' | 'POLL') => ({
      id,
      received_at,
      psa_changed_at: at(time),
      source,
    })
    await addCallbacks(msp, [
      ...Array.from({ length: 20 }, (_, n) => changed(`poll${n}`, '10T09:00:00', 'POLL')),
      changed('slow', '10T09:59:57', 'WEBHOOK'),
      changed('fast', '10T09:59:59', 'WEBHOOK'),
    ])
    const { callbacks } = (await funnel(api, msp.key, DAY)).data
    expect([callbacks.received, callbacks.webhook_delivery_p95_seconds]).toEqual([22, 3])
    await msp.database.prisma.callback.deleteMany({ where: { tenant_id: msp.tenant_id, source: 'WEBHOOK' } })
    expect((await funnel(api, msp.key, DAY)).data.callbacks.webhook_delivery_p95_seconds).toBe(0)
  })

  it('of a tenant that has nothing is zeros', async () => {
    const msp = await world()
    for (const args of [{}, DAY]) {
      const { window: _, ...figures } = (await funnel(api, msp.user, args)).data
      expect(figures).toEqual(NOTHING)
    }
  })

  it('is of the 24 hours until now, or before its end, if nothing else is said', async () => {
    const msp = await world()
    clock.frozen_at = at('10T12:00:00')
    const key = await msp.newKey()
    await addCallbacks(
      msp,
      ['09T11:59:59', '09T12:00:00', '10T11:59:59', '10T12:00:00'].map((time) => ({
        id: time,
        received_at: at(time),
      })),
    )
    const asked = async (args: object) => {
      const { data } = await funnel(api, key, { ...args })
      return [data.window.since, data.window.until, data.callbacks.received]
    }
    const noon = '2026-06-10T12:00:00.000Z'
    expect(await asked({})).toEqual(['2026-06-09T12:00:00.000Z', noon, 2])
    expect(await asked({ since: '2026-06-10T00:00:00Z' })).toEqual(['2026-06-10T00:00:00.000Z', noon, 1])
    expect(await asked({ until: '2026-06-10' })).toEqual([
      '2026-06-09T00:00:00.000Z',
      '2026-06-10T00:00:00.000Z',
      2,
    ])
    // Without an offset it is UTC; any offset is taken.
    const naive = { since: '2026-06-09T12:00:00', until: '2026-06-10T14:00:01+02:00' }
    expect(await asked(naive)).toEqual(['2026-06-09T12:00:00.000Z', '2026-06-10T12:00:01.000Z', 3])
  })

  it.each([
    [{ since: '2026-06-10', until: '2026-06-10' }, 'invalid_window'],
    [{ since: '2026-06-11', until: '2026-06-10' }, 'invalid_window'],
    [{ since: '9000-01-01' }, 'invalid_window'],
    [{ since: '2026-06-01', until: '2026-06-08T00:00:00.001Z' }, 'window_too_large'],
    [{ since: '0001-01-01', until: '9999-12-31' }, 'window_too_large'],
  ])('of %j is refused with 400 %s', async (args, code) => {
    const msp = await world()
    const { status, error } = await funnel(api, msp.key, args)
    expect([status, error?.code, error?.details.max_seconds]).toEqual([400, code, 604_800])
  })

  it.each([
    [{ since: 'yesterday' }, 'since'],
    [{ until: '2026-02-30' }, 'until'],
    [{ until: '1760000000' }, 'until'],
    [{ since: '0000-01-01' }, 'since'],
  ])('of %j is refused with 422', async (args, field) => {
    const msp = await world()
    const { status, error } = await funnel(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code: 'format' }])
  })

  it('takes seven days, and the ends of time', async () => {
    const msp = await world()
    const taken = [
      { since: '2026-06-01', until: '2026-06-08' },
      { since: '0001-01-01', until: '0001-01-02' },
      { until: '0001-01-01T12:00:00Z' },
      { since: '9999-12-30', until: '9999-12-31T23:59:59.999Z' },
    ]
    for (const args of taken) expect((await funnel(api, msp.key, args)).status).toBe(200)
    expect((await funnel(api, msp.key, { until: '0001-01-01' })).error?.code).toBe('invalid_window')
  })

  it('of a window that begins before what is kept says so', async () => {
    const msp = await world()
    const ago = (count: number) => new Date(clock.now().getTime() - days(count)).toISOString()
    const { status, warnings } = await funnel(api, msp.key, { since: ago(31), until: ago(29) })
    expect([status, warnings]).toEqual([200, [expect.stringMatching(/^window_retention: .*30 days/)]])
    expect((await funnel(api, msp.key, { since: ago(29), until: ago(28) })).warnings).toEqual([])
  })

  it('tells the tenant’s zone to show its window in', async () => {
    const msp = await world()
    await msp.database.prisma.settings.updateMany({
      where: { tenant_id: msp.tenant_id },
      data: { timezone: 'Asia/Kathmandu' },
    })
    expect((await funnel(api, msp.key, DAY)).data.window).toEqual({
      since: '2026-06-10T00:00:00.000Z',
      until: '2026-06-11T00:00:00.000Z',
      timezone: 'Asia/Kathmandu',
    })
  })

  it('is the same for every caller, but for the executions of agents that they do not see', async () => {
    const msp = await world()
    const received_at = at('10T10:00:00')
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
    await share(msp, 2, msp.user.id)
    await share(msp, 2, msp.viewer.id)
    await addCallbacks(msp, [{ id: 'a', received_at }])
    await addExecutions(
      msp,
      [1, 2, 3].map((agent_id) => ({ execution_id: `e${agent_id}`, agent_id, created_at: received_at })),
    )
    await addMatches(
      msp,
      [1, 2, 3].map((agent_id) => ({
        callback_id: 'a',
        agent_id,
        received_at,
        execution_id: agent_id === 1 ? null : `e${agent_id}`,
      })),
    )
    await addCalls(msp, [{ at: received_at }])
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    const callers = [msp.owner, msp.admin, msp.key, msp.user, acting, msp.viewer]
    const found = await Promise.all(callers.map((caller) => funnel(api, caller, DAY)))
    expect(found.map(({ data }) => Object.values(data.workflows_triggered))).toEqual([
      [2, 66.67],
      [2, 66.67],
      [2, 66.67],
      [1, 50],
      [1, 50],
      [1, 100],
    ])
    for (const { data } of found)
      expect([data.callbacks.received, data.psa_api.calls, data.events_processed.count]).toEqual([1, 1, 1])
  })

  it('is of one tenant and one environment', async () => {
    const [msp, other] = [await world(), await world()]
    const received_at = at('10T10:00:00')
    for (const each of [msp, other, { ...msp, environment: 'elsewhere' }]) {
      await addAgents(each, [{ id: 1 }])
      await addCallbacks(each, [{ id: 'a', received_at }])
      await addExecutions(each, [{ execution_id: 'e', agent_id: 1, created_at: received_at }])
      await addMatches(each, [{ callback_id: 'a', agent_id: 1, execution_id: 'e', received_at }])
      await addCalls(each, [{ at: received_at }])
    }
    const { callbacks, psa_api, workflows_triggered } = (await funnel(api, msp.key, DAY)).data
    expect([callbacks.received, psa_api.calls, workflows_triggered.finished]).toEqual([1, 1, 1])
  })

  it('costs two statements beside the credential, however much there is', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }])
    const received_at = at('10T10:00:00')
    const many = Array.from({ length: 300 }, (_, n) => `cb${n}`)
    await addCallbacks(
      msp,
      many.map((id) => ({ id, received_at })),
    )
    await addMatches(
      msp,
      many.map((callback_id) => ({ callback_id, agent_id: 1, received_at })),
    )
    for (const caller of [msp.key, msp.user]) {
      await funnel(api, caller, DAY)
      expect(await countStatements(msp.database, () => funnel(api, caller, DAY))).toBe(3)
    }
  })
})
