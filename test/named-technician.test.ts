/**
 * A technician who is named on a request of an agent that they do not see, by every read, list, relation and subscription:
 * they read the request, and everything else answers as it does to a colleague who is not named.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { share } from './setup/agents.ts'
import { type Answer, apis, isForCallers, published } from './setup/api.ts'
import { clock } from './setup/app.ts'
import { graphql } from './setup/graphql.ts'
import { argumentsOf, pathParameters } from './setup/samples.ts'
import { subscribe } from './setup/streams.ts'
import { ownRows } from './setup/suites/own-rows.ts'
import { addTilRequests, makeTechnician } from './setup/til-requests.ts'
import { relationsFrom } from './setup/walks.ts'
import { type Caller, world } from './setup/world.ts'

const { operations, schema, subscriptions } = await published()

const msp = await world()
const { prisma } = msp.database
const { tenant_id, environment } = msp
const { ids, mark } = await ownRows(msp)
const til_request_id = ids.til_request_id as string
const execution_id = ids.execution_id as string

/** Both are technicians in the role USER, and see no agent; the request names the first alone. */
const [named, colleague] = [msp.user, msp.viewer]
await prisma.tenantUser.updateMany({ where: { tenant_id, id: colleague.id }, data: { role: 'USER' } })
await makeTechnician(msp, named.id, 7)
await makeTechnician(msp, colleague.id, 8)
await prisma.tilRequestTechnician.create({
  data: { tenant_id, environment, til_request_id, technician_id: 7 },
})

/** They answer who the caller is. */
const OF_THE_CALLER = ['me', 'discover']
/** They have the request. */
const OF_REQUESTS = ['til_requests', 'til_request']

const queries = operations.filter(
  (operation) =>
    operation.kind === 'query' && isForCallers(operation) && !OF_THE_CALLER.includes(operation.name),
)
const others = queries.filter(({ name }) => ![...OF_REQUESTS, 'events'].includes(name))
const belowAgents = operations.filter((operation) =>
  pathParameters(operation).some((name) => name === 'agent_id' || name === 'execution_id'),
)

// Windows end at the instant of the call, unless it says another.
beforeAll(() => clock.freeze())
afterAll(clock.reset)

const told = ({ status, data, error }: Answer) => ({ status, data, error })

describe.each(apis)('through $name, a technician who is named on a request', (api) => {
  const ask = (caller: Caller, operation: (typeof operations)[number]) =>
    api.call(caller, operation.name, argumentsOf(operation, ids))

  it.each(others.map((operation) => [operation.name, operation] as const))(
    'gets of %s the answer of a colleague who is not named',
    async (_name, operation) => {
      expect(told(await ask(named, operation))).toEqual(told(await ask(colleague, operation)))
    },
  )

  it.each(belowAgents.map((operation) => [operation.name, operation] as const))(
    'gets 404 of %s',
    async (_name, operation) => {
      expect((await ask(named, operation)).status).toBe(404)
    },
  )

  it.each(queries.filter(({ name }) => OF_REQUESTS.includes(name)).map((one) => [one.name, one] as const))(
    'reads the request by %s, with the name of its agent and the id of its execution',
    async (_name, operation) => {
      const { status, data } = await ask(named, operation)
      const request = { id: til_request_id, agent_name: mark, execution_id, technician_ids: [7] }
      expect([status, [data].flat()]).toMatchObject([200, [request]])
      expect(JSON.stringify((await ask(colleague, operation)).data ?? '')).not.toContain(mark)
    },
  )
})

describe.each(apis)('through $name, the feed of a technician who is named on a request', (api) => {
  it('has the events of the request, and none of its execution', async () => {
    const of = async (caller: Caller) => {
      const { data } = await api.call(caller, 'events', { event_types: ['til_request.*', 'execution.*'] })
      return data.map(({ type, data }: { type: string; data: object }) => [type, data])
    }
    expect(await of(named)).toEqual([['til_request.created', expect.objectContaining({ til_request_id })]])
    expect(await of(colleague)).toEqual([])
  })
})

describe('in the graph, a technician who is named on a request', () => {
  const walk = (some: typeof queries) =>
    some.flatMap((operation) =>
      relationsFrom(schema, operation, ids).map(({ name, query }) => [name, query] as const),
    )

  it.each(walk(others))('gets of %s what a colleague gets', async (_name, query) => {
    const { data, code } = await graphql(named, query)
    expect({ data, code }).toEqual(await graphql(colleague, query).then(({ data, code }) => ({ data, code })))
  })

  it.each(walk(queries.filter(({ name }) => OF_REQUESTS.includes(name))))(
    'gets null of %s, which an ADMIN walks',
    async (name, query) => {
      const relation = name.endsWith('.agent') ? 'agent' : 'execution'
      const relationOf = async (caller: Caller) => {
        const { data } = await graphql(caller, query)
        const root = data.til_request ?? data.til_requests.items[0]
        return root[relation]
      }
      expect(await relationOf(named)).toBeNull()
      expect(JSON.stringify(await relationOf(msp.admin))).toContain(mark)
    },
  )

  it('gets neither from the answer to a decision', async () => {
    await addTilRequests(msp, [
      { id: 'til_decided', execution_id, agent_id: Number(ids.agent_id), technicians: [7] },
    ])
    const { data, code } = await graphql(
      named,
      `mutation { reject_til_request(til_request_id: "til_decided", input: { comment: "No." }) {
        status agent { id } execution { execution_id }
      } }`,
    )
    expect([code, data.reject_til_request]).toEqual([
      undefined,
      { status: 'REJECTED', agent: null, execution: null },
    ])
  })
})

describe('a subscription of a technician who is named on a request', () => {
  const EXECUTIONS = '{ execution { execution_id } }'
  const REQUESTS = '{ til_request { id agent { id } execution { execution_id } } }'
  const change = () =>
    Promise.all([
      prisma.execution.updateMany({ where: { tenant_id }, data: { run_count: { increment: 1 } } }),
      prisma.tilRequest.updateMany({
        where: { tenant_id, id: til_request_id },
        data: { revision: { increment: 1 } },
      }),
    ])

  it('execution_updates tells of the execution once its agent is shared, and before of nothing', async () => {
    const refused = await subscribe(
      named,
      `subscription { execution_updates(execution_id: "${execution_id}") ${EXECUTIONS} }`,
    )
    await refused.ended
    expect(refused.code()).toBe('execution_not_found')
    const stream = await subscribe(named, `subscription { execution_updates ${EXECUTIONS} }`)
    await change()
    const seen = await subscribe(msp.admin, `subscription { execution_updates ${EXECUTIONS} }`)
    await change()
    await seen.reaches(1)
    expect(stream.updates()).toEqual([])
    await share(msp, Number(ids.agent_id), named.id)
    await change()
    await stream.reaches(1)
    expect(JSON.stringify(stream.updates())).toContain(execution_id)
    await prisma.agentShare.deleteMany({ where: { tenant_id, user_id: named.id } })
  })

  it('til_request_updates tells of the request, and of neither its agent nor its execution', async () => {
    const stream = await subscribe(named, `subscription { til_request_updates ${REQUESTS} }`)
    await change()
    await stream.reaches(1)
    expect(stream.updates()[0]).toEqual({ til_request: { id: til_request_id, agent: null, execution: null } })
  })

  it('is one of these, or of what belongs to no agent', () => {
    expect(subscriptions.map(({ name }) => name).sort()).toEqual([
      'event_feed',
      'execution_updates',
      'inbox_updates',
      'integration_sync_updates',
      'til_request_updates',
    ])
  })
})
