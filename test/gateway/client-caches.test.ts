/** Dashboards keep what they read in normalised caches: every entity once, by its type and `id`. */
import { hash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { getNamedType, isObjectType } from 'graphql'
import { beforeAll, describe, expect, test } from 'vitest'
import { installQueues, run, runnableMsp } from '../areas/agents/runnable.ts'
import { companies, type, using } from '../areas/company-filters/companies.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { type Api, apis } from '../setup/api.ts'
import { builtSchemas, testApp } from '../setup/app.ts'
import { type Cached, CLIENTS } from '../setup/cached-clients.ts'
import { addChannels } from '../setup/channels.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { addPsaAttributes } from '../setup/psa.ts'
import { type Caller, world } from '../setup/world.ts'

beforeAll(installQueues)

// biome-ignore lint/suspicious/noExplicitAny: documents of all shapes
type Answer = any

const SETTINGS = '{ settings { id timezone start_business_hours } }'
const AGENT = '{ agent(agent_id: 1) { id name state supervised } }'
const AGENTS = '{ agents { items { id name state } pagination { has_more } } }'
const EXECUTION = '{ execution(execution_id: "e1") { id status seconds_spent } }'
const EXECUTIONS = '{ executions { items { id status } } }'
const LINKS = '{ company_links(system: HUDU) { links { id link_state } counts { mapped } } }'
const OPTIONS = '{ company_filter_options { fields { field_name options { id name } } } }'
const GROUPS = '{ permission_groups { id name requires_approval } }'

describe.each(CLIENTS)('the cache of %s', (_name, connected) => {
  const connect = async ({ token }: Caller): Promise<Cached> => {
    const { base } = await testApp()
    return connected(`${base}/graphql`, { headers: { authorization: `Bearer ${token}` } })
  }

  test('has the new zone after the settings are changed', async () => {
    const client = await connect((await world()).admin)
    expect(await client.read(SETTINGS)).toMatchObject({ settings: { timezone: null } })
    await client.write('mutation { update_settings(input: { timezone: "Europe/London" }) { id timezone } }')
    expect(await client.readCached(SETTINGS)).toMatchObject({
      settings: { timezone: 'Europe/London', start_business_hours: 8 },
    })
  })

  test('holds an agent once, read alone and in a list', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addAgents(msp, [{ id: 1, name: 'Triage' }, { id: 2 }])
    await client.read(AGENTS)
    expect(await client.readCached(AGENT)).toBeNull()
    const { tenant_id } = msp
    await msp.database.prisma.agent.updateMany({ where: { tenant_id, id: 1 }, data: { name: 'Sorting' } })
    await client.read(AGENT)
    const { agents } = await client.readCached(AGENTS)
    expect(agents.items.map(({ name }: Answer) => name).sort()).toEqual(['Agent 2', 'Sorting'])
    expect(await client.readCached(AGENT)).toMatchObject({ agent: { name: 'Sorting', supervised: false } })
  })

  test('holds an execution once, read alone and in a list', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [{ execution_id: 'e1', agent_id: 1, status: 'RUNNING' }])
    await client.read(EXECUTIONS)
    const { tenant_id } = msp
    await msp.database.prisma.execution.updateMany({ where: { tenant_id }, data: { status: 'COMPLETED' } })
    await client.read(EXECUTION)
    const { executions } = await client.readCached(EXECUTIONS)
    expect(executions.items).toMatchObject([{ status: 'COMPLETED' }])
  })

  test('has a company link as it was mapped', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addCompanies(msp, [{ id: 'a' }])
    await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a' }, { external_id: '2' }])
    await client.read(LINKS)
    const input = '{ system: HUDU, external_id: "1", psa_company_id: "psa_a" }'
    await client.write(`mutation { map_company_link(input: ${input}) { id link_state } }`)
    const { company_links } = await client.readCached(LINKS)
    expect(company_links.links.map((link: Answer) => link.link_state)).toEqual(['UNMAPPED', 'MANUAL'])
  })

  test('has the options of each field, whose ids are those of no other', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addPsaAttributes(msp, 'type', { 1: 'Customer', 2: 'Prospect' })
    await addPsaAttributes(msp, 'territory', { 3: 'North' })
    const { company_filter_options } = await client.read(OPTIONS)
    expect((await client.readCached(OPTIONS)).company_filter_options).toEqual(company_filter_options)
    await expect(addPsaAttributes(msp, 'status', { 3: 'Active' })).rejects.toThrow()
  })

  /** What is cached after the mutation is what the service answers then. */
  async function isRightAfter(client: Cached, mutation: string, queries: readonly string[]) {
    for (const query of queries) await client.read(query)
    const answer = await client.write(`mutation { ${mutation} }`)
    const cached = []
    for (const query of queries) cached.push(await client.readCached(query))
    const read = []
    for (const query of queries) read.push(await client.read(query))
    expect(cached).toEqual(read)
    return answer
  }

  test('has an execution as it is after the agent is run on its ticket again', async () => {
    const msp = await runnableMsp()
    const client = await connect(msp.admin)
    await run(apis[0] as Api, msp.key, 1)
    const { executions } = await client.read('{ executions { items { execution_id } } }')
    const [{ execution_id }] = executions.items
    const mutation = `run_agent_now(agent_id: 1, input: { entity_id: "4711", supervised_run: true }) {
      execution_id execution { id status supervised agent { id name } } }`
    const query = `{ execution(execution_id: "${execution_id}") { id status supervised agent { id name } } }`
    const { run_agent_now } = await isRightAfter(client, mutation, [query])
    expect(run_agent_now.execution).toMatchObject({ id: execution_id, status: 'NEW', supervised: true })
    const dry = 'run_agent_now(agent_id: 1, input: { entity_id: "4711", dry_run: true }) { execution { id } }'
    const { run_agent_now: tried } = await client.write(`mutation { ${dry.replace('4711', '4712')} }`)
    expect(tried.execution).toBeNull()
  })

  test('has the channels of an agent that was archived', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addAgents(msp, [
      { id: 1, autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' },
    ])
    await addChannels(msp, [{ id: 'c1', agent_id: 1, status: 'ACTIVE' }])
    const { archive_agent } = await isRightAfter(
      client,
      'archive_agent(agent_id: 1) { id state channels { items { id status status_reason updated_at } } }',
      ['{ channel(channel_id: "c1") { id status status_reason } }', '{ agent(agent_id: 1) { id state } }'],
    )
    expect(archive_agent.channels.items).toMatchObject([{ id: 'c1', status: 'PAUSED' }])
  })

  test('has both companies after a link is mapped to the other one', async () => {
    const msp = await world()
    const client = await connect(msp.admin)
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await addLinks(msp, [{ external_id: '1', psa_company_id: 'psa_a' }])
    const links = 'id company_links { items { id psa_company_id } pagination { has_more } }'
    const { map_company_link } = await isRightAfter(
      client,
      `map_company_link(input: { system: HUDU, external_id: "1", psa_company_id: "psa_b" }) {
        id psa_company_id end_company { ${links} } previous_end_company { ${links} } }`,
      [
        `{ a: end_company(end_company_id: "a") { ${links} } }`,
        `{ b: end_company(end_company_id: "b") { ${links} } }`,
      ],
    )
    expect(map_company_link.previous_end_company).toMatchObject({ id: 'a', company_links: { items: [] } })
  })

  test('has the filters and the companies after those that do not fit are removed', async () => {
    const msp = await companies('abcd')
    const client = await connect(msp.admin)
    await using(apis[0] as Api, msp).replace([type(1)])
    const filters = 'id revision removable { count companies { psa_company_id } }'
    const { remove_unmatched_companies } = await isRightAfter(
      client,
      `remove_unmatched_companies(input: { psa_company_ids: ["psa_c"] }) {
        filters { ${filters} } end_companies { id in_scope } }`,
      [`{ company_filters { ${filters} } }`, '{ end_company(end_company_id: "c") { id in_scope } }'],
    )
    expect(remove_unmatched_companies.end_companies).toEqual([
      expect.objectContaining({ id: 'c', in_scope: false }),
    ])
  })

  test('has the tenant after its settings are changed', async () => {
    const client = await connect((await world()).admin)
    const { update_settings } = await isRightAfter(
      client,
      'update_settings(input: { timezone: "Europe/Paris" }) { id timezone tenant { id timezone } }',
      [SETTINGS, '{ tenant { id timezone } }'],
    )
    expect(update_settings.tenant.timezone).toBe('Europe/Paris')
  })

  test('has a permission group as it was changed', async () => {
    const client = await connect((await world()).admin)
    await client.read(GROUPS)
    await client.write(
      'mutation { update_permission_group(name: "TICKETS", input: { requires_approval: true }) { id requires_approval } }',
    )
    const { permission_groups } = await client.readCached(GROUPS)
    const tickets = permission_groups.find(({ name }: Answer) => name === 'TICKETS')
    expect(tickets).toMatchObject({ requires_approval: true })
  })
})

