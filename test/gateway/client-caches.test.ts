/** Dashboards keep what they read in normalised caches: every entity once, by its type and `id`. */
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange, type RequestPolicy } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { getNamedType, isObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { buildSchemas } from '../../src/schema.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { testApp } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { addPsaAttributes } from '../setup/psa.ts'
import { type Caller, world } from '../setup/world.ts'

/** A GraphQL client with its cache. */
interface Cached {
  read(query: string): Promise<Answer>
  write(mutation: string): Promise<Answer>
  /** The answer from the cache alone; null where it lacks something. */
  readCached(query: string): Promise<Answer | null>
}

// biome-ignore lint/suspicious/noExplicitAny: documents of all shapes
type Answer = any

async function apollo(caller: Caller): Promise<Cached> {
  const { base } = await testApp()
  const headers = { authorization: `Bearer ${caller.token}` }
  const link = ApolloLink.from([new HttpLink({ uri: `${base}/graphql`, headers })])
  const client = new ApolloClient({ link, cache: new InMemoryCache() })
  return {
    read: async (query) => (await client.query({ query: gql(query), fetchPolicy: 'network-only' })).data,
    write: async (mutation) => (await client.mutate({ mutation: gql(mutation) })).data,
    readCached: async (query) => client.readQuery({ query: gql(query) }),
  }
}

async function urql(caller: Caller): Promise<Cached> {
  const { base } = await testApp()
  const client = new Client({
    url: `${base}/graphql`,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${caller.token}` } },
    exchanges: [cacheExchange({}), fetchExchange],
  })
  const query = async (text: string, requestPolicy: RequestPolicy) => {
    const { data, error } = await client.query(text, {}, { requestPolicy })
    if (error) throw error
    return data ?? null
  }
  return {
    read: (text) => query(text, 'network-only'),
    write: async (mutation) => {
      const { data, error } = await client.mutation(mutation, {})
      if (error) throw error
      return data
    },
    readCached: (text) => query(text, 'cache-only'),
  }
}

const CLIENTS = [
  ['Apollo Client', apollo],
  ['urql', urql],
] as const

const SETTINGS = '{ settings { id timezone start_business_hours } }'
const AGENT = '{ agent(agent_id: 1) { id name state supervised } }'
const AGENTS = '{ agents { items { id name state } pagination { has_more } } }'
const EXECUTION = '{ execution(execution_id: "e1") { id status seconds_spent } }'
const EXECUTIONS = '{ executions { items { id status } } }'
const LINKS = '{ company_links(system: HUDU) { links { id link_state } counts { mapped } } }'
const OPTIONS = '{ company_filter_options { fields { field_name options { id name } } } }'
const GROUPS = '{ permission_groups { id name requires_approval } }'

describe.each(CLIENTS)('the cache of %s', (_name, connect) => {
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
  const types = Object.values(buildSchemas().schema.getTypeMap()).filter(isObjectType)
  const entities = types.flatMap((type) => {
    const { items, pagination, revision } = type.getFields()
    if (items && pagination) return [getNamedType(items.type)]
    return revision ? [type] : []
  })
  const without = entities.filter((type) => isObjectType(type) && !('id' in type.getFields()))
  expect(without.map(({ name }) => name)).toEqual([])
})
