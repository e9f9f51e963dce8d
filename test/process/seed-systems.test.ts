/** The local systems of the demo have what its agents look for, and the fixed actions of its agents can be made. */
import type { GraphQLInputObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_TENANT_ID } from '../../src/access/demo.ts'
import { AgentState } from '../../src/db/generated/client/client.ts'
import { CUSTOMERS, psaIdOf } from '../../src/demo/end-companies.ts'
import { type Arguments, apisAt, published } from '../setup/api.ts'
import { clock, type Running, startApp } from '../setup/app.ts'
import { DEMO, demoDatabase, MORNING } from '../setup/demo.ts'
import { performRuns } from '../setup/runs.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'

const { environment, demo_api_key } = DEMO

let running: Running

beforeAll(async () => {
  clock.set(MORNING)
  const database = await demoDatabase(MORNING)
  running = await startApp(database, { ENVIRONMENT: environment })
})
afterAll(async () => {
  clock.reset()
  await running.app.close(0)
  await running.database.close()
})

const demo = () => ({ tenant_id: DEMO_TENANT_ID, environment, database: running.database })
const acting = () => toolCallsFor(demo())

/** The data of an answer to the demo key. */
async function answerOf(path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${running.base}/public-api${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${demo_api_key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const { data, error } = (await response.json()) as { data?: unknown; error?: unknown }
  expect([path, error]).toEqual([path, undefined])
  return data
}

/** Work of the demo that the agent is for: it meets the conditions, and nobody has done it yet. */
const WORK: Readonly<Record<number, () => Promise<string | undefined>>> = {
  4: async () => {
    const { tenant_id } = demo()
    const where = { tenant_id, environment, board: 'Alerts', closed_at: null }
    return (await running.database.prisma.psaTicket.findFirst({ where }))?.ticket_id
  },
  5: async () => {
    const { tenant_id } = demo()
    const where = { tenant_id, environment, agreement: null, returned_reason: null }
    return (await running.database.prisma.psaTimeEntry.findFirst({ where }))?.time_entry_id
  },
  9: async () => '150000',
}

test('every demo agent with fixed actions completes them on work of the demo', async () => {
  const agents = await running.database.prisma.agent.findMany({
    where: { autonomy_type: 'CHAINED_ACTIONS', state: 'ACTIVE' },
    orderBy: { id: 'asc' },
  })
  expect(agents.map(({ id }) => id)).toEqual(Object.keys(WORK).map(Number))
  for (const { id, name, actions } of agents) {
    const entity_id = await WORK[id]?.()
    const started = (await answerOf(`/agents/${id}/run-now`, { entity_id })) as { execution_id: string }
    await performRuns(demo(), { services: running.app.services })
    const count = (actions as unknown[]).length
    expect([name, await answerOf(`/executions/${started.execution_id}`)]).toEqual([
      name,
      expect.objectContaining({
        status: 'COMPLETED',
        resolution: 'FULL',
        entity_id,
        message_for_dashboard: `All ${count} actions were made.`,
      }),
    ])
  }
})

test('every customer at work has devices, documents, accounts, groups, licences and an agreement', async () => {
  const { call } = acting()
  for (const [index, { name, domains, status }] of CUSTOMERS.entries()) {
    if (status === 'INACTIVE' || domains.length === 0) continue
    const company_id = psaIdOf(index)
    const counts = {
      devices: await call('device.search', { query: '-', company_id }),
      documents: await call('document.search', { query: name.split(' ')[0], company_id }),
      accounts: await call('identity.search', { query: domains[0], company_id }),
      groups: await call('identity.list_groups', { company_id }),
      licences: await call('licence.list', { company_id }),
      company: await call('company.read', { company_id }),
    }
    expect([name, counts]).toEqual([
      name,
      {
        devices: { results: expect.arrayContaining([expect.objectContaining({ name: 'SRV-FILE01' })]) },
        documents: { results: expect.arrayContaining([expect.objectContaining({ company: name })]) },
        accounts: { results: expect.arrayContaining([expect.objectContaining({ enabled: true })]) },
        groups: { groups: expect.arrayContaining([expect.objectContaining({ name: 'All staff' })]) },
        licences: { licences: [expect.objectContaining({ total: expect.any(Number) })] },
        company: expect.objectContaining({ name, agreements: expect.arrayContaining([expect.any(String)]) }),
      },
    ])
  }
})

test('the contact of the new ticket, their account and its file are found, and the copier in a document', async () => {
  const { call } = acting()
  const { tenant_id } = demo()
  const ticket = await running.database.prisma.psaTicket.findFirstOrThrow({
    where: { tenant_id, environment, ticket_id: '150000' },
  })
  const company_id = ticket.psa_company_id
  const { results } = await call('contact.search', { query: 'Priya Nair', company_id })
  expect(results).toEqual([expect.objectContaining({ contact_id: ticket.contact_id })])
  const account_id = `acc_${ticket.contact_id}`
  expect(await call('identity.read', { account_id })).toMatchObject({
    display_name: 'Priya Nair',
    groups: ['All staff', 'VPN'],
  })
  expect((await call('ticket.list_attachments', { ticket_id: '150000' })).attachments).toHaveLength(1)
  const { results: documents } = await call('document.search', { query: 'authentication failed', company_id })
  expect(documents).toEqual([expect.objectContaining({ title: expect.stringContaining('Printers') })])
})

test('the alerts, accounts and groups that tickets and the audit log name are there', async () => {
  const { prisma } = running.database
  const entries = await prisma.auditEntry.findMany({
    where: { tool_name: { startsWith: 'identity.' }, agent_id: 2 },
    select: { arguments: true },
  })
  const named = entries.flatMap(({ arguments: args }) => (args as { account_id?: string }).account_id ?? [])
  expect(named.length).toBeGreaterThan(100)
  const accounts = new Set((await prisma.identityAccount.findMany()).map(({ account_id }) => account_id))
  expect(named.filter((id) => !accounts.has(id))).toEqual([])
  const identity = await prisma.psaTicket.findMany({ where: { board: 'Identity' } })
  expect(identity.length).toBeGreaterThan(100)
  expect(identity.filter(({ contact_id }) => !accounts.has(`acc_${contact_id}`))).toEqual([])
  const open = await prisma.psaTicket.findMany({ where: { board: 'Alerts', closed_at: null } })
  expect(open.length).toBeGreaterThan(0)
  for (const { ticket_id, title } of open)
    expect(await acting().call('alert.read', { alert_id: `alr_${ticket_id}` })).toMatchObject({ text: title })
})

/** The fields of the agent that a create takes. */
async function bodyOf(agent: Arguments): Promise<Arguments> {
  const { schema } = await published()
  const taken = Object.keys((schema.getType('AgentDraft') as GraphQLInputObjectType).getFields())
  return Object.fromEntries(
    Object.entries(agent).filter(([name, value]) => taken.includes(name) && value !== null),
  )
}

describe.each(apisAt(async () => running.base))('the agents of the demo ($name)', (api) => {
  const caller = { id: 'key_demo', token: demo_api_key }

  /** The data of an answer without warnings. */
  async function answered(operation: string, args: Arguments) {
    const { data, error, warnings } = await api.call(caller, operation, args)
    expect([operation, args.agent_id, error, warnings]).toEqual([operation, args.agent_id, null, []])
    return data
  }

  test('can be copied: the configuration of each keeps every rule', async () => {
    for (const { id: agent_id } of await answered('agents', { state: Object.keys(AgentState) })) {
      const input = await bodyOf(await answered('agent', { agent_id }))
      expect(await answered('validate_agent', { input })).toMatchObject({ valid: true, warnings: [] })
      const { id } = await answered('create_agent', { input })
      expect(await bodyOf(await answered('agent', { agent_id: id }))).toEqual(input)
      await answered('archive_agent', { agent_id: id })
    }
  })

  test('can be activated and paused, but for the archived one', async () => {
    for (const { id: agent_id } of await answered('agents', {})) {
      expect(await answered('activate_agent', { agent_id })).toMatchObject({ state: 'ACTIVE' })
      expect(await answered('pause_agent', { agent_id })).toMatchObject({ state: 'PAUSED' })
      expect(await answered('activate_agent', { agent_id })).toMatchObject({ state: 'ACTIVE' })
    }
  })
})