test('every entity has an id', () => {
  const types = Object.values(builtSchemas().schema.getTypeMap()).filter(isObjectType)
  const entities = types.flatMap((type) => {
    const { items, pagination, revision } = type.getFields()
    if (items && pagination) return [getNamedType(items.type)]
    return revision ? [type] : []
  })
  const without = entities.filter((type) => isObjectType(type) && !('id' in type.getFields()))
  // A device is the RMM’s, and is read anew each time.
  expect(without.map(({ name }) => name)).toEqual(['RmmDevice'])
})

test('a client that sends the hash of its document first sends the document then', async () => {
  const msp = await world()
  const { base } = await testApp()
  const sent: Record<string, unknown>[] = []
  const http = new HttpLink({
    uri: `${base}/graphql`,
    headers: { authorization: `Bearer ${msp.key.token}` },
    fetch: (url, init) => {
      sent.push(JSON.parse(String(init?.body)))
      return fetch(url, init)
    },
  })
  const hashed = new PersistedQueryLink({ sha256: (text) => hash('sha256', text) })
  const client = new ApolloClient({ link: ApolloLink.from([hashed, http]), cache: new InMemoryCache() })
  const { data } = await client.query({ query: gql('{ settings { id timezone } }') })
  expect(data).toMatchObject({ settings: { timezone: null } })
  expect(sent.map(({ query }) => query !== undefined)).toEqual([false, true])
})

test.each(['POST', 'GET'])('a persisted query by %s is refused by the code of Apollo', async (method) => {
  const msp = await world()
  const { base } = await testApp()
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash('sha256', 'x') } }
  const search = method === 'GET' ? `?extensions=${encodeURIComponent(JSON.stringify(extensions))}` : ''
  const response = await fetch(`${base}/graphql${search}`, {
    method,
    headers: {
      authorization: `Bearer ${msp.key.token}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: method === 'GET' ? null : JSON.stringify({ extensions }),
  })
  const { errors } = await response.json()
  expect([response.status, errors[0].message, errors[0].extensions.code]).toEqual([
    200,
    'PersistedQueryNotSupported',
    'PERSISTED_QUERY_NOT_SUPPORTED',
  ])
})
