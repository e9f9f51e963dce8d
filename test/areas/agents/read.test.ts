import { describe, expect, it } from 'vitest'
import { Prisma } from '../../../src/db/generated/client/client.ts'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { graphql } from '../../setup/graphql.ts'
import { type Msp, world } from '../../setup/world.ts'
import { list, read } from './calls.ts'

const CREATED = new Date('2026-03-01T10:00:00.000Z')
const UPDATED = new Date('2026-04-01T10:00:00.000Z')

const CONFIG = {
  agent_settings: { custom_instructions: 'Be brief.', max_minutes: 30, confidence_threshold: 0.8 },
  agent_settings_edits: { max_minutes: 30 },
  toolbox: { tools: ['ticket.read', 'ticket.update'] },
  integrations: { grants: [{ system: 'HUDU', permission_groups: [], access: 'READ' }] },
  schedule: { cron: '0 7 * * 1-5', timezone: 'Europe/London' },
  callback_settings: { change_types: ['TICKET_CREATED'], ignore_own_changes: true, debounce_seconds: 30 },
  actions: [{ type: 'add_note', params: { text: 'Done', nested: { deep: [1, null, 'ü'] } } }],
  ticket_conditions: { match: 'ANY', rules: [{ field: 'priority', operator: 'equals', value: 'P1' }] },
  time_entry_conditions: { match: 'ALL', rules: [] },
}

const SUMMARY = {
  id: 7,
  name: 'Triage',
  description: 'Sorts new tickets.',
  state: 'PAUSED',
  autonomy_type: 'AGENTIC',
  trigger_type: 'TRIGGERED',
  entity_type: 'TICKET',
  supervised: true,
  supervisor_technician_ids: [3, 1],
  created_by_user_id: null,
  created_by_name: 'Ada',
  shared_with_me: false,
  revision: 4,
  last_run_at: null,
  created_at: CREATED.toISOString(),
  updated_at: UPDATED.toISOString(),
}

const addTriage = (msp: Msp): Promise<void> => {
  const { shared_with_me: _, last_run_at: __, ...row } = SUMMARY
  return addAgents(msp, [{ ...row, ...CONFIG, created_at: CREATED, updated_at: UPDATED } as never])
}

describeApi('agents', (api) => {
  it('answer every field in order, the config objects alone with the agent', async () => {
    const msp = await world()
    await addTriage(msp)
    const { data, pagination } = await list(api, msp.key)
    expect([data, pagination]).toEqual([[SUMMARY], { next_cursor: null, has_more: false }])
    expect(Object.keys(data[0])).toEqual(Object.keys(SUMMARY))
    const whole = await read(api, msp.owner, 7)
    expect(whole.data).toEqual({ ...SUMMARY, ...CONFIG })
    const names = Object.keys(SUMMARY)
    const expected = [...names.slice(0, 7), ...Object.keys(CONFIG), ...names.slice(7)]
    expect(Object.keys(whole.data)).toEqual(expected)
  })

  it('without config objects have null for each', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, agent_settings: Prisma.DbNull }])
    const { data } = await read(api, msp.key, 1)
    expect(data).toMatchObject(Object.fromEntries(Object.keys(CONFIG).map((name) => [name, null])))
  })

  it('ran last when their latest execution was created, a chat agent when it last consumed credits', async () => {
    const msp = await world()
    const { tenant_id, environment } = msp
    await addAgents(msp, [{ id: 1 }, { id: 2 }, { id: 3, autonomy_type: 'CONVERSATIONAL' }])
    await addExecutions(msp, [
      { execution_id: 'a', agent_id: 1, created_at: new Date('2026-05-01T00:00:00Z') },
      { execution_id: 'b', agent_id: 1, created_at: new Date('2026-05-03T00:00:00Z'), status: 'NEW' },
      { execution_id: 'c', agent_id: 1, created_at: new Date('2026-05-02T00:00:00Z') },
    ])
    await msp.database.prisma.creditEntry.createMany({
      data: ['2026-06-02', '2026-06-01'].map((day) => ({
        tenant_id,
        environment,
        id: day,
        agent_id: 3,
        credits: 1,
        at: new Date(day),
      })),
    })
    const { data } = await list(api, msp.key, { sort: 'name' })
    const expected = ['2026-05-03T00:00:00.000Z', null, '2026-06-02T00:00:00.000Z']
    expect(data.map(({ last_run_at }: { last_run_at: unknown }) => last_run_at)).toEqual(expected)
    expect((await read(api, msp.key, 3)).data.last_run_at).toBe(expected[2])
  })

  it.each([
    0,
    -1,
    2_147_483_647,
    2_147_483_648,
    -2_147_483_648,
    1.5,
    1e21,
    '01',
    '+1',
    '1 ',
    '1.0',
    '1e0',
    '',
    ' ',
    'abc',
    '١',
    '\u0000',
    '1'.repeat(300),
    '1;2',
    'null',
    '%00',
    '../1',
  ])('have no agent %j', async (agent_id) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    if (api.name === 'rest' && agent_id === '') return
    const { status, error } = await read(api, msp.key, agent_id)
    // In GraphQL the id is an Int; a path is text.
    const isInt = Number.isInteger(agent_id) && Math.abs(Number(agent_id)) < 2 ** 31
    const isUnknown = api.name === 'rest' || isInt || agent_id === -(2 ** 31)
    const refused = isUnknown ? [404, 'agent_not_found'] : [422, 'request_validation_failed']
    expect([status, error?.code]).toEqual(refused)
  })
})

describe('agents in the graph', () => {
  it('are read, and looked for in lists, by one variable', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const query = `query ($agent_id: Int!) {
      agent(agent_id: $agent_id) { name }
      executions(agent_id: $agent_id) { items { execution_id } }
    }`
    const { data } = await graphql(msp.key, query, {}, { agent_id: 1 })
    expect(data).toEqual({ agent: { name: 'Agent 1' }, executions: { items: [] } })
    expect((await graphql(msp.key, '{ agent(agent_id: "1") { name } }')).code).toBe(
      'graphql_validation_failed',
    )
  })
})
