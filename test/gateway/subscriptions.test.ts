/** Subscriptions as such: the protocol, positions, ends and limits. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../setup/agents.ts'
import { clock, startApp, testApp } from '../setup/app.ts'
import { statementsOf } from '../setup/statements.ts'
import { subscribe } from '../setup/streams.ts'
import { addTilRequests } from '../setup/til-requests.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'

const UPDATES = `subscription ($execution_id: ID, $agent_id: Int, $after: Cursor) {
  execution_updates(execution_id: $execution_id, agent_id: $agent_id, after: $after) {
    id at execution { execution_id status }
  }
}`

async function withAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
  return msp
}

const add = (msp: Msp, execution_id: string, agent_id = 1) =>
  addExecutions(msp, [{ execution_id, agent_id, status: 'NEW' }])

const setStatus = (msp: Msp, execution_id: string, status: 'RUNNING' | 'COMPLETED') =>
  msp.database.prisma.execution.updateMany({
    where: { tenant_id: msp.tenant_id, execution_id },
    data: { status },
  })

interface Shown {
  execution: { execution_id: string; status: string }
}
const idsOf = (updates: Shown[]) => updates.map(({ execution }) => execution.execution_id)

describe('a stream', () => {
  it('is counted as open, and not as a request that takes as long', async () => {
    const msp = await withAgents()
    const service = await startApp(msp.database)
    const metrics = async () => await (await fetch(`${service.base}/metrics`)).text()
    const asked = performance.now()
    const stream = await subscribe(msp.key, UPDATES, { base: service.base })
    const seconds_to_open = (performance.now() - asked) / 1000
    await until(() => stream.begins() !== undefined)
    const open = await metrics()
    expect(open).toMatch(/^graphql_streams_open 1$/m)
    expect(open).toMatch(/^http_requests_in_flight 0$/m)
    await sleep(500)
    stream.close()
    await until(async () => /^graphql_streams_open 0$/m.test(await metrics()))
    const ended = await metrics()
    expect(ended).toMatch(/^http_requests_in_flight 0$/m)
    const sample = /^http_request_duration_seconds_(sum|count)\{.*operation="execution_updates".*\} (\S+)$/gm
    const of = Object.fromEntries([...ended.matchAll(sample)].map(([, name, value]) => [name, Number(value)]))
    expect(of.count).toBe(1)
    expect(of.sum).toBeLessThan(seconds_to_open)
    await service.app.close(1000)
  })

  it('has the form of GraphQL over SSE', async () => {
    const msp = await withAgents()
    const stream = await subscribe(msp.key, UPDATES)
    expect([stream.status, stream.headers.get('content-type'), stream.headers.get('cache-control')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ])
    expect(stream.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    await until(() => stream.begins() !== undefined)
    await add(msp, 'e')
    await setStatus(msp, 'e', 'RUNNING')
    await stream.reaches(2)
    const [first] = stream.events
    expect(first?.event).toBe('next')
    const { data } = JSON.parse(first?.data ?? '')
    expect(data.execution_updates).toEqual({
      id: first?.id,
      at: expect.any(String),
      execution: { execution_id: 'e', status: expect.stringMatching(/NEW|RUNNING/) },
    })
    expect(stream.updates()[1].execution).toEqual({ execution_id: 'e', status: 'RUNNING' })
  })

  it('says the status that it is about, beside the thing as it is now', async () => {
    const msp = await withAgents()
    const stream = await subscribe(
      msp.key,
      'subscription { execution_updates { status execution { status } } }',
    )
    const requests = await subscribe(msp.key, 'subscription { til_request_updates { status } }')
    await add(msp, 'e')
    await addTilRequests(msp, [{ id: 'til_e', kind: 'QUESTION', agent_id: 1 }])
    await stream.reaches(1)
    const { database, tenant_id } = msp
    // One transaction is one update, of its last status.
    await database.prisma.$transaction(
      (['RUNNING', 'WAITING_FOR_INPUT', 'RUNNING', 'COMPLETED'] as const).map((status) =>
        database.prisma.execution.updateMany({ where: { tenant_id }, data: { status } }),
      ),
    )
    await database.prisma.tilRequest.updateMany({
      where: { tenant_id },
      data: { status: 'EXPIRED', closed_at: clock.now() },
    })
    await Promise.all([stream.reaches(2), requests.reaches(2)])
    expect(stream.updates().map(({ status }) => status)).toEqual(['NEW', 'COMPLETED'])
    expect(stream.updates()[1].execution.status).toBe('COMPLETED')
    expect(requests.updates().map(({ status }) => status)).toEqual(['PENDING', 'EXPIRED'])
  })

  it('begins with nothing from before, and has everything from then on', async () => {
    const msp = await withAgents()
    await add(msp, 'before')
    const stream = await subscribe(msp.key, UPDATES)
    await add(msp, 'after')
    await stream.reaches(1)
    expect(idsOf(stream.updates())).toEqual(['after'])
  })

  it('comes by GET too, and of what the client accepts it may be one of several', async () => {
    const msp = await withAgents()
    const byGet = await subscribe(msp.key, UPDATES, { method: 'GET', variables: { agent_id: 1 } })
    const accept = 'application/graphql-response+json, application/json, text/event-stream'
    const byPost = await subscribe(msp.key, UPDATES, { headers: { accept } })
    await add(msp, 'e')
    await Promise.all([byGet.reaches(1), byPost.reaches(1)])
    expect([idsOf(byGet.updates()), idsOf(byPost.updates())]).toEqual([['e'], ['e']])
  })

  it('is told of what another process writes, over its own connection to the database', async () => {
    const msp = await withAgents()
    const other = await startApp(msp.database)
    const streams = [
      await subscribe(msp.key, UPDATES),
      await subscribe(msp.key, UPDATES, { base: other.base }),
    ]
    const ids = Array.from({ length: 20 }, (_, n) => `e${n}`)
    await Promise.all(ids.map((id) => add(msp, id)))
    for (const stream of streams) {
      await stream.reaches(ids.length)
      expect(idsOf(stream.updates()).sort()).toEqual(ids.sort())
    }
    await other.app.close(0)
  })
})

describe('what is no subscription', () => {
  it.each([
    ['a second root field', `subscription { a: execution_updates { id } b: execution_updates { id } }`],
    ['a field that is not there', 'subscription { execution_updates { nothing } }'],
  ])('for %s is refused before anything is sent', async (_name, query) => {
    const msp = await world()
    const stream = await subscribe(msp.key, query)
    expect([stream.status, stream.code()]).toEqual([400, 'graphql_validation_failed'])
  })

  it('for a document that cannot be read is refused', async () => {
    const msp = await world()
    const stream = await subscribe(msp.key, 'subscription {')
    expect([stream.status, stream.code()]).toEqual([400, 'graphql_parse_failed'])
  })

  it.each([
    { extensions: { clientLibrary: { name: '@apollo/client' } } },
    { extensions: null, operationName: null, id: null },
    { operationName: '' },
    { id: '0cc175b9', operationName: 'Updates' },
  ])('does not end it: %j in the body', async (params) => {
    const msp = await withAgents()
    const stream = await subscribe(msp.key, UPDATES.replace('subscription', 'subscription Updates'), {
      params,
    })
    await add(msp, 'e')
    await stream.reaches(1)
    expect(idsOf(stream.updates())).toEqual(['e'])
  })

  it.each([
    [{ operationName: 'Other' }, 'graphql_validation_failed', /operation/],
    [{ variables: [] }, 'bad_request', /variables/],
    [{ extensions: 'x' }, 'bad_request', /extensions/],
    [{ other: 1 }, 'bad_request', /"other"/],
    [{ query: undefined }, 'bad_request', /query/],
  ])('is refused for its own reason: %j', async (params, code, reason) => {
    const msp = await world()
    const { base } = await testApp()
    const response = await fetch(`${base}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${msp.key.token}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: UPDATES, ...params }),
    })
    const { errors } = await response.json()
    expect([errors[0].extensions.code, errors[0].message]).toEqual([code, expect.stringMatching(reason)])
  })

  it('for a client that takes no stream is 400', async () => {
    const msp = await world()
    const stream = await subscribe(msp.key, UPDATES, { headers: { accept: 'application/json' } })
    expect([stream.status, stream.code()]).toEqual([400, 'bad_request'])
  })

  it('is answered in JSON, to a client that would take a stream', async () => {
    const msp = await world()
    const stream = await subscribe(msp.key, '{ settings { timezone } }')
    expect([stream.status, stream.headers.get('content-type')]).toEqual([
      200,
      'application/json; charset=utf-8',
    ])
  })

  it('for arguments that do not fit is 422 in its error', async () => {
    const msp = await world()
    const stream = await subscribe(msp.key, 'subscription { execution_updates(agent_id: 0) { id } }')
    expect(stream.code()).toBe('request_validation_failed')
  })
})

describe('after an update', () => {
  it('come those since then, without a gap or a repetition, while others are being written', async () => {
    const msp = await withAgents()
    const all = Array.from({ length: 60 }, (_, n) => `e${n}`)
    const first = await subscribe(msp.key, UPDATES)
    const writing = (async () => {
      for (let n = 0; n < all.length; n += 6) await Promise.all(all.slice(n, n + 6).map((id) => add(msp, id)))
    })()
    const found: string[] = []
    let stream = first
    let after: string | undefined
    while (found.length < all.length) {
      await stream.reaches(1)
      const updates = stream.updates() as Shown[]
      stream.close()
      found.push(...idsOf(updates))
      after = stream.ids()[updates.length - 1]
      stream = await subscribe(msp.key, UPDATES, { variables: { after } })
    }
    await writing
    expect(found.sort()).toEqual(all.sort())
  })

  it('is named by Last-Event-ID too, which comes before the argument', async () => {
    const msp = await withAgents()
    const stream = await subscribe(msp.key, UPDATES)
    for (const id of ['a', 'b', 'c']) {
      await add(msp, id)
      await until(() => idsOf(stream.updates()).includes(id))
    }
    const [first = '', second = ''] = stream.ids()
    const again = await subscribe(msp.key, UPDATES, { variables: { after: first } })
    await again.reaches(2)
    const headers = { 'last-event-id': second }
    const reconnected = await subscribe(msp.key, UPDATES, { variables: { after: first }, headers })
    await reconnected.reaches(1)
    await add(msp, 'd')
    await Promise.all([again.reaches(3), reconnected.reaches(2)])
    expect([idsOf(again.updates()), idsOf(reconnected.updates())]).toEqual([
      ['b', 'c', 'd'],
      ['c', 'd'],
    ])
  })

  it('is one of the same subscription, tenant and arguments, and of the last 24 hours', async () => {
    const [msp, other] = [await withAgents(), await withAgents()]
    const stream = await subscribe(msp.key, UPDATES)
    await add(msp, 'e')
    await stream.reaches(1)
    const [after] = stream.ids()
    const refused = async (caller: Msp['key'], variables: object) => {
      const { code, status } = await subscribe(caller, UPDATES, { variables: { ...variables } })
      return [status, code()]
    }
    expect(await refused(other.key, { after })).toEqual([400, 'invalid_cursor'])
    expect(await refused(msp.key, { after, agent_id: 1 })).toEqual([400, 'invalid_cursor'])
    expect(await refused(msp.key, { after: 'nothing' })).toEqual([400, 'invalid_cursor'])
    clock.advance(25 * 3_600_000)
    expect(await refused(msp.key, { after })).toEqual([400, 'invalid_cursor'])
    clock.reset()
  })
})

describe('a stream ends', () => {
  const revoke = (msp: Msp, id: string) =>
    msp.database.prisma.apiKey.updateMany({
      where: { tenant_id: msp.tenant_id, id },
      data: { revoked_at: new Date() },
    })

  it.each([
    [
      'when its key is revoked',
      'credentials_revoked',
      async (msp: Msp) => {
        const key = await msp.newKey()
        return [key, () => revoke(msp, key.id)] as const
      },
    ],
    [
      'when its user has another role',
      'access_changed',
      async (msp: Msp) =>
        [
          msp.admin,
          () =>
            msp.database.prisma.tenantUser.updateMany({
              where: { tenant_id: msp.tenant_id, id: msp.admin.id },
              data: { role: 'USER' },
            }),
        ] as const,
    ],
    [
      'when its tenant is suspended',
      'tenant_suspended',
      async (msp: Msp) =>
        [
          msp.key,
          () =>
            msp.database.prisma.tenant.updateMany({
              where: { id: msp.tenant_id },
              data: { suspended_at: new Date() },
            }),
        ] as const,
    ],
  ])('%s, before it shows anything more', async (_name, code, prepare) => {
    const msp = await withAgents()
    const [caller, change] = await prepare(msp)
    const stream = await subscribe(caller, UPDATES)
    await add(msp, 'seen')
    await stream.reaches(1)
    await change()
    await add(msp, 'unseen')
    await stream.ended
    expect([idsOf(stream.updates()), stream.code(), stream.isComplete()]).toEqual([['seen'], code, true])
  })

  it('soon after its key is revoked if nothing happens', async () => {
    const msp = await withAgents()
    const key = await msp.newKey()
    const stream = await subscribe(key, UPDATES)
    await revoke(msp, key.id)
    await stream.ended
    expect(stream.code()).toBe('credentials_revoked')
  })

  it('when the process stops, and says so to people alone: clients go on elsewhere', async () => {
    const msp = await withAgents()
    const { app, base } = await startApp(msp.database)
    const stream = await subscribe(msp.key, UPDATES, { base })
    await app.close(20_000)
    await stream.ended
    expect([stream.code(), stream.events]).toEqual(['service_unavailable', []])
    await add(msp, 'meanwhile')
    const elsewhere = await subscribe(msp.key, UPDATES, { variables: { after: stream.begins() } })
    await elsewhere.reaches(1)
    expect(idsOf(elsewhere.updates())).toEqual(['meanwhile'])
  })

  it('with its client, and nothing follows for it any longer', async () => {
    const msp = await withAgents()
    const { change_feed: changes } = (await testApp()).app.services
    const stream = await subscribe(msp.key, UPDATES)
    expect(changes.followers(msp)).toBe(1)
    stream.close()
    await until(() => changes.followers(msp) === 0)
  })

  it('where its execution is no longer for the caller', async () => {
    const msp = await withAgents()
    await share(msp, 2, msp.user.id)
    await add(msp, 'e', 2)
    const stream = await subscribe(msp.user, UPDATES, { variables: { execution_id: 'e' } })
    await setStatus(msp, 'e', 'RUNNING')
    await stream.reaches(1)
    await msp.database.prisma.agentShare.deleteMany({ where: { tenant_id: msp.tenant_id } })
    await setStatus(msp, 'e', 'COMPLETED')
    await stream.ended
    expect([stream.updates().length, stream.code()]).toEqual([1, 'execution_not_found'])
  })
})

describe('limits', () => {
  it('let a credential have 20 streams at once', async () => {
    const msp = await withAgents()
    const key = await msp.newKey()
    const streams = await Promise.all(Array.from({ length: 20 }, () => subscribe(key, UPDATES)))
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200))
    const refused = await subscribe(key, UPDATES)
    expect([refused.status, refused.code()]).toEqual([429, 'rate_limited'])
    expect((await subscribe(msp.key, UPDATES)).status).toBe(200)
    streams[0]?.close()
    await until(async () => {
      const next = await subscribe(key, UPDATES)
      return next.status === 200
    })
  })

  it('do not cut a stream that outlasts a request', async () => {
    const msp = await withAgents()
    const { app, base } = await startApp(msp.database, { REQUEST_TIMEOUT_MS: '1000' })
    const stream = await subscribe(msp.key, UPDATES, { base })
    const begun = performance.now()
    await until(() => performance.now() - begun > 2500)
    await add(msp, 'e')
    await stream.reaches(1)
    await app.close(0)
  })
})

describe('many subscribers', () => {
  it('cost no statement for what they do not get', async () => {
    const msp = await withAgents()
    const users = await Promise.all(
      Array.from({ length: 6 }, () => msp.newKey({ acting_user_id: msp.viewer.id })),
    )
    const streams = await Promise.all(
      users.flatMap((user) => Array.from({ length: 10 }, () => subscribe(user, UPDATES))),
    )
    const one = await subscribe(msp.user, UPDATES)
    const id = randomUUID()
    const sent = await statementsOf(
      msp.database,
      async () => {
        await add(msp, id)
        await one.reaches(1)
      },
      /from (?:live_event|execution|agent_share|api_key|tenant_user|\()/,
    )
    const ours = sent.filter(({ text }) => !/insert into/i.test(text))
    expect(ours.length).toBeLessThanOrEqual(8)
    expect(streams.flatMap((stream) => stream.updates())).toEqual([])
  })
})
