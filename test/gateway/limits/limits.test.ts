import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock, type Running, testApp } from '../../setup/app.ts'
import { json } from '../../setup/http.ts'
import { type Caller, days, world } from '../../setup/world.ts'
import {
  closeLimited,
  countsOf,
  errorOf,
  itemsOf,
  limited,
  limitedAtOneInstant,
  query,
  RESPONSE,
  SETTINGS,
  statuses,
} from './limited.ts'

beforeAll(async () => {
  await (await testApp()).app.warm()
})

afterAll(closeLimited)

const get = ({ base }: Running, caller?: Caller, path = SETTINGS) =>
  fetch(base + path, { headers: caller ? { authorization: `Bearer ${caller.token}` } : {} })

type Ask = (app: Running, caller: Caller) => Promise<Response>

/** The same read through both interfaces. */
const INTERFACES: readonly (readonly [string, Ask])[] = [
  ['rest', (app, caller) => get(app, caller)],
  ['graphql', (app, caller) => query(app, caller, '{ settings { timezone } }')],
]

describe('a used-up limit', () => {
  it('of a key is 429 with the time to come back, through both interfaces', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('service_key=60')
    // A burst of a tenth of the quota in one second is what the key may send at once.
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(app, msp.key)))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(6)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const error = (await refused?.json())?.error
    expect(error).toMatchObject({
      code: 'rate_limited',
      details: { name: 'service_key_burst', scope: 'KEY', limit: 6, window_seconds: 1 },
    })
    const graphql = await Promise.all(
      Array.from({ length: 30 }, () => query(app, msp.key, '{ settings { timezone } }')),
    )
    const late = graphql.find(({ status }) => status === 429)
    expect(late?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect((await late?.json())?.errors[0].extensions).toMatchObject({ code: 'rate_limited', status: 429 })
  })

  it('has an item among the others that apply, and its t is Retry-After', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('dashboard_user=3,graphql_points=2')
    const points = '{ a: settings { timezone } b: settings { timezone } c: settings { timezone } }'
    const answers = [
      await query(app, msp.admin, points),
      await get(app, msp.admin),
      await get(app, msp.admin),
      await get(app, msp.admin),
    ]
    const policy = '"user";q=3;w=60, "tenant";q=1000000;w=60, "points";q=2;w=60'
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(Array(4).fill(policy))
    expect(answers.map(({ status }) => status)).toEqual([429, 200, 200, 429])
    const remaining = answers.map(({ headers }) => itemsOf(headers).map(({ name, r }) => `${name} ${r}`))
    expect(remaining).toEqual([
      ['user 2', expect.anything(), 'points 2'],
      ['user 1', expect.anything(), 'points 1'],
      ['user 0', expect.anything(), 'points 0'],
      ['user 0', expect.anything(), 'points 0'],
    ])
    for (const [place, name] of [
      [0, 'points'],
      [3, 'user'],
    ] as const) {
      const { headers } = answers[place] as Response
      expect(itemsOf(headers).find((item) => item.name === name)?.t).toBe(Number(headers.get('retry-after')))
    }
  })

  it.each(INTERFACES)('of a second is told apart from that of a minute (%s)', async (_name, ask) => {
    const msp = await world()
    // A tenth of it in one second.
    const app = await limitedAtOneInstant('service_key=100')
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask(app, msp.key)))
    const late = answers.find(({ status }) => status === 429)
    const { message, details } = await errorOf(late as Response)
    expect(message).toContain('service_key_burst, 10 in a second')
    expect(details).toMatchObject({
      name: 'service_key_burst',
      limit: 10,
      window_seconds: 1,
      retry_after_seconds: 1,
      scope: 'KEY',
    })
    const { headers } = late as Response
    expect(headers.get('ratelimit-policy')).toContain('"key";q=100;w=60, "key-burst";q=10;w=1, "tenant"')
    const burst = itemsOf(headers).find(({ name }) => name === 'key-burst')
    expect([headers.get('retry-after'), burst?.r, burst?.t]).toEqual(['1', 0, 1])
  })

  it('of a key is told with those that its writes count against', async () => {
    const msp = await world()
    const app = await limited('service_key=600')
    const headers = { authorization: `Bearer ${msp.key.token}` }
    const write = await fetch(app.base + SETTINGS, json({}, { method: 'PUT', headers }))
    const mutation = await query(app, msp.key, 'mutation { update_settings(input: {}) { timezone } }')
    const names = ['key', 'key-burst', 'writes', 'tenant', 'points']
    expect(itemsOf(write.headers).map(({ name }) => name)).toEqual(names)
    expect(
      itemsOf(mutation.headers)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort())
    const read = await get(app, msp.key)
    expect(itemsOf(read.headers).map(({ name }) => name)).toEqual(['key', 'key-burst', 'tenant', 'points'])
  })

  it('is the same in the headers, in /tenant/me and in discover', async () => {
    const msp = await world()
    const app = await limited('service_key=600')
    const me = (await (await get(app, msp.key, '/public-api/tenant/me')).json()).data.limits
    const discover = await get(app, msp.key, '/public-api/discover')
    const told = ({ name, limit, window_seconds }: Record<string, unknown>) => [name, limit, window_seconds]
    expect((await discover.json()).data.limits.map(told)).toEqual(me.map(told))
    expect(me.map(told)).toContainEqual(['service_key_burst', 60, 1])
    const policies = discover.headers.get('ratelimit-policy')?.match(/q=\d+;w=\d+/g)
    expect(me.map(told).map(([, q, w]: unknown[]) => `q=${q};w=${w}`)).toEqual(
      expect.arrayContaining(policies ?? []),
    )
  })

  it('refuses before the caller is told what they may not do, and after what is not there', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('dashboard_user=1,tenant=1000')
    expect((await get(app, msp.viewer)).status).toBe(200)
    expect((await get(app, msp.viewer, '/public-api/api-keys')).status).toBe(429)
    expect((await query(app, msp.viewer, '{ api_keys { items { id } } }')).status).toBe(429)
    expect((await get(app, msp.viewer, '/public-api/nowhere')).status).toBe(404)
    expect((await fetch(app.base + SETTINGS, { method: 'DELETE' })).status).toBe(405)
  })

  it.each(INTERFACES)(
    'counts what is refused: most of 700 forbidden calls are 429 (%s)',
    { timeout: 120_000 },
    async (name) => {
      const msp = await world()
      const app = await limited('service_key=600')
      const key = await msp.newKey({ scopes: [] })
      const ask = () =>
        name === 'rest' ? get(app, key) : query(app, key, '{ settings { timezone } }', { accept: RESPONSE })
      const started = performance.now()
      const [forbidden, good] = await Promise.all([
        countsOf(700, ask),
        countsOf(20, () => get(app, msp.admin)),
      ])
      const refilled = Math.ceil(((performance.now() - started) / 1000) * 60)
      expect(forbidden.get(403)).toBeGreaterThan(0)
      expect(forbidden.get(403)).toBeLessThanOrEqual(60 + refilled)
      expect((forbidden.get(403) ?? 0) + (forbidden.get(429) ?? 0)).toBe(700)
      expect([...good]).toEqual([[200, 20]])
    },
  )

  it('counts what is unfit, of what a caller may do', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('dashboard_user=3')
    const unfit = () => get(app, msp.admin, '/public-api/company-links?system=NONE')
    expect(await statuses(5, unfit)).toEqual([422, 422, 422, 429, 429])
  })

  it('of points counts a list as the fifty rows that it gives unless told otherwise', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('graphql_points=30')
    const left = async (path: string) => {
      const { headers } = await get(app, msp.admin, path)
      return itemsOf(headers).find(({ name }) => name === 'points')?.r ?? 0
    }
    const costs: number[] = []
    let before = await left('/public-api/settings')
    for (const path of [
      '/public-api/settings',
      '/public-api/integrations',
      '/public-api/integrations?page_size=50',
      '/public-api/integrations?page_size=49',
      '/public-api/integrations?page_size=200',
      '/public-api/settings?page_size=200',
    ]) {
      const after = await left(path)
      costs.push(before - after)
      before = after
    }
    expect(costs).toEqual([1, 2, 2, 1, 5, 1])
  })

  it('of writes leaves reads alone', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('service_key_writes=3')
    const write = () =>
      fetch(
        app.base + SETTINGS,
        json({}, { method: 'PUT', headers: { authorization: `Bearer ${msp.key.token}` } }),
      )
    expect((await statuses(5, write)).filter((status) => status === 200)).toHaveLength(3)
    expect((await get(app, msp.key)).status).toBe(200)
  })

  it('of an operation counts its calls, in a document each of them, and leaves others alone', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('run_now=3')
    const run = (caller: Caller) =>
      fetch(
        `${app.base}/public-api/agents/1/run-now`,
        json({}, { headers: { authorization: `Bearer ${caller.token}` } }),
      )
    expect(await statuses(4, () => run(msp.key))).toEqual([404, 404, 404, 429])
    const refused = await run(msp.key)
    expect(itemsOf(refused.headers).map(({ name }) => name)).toContain('run-now')
    expect(await errorOf(refused)).toMatchObject({
      code: 'rate_limited',
      details: { name: 'run_now', limit: 3, window_seconds: 60, scope: 'OPERATION' },
    })
    expect((await get(app, msp.key)).status).toBe(200)
    expect((await run(msp.admin)).status).toBe(404)
    const twice =
      'mutation { a: run_agent_now(agent_id: 1) { status } b: run_agent_now(agent_id: 1) { status } }'
    expect((await query(app, msp.admin, twice)).status).toBe(200)
    expect((await query(app, msp.admin, twice)).status).toBe(429)
  })

  it('of a user is another user’s only through the tenant', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('dashboard_user=4,tenant=6')
    expect(await statuses(5, () => get(app, msp.admin))).toEqual([200, 200, 200, 200, 429])
    expect((await statuses(3, () => get(app, msp.owner))).filter((status) => status === 200)).toHaveLength(2)
  })

  it('of points counts what a document asks for', async () => {
    const msp = await world()
    const app = await limitedAtOneInstant('graphql_points=3')
    const three = '{ a: settings { timezone } b: settings { timezone } c: settings { timezone } }'
    expect((await query(app, msp.admin, three)).status).toBe(200)
    expect((await query(app, msp.admin, three)).status).toBe(429)
  })

  it('holds over several processes together', async () => {
    const msp = await world()
    const apps = [await limited('dashboard_user=40'), await limited('dashboard_user=40')]
    const started = performance.now()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        get(apps[i % 2] as Running, msp.admin).then(({ status }) => status),
      ),
    )
    const refilled = Math.ceil(((performance.now() - started) / 1000) * (40 / 60)) + 1
    const allowed = answers.filter((status) => status === 200).length
    expect(allowed).toBeLessThanOrEqual(40 + refilled)
    expect(allowed).toBeGreaterThanOrEqual(36)
  })
})

it('a key that has used up its limit comes back although the clock was set back', async () => {
  const msp = await world()
  const app = await limited('dashboard_user=60')
  try {
    await countsOf(70, () => get(app, msp.admin))
    clock.turn(-days(1))
    const { status, headers } = await get(app, msp.admin)
    if (status === 429) expect(headers.get('retry-after')).toBe('1')
    await sleep(1200)
    expect((await get(app, msp.admin)).status).toBe(200)
  } finally {
    clock.reset()
  }
})
