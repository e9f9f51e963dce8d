import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type Running, startApp, testApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { type Caller, world } from '../setup/world.ts'

const SETTINGS = '/public-api/settings'
const running: Running[] = []

/** A service of the test's own, with the limits in question low and the others high. */
async function limited(limits: string): Promise<Running> {
  const high = [
    'service_key',
    'service_key_writes',
    'dashboard_user',
    'tenant',
    'anonymous_ip',
    'failed_credentials_ip',
    'graphql_points',
  ]
  const low = limits.split(',').map((limit) => limit.split('=')[0])
  const rest = high.filter((name) => !low.includes(name)).map((name) => `${name}=1000000`)
  const app = await startApp(await testDatabase(), { LIMITS: [limits, ...rest].join(',') })
  running.push(app)
  return app
}

afterAll(async () => {
  await Promise.all(running.map(({ app }) => app.close(1000)))
  const { database } = await testApp()
  await database.prisma.rateBucket.deleteMany()
})

const get = ({ base }: Running, caller?: Caller, path = SETTINGS) =>
  fetch(base + path, { headers: caller ? { authorization: `Bearer ${caller.token}` } : {} })

const query = ({ base }: Running, caller: Caller, text: string) =>
  fetch(`${base}/graphql`, json({ query: text }, { headers: { authorization: `Bearer ${caller.token}` } }))

async function statuses(times: number, ask: () => Promise<Response>): Promise<number[]> {
  const seen: number[] = []
  for (let i = 0; i < times; i++) {
    const response = await ask()
    await response.text()
    seen.push(response.status)
  }
  return seen
}

describe('a used-up limit', () => {
  it('of a key is 429 with the time to come back, through both interfaces', async () => {
    const msp = await world()
    const app = await limited('service_key=60')
    // A burst of a tenth of the quota in one second is what the key may send at once.
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(app, msp.key)))
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(6)
    const refused = answers.find(({ status }) => status === 429)
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    const error = (await refused?.json())?.error
    expect(error).toMatchObject({
      code: 'rate_limited',
      details: { scope: 'KEY', limit: 60, window_seconds: 60 },
    })
    const graphql = await Promise.all(
      Array.from({ length: 30 }, () => query(app, msp.key, '{ settings { timezone } }')),
    )
    const late = graphql.find(({ status }) => status === 429)
    expect(late?.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect((await late?.json())?.errors[0].extensions).toMatchObject({ code: 'rate_limited', status: 429 })
  })

  it('is the one that the headers report', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=3,graphql_points=2')
    const points = '{ a: settings { timezone } b: settings { timezone } c: settings { timezone } }'
    const reported = [
      await query(app, msp.admin, points),
      await get(app, msp.admin),
      await get(app, msp.admin),
      await get(app, msp.admin),
    ].map(({ status, headers }) => [status, headers.get('ratelimit-policy'), headers.get('ratelimit')])
    expect(reported).toEqual([
      [429, '"user";q=2;w=60', expect.stringMatching(/^"user";r=2;t=\d+$/)],
      [200, '"user";q=3;w=60', expect.stringMatching(/^"user";r=1;t=\d+$/)],
      [200, '"user";q=3;w=60', expect.stringMatching(/^"user";r=0;t=\d+$/)],
      [429, '"user";q=3;w=60', expect.stringMatching(/^"user";r=0;t=\d+$/)],
    ])
  })

  it('of writes leaves reads alone', async () => {
    const msp = await world()
    const app = await limited('service_key_writes=3')
    const write = () =>
      fetch(
        app.base + SETTINGS,
        json({}, { method: 'PUT', headers: { authorization: `Bearer ${msp.key.token}` } }),
      )
    expect((await statuses(5, write)).filter((status) => status === 200)).toHaveLength(3)
    expect((await get(app, msp.key)).status).toBe(200)
  })

  it('of a user is another user’s only through the tenant', async () => {
    const msp = await world()
    const app = await limited('dashboard_user=4,tenant=6')
    expect(await statuses(5, () => get(app, msp.admin))).toEqual([200, 200, 200, 200, 429])
    expect((await statuses(3, () => get(app, msp.owner))).filter((status) => status === 200)).toHaveLength(2)
  })

  it('of points counts what a document asks for', async () => {
    const msp = await world()
    const app = await limited('graphql_points=3')
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

describe('an address', () => {
  // Every test of the worker has the same address, under whatever quota it set.
  beforeEach(async () => {
    const { prisma } = await testDatabase()
    await prisma.rateBucket.deleteMany()
  })

  it('that guesses credentials is refused, good ones too', async () => {
    const msp = await world()
    const app = await limited('failed_credentials_ip=4')
    const wrong = { id: '', token: 'svc_sk_test_guess' }
    expect(await statuses(5, () => get(app, wrong))).toEqual([401, 401, 401, 401, 429])
    expect((await get(app, msp.key)).status).toBe(429)
    expect((await query(app, msp.key, '{ __typename }')).status).toBe(429)
  })

  it('without a credential has a limit of its own', async () => {
    const app = await limited('anonymous_ip=3')
    const anonymous = () => fetch(`${app.base}/graphql`, json({ query: '{ __typename }' }))
    expect(await statuses(4, anonymous)).toEqual([200, 200, 200, 429])
  })
})
