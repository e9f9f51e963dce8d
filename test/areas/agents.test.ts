import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../setup/agents.ts'
import { type Answer, type Api, type Arguments, apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { byteOrder } from '../setup/companies.ts'
import { graphql } from '../setup/graphql.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'

const ids = ({ data }: Answer): number[] => data.map(({ id }: { id: number }) => id)

const list = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'agents', args)

const read = (api: Api, caller: Caller, agent_id: unknown) => api.call(caller, 'agent', { agent_id })

async function walk(api: Api, caller: Caller, args: Arguments): Promise<Answer[]> {
  const pages: Answer[] = []
  let cursor: string | undefined
  do {
    const page: Answer = await list(api, caller, { ...args, ...(cursor && { cursor }) })
    pages.push(page)
    cursor = page.pagination?.next_cursor ?? undefined
  } while (cursor)
  return pages
}

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

/** Agent 1 is the USER's, 2 the VIEWER's, 3 is shared with both, 4 is nobody's of theirs. */
async function sharedAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  return msp
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
    await addAgents(msp, [{ id: 1 }])
    const { data } = await read(api, msp.key, 1)
    expect(data).toMatchObject(Object.fromEntries(Object.keys(CONFIG).map((name) => [name, null])))
  })

  it.each([
    [{}, [6, 5, 3, 2, 1]],
    [{ sort: 'created_at' }, [6, 5, 3, 2, 1]],
    [{ sort: 'name' }, [5, 1, 2, 6, 3]],
    [{ state: 'ARCHIVED' }, [4]],
    [{ state: 'ACTIVE' }, [6, 1]],
    [{ state: 'DRAFT', autonomy_type: 'AGENTIC' }, [2]],
    [{ state: ['DRAFT', 'ARCHIVED'] }, [4, 2]],
    [{ state: ['ACTIVE', 'ACTIVE', 'DRAFT'] }, [6, 2, 1]],
    [{ state: ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED'] }, [6, 5, 4, 3, 2, 1]],
    [{ autonomy_type: 'CONVERSATIONAL' }, [5]],
    [{ trigger_type: 'SCHEDULED' }, [6, 3]],
    [{ trigger_type: 'SCHEDULED', sort: 'name', search: 'ALERT' }, [6, 3]],
    [{ search: 'é' }, [5]],
    [{ search: '%' }, [2]],
    [{ search: '_' }, [6]],
    [{ search: '\\' }, [3]],
    [{ search: 'archived' }, []],
    [{ search: 'archived', state: 'ARCHIVED' }, [4]],
    [{ entity_type: 'TIME_ENTRY' }, [6, 3]],
    [{ entity_type: 'NONE', sort: 'name' }, [5]],
    [{ supervised: true }, [6, 2]],
    [{ supervised: false, sort: 'name' }, [5, 1, 3]],
    [{ supervised: true, entity_type: 'TIME_ENTRY' }, [6]],
  ])('listed with %j are %j', async (args, expected) => {
    const msp = await world()
    const at = (day: number) => new Date(Date.UTC(2026, 0, day))
    await addAgents(msp, [
      { id: 1, name: 'alpha', created_at: at(1) },
      { id: 2, name: 'Beta 100%', state: 'DRAFT', supervised: true, created_at: at(2) },
      {
        id: 3,
        name: 'c:\\alerts',
        state: 'PAUSED',
        autonomy_type: 'CHAINED_ACTIONS',
        trigger_type: 'SCHEDULED',
        entity_type: 'TIME_ENTRY',
        created_at: at(3),
      },
      { id: 4, name: 'archived', state: 'ARCHIVED', created_at: at(4) },
      {
        id: 5,
        name: 'A CAFÉ',
        state: 'PAUSED',
        autonomy_type: 'CONVERSATIONAL',
        trigger_type: 'CHAT',
        entity_type: 'NONE',
        created_at: at(5),
      },
      {
        id: 6,
        name: 'beta_alerts',
        trigger_type: 'SCHEDULED',
        entity_type: 'TIME_ENTRY',
        supervised: true,
        created_at: at(5),
      },
    ])
    expect(ids(await list(api, msp.admin, args))).toEqual(expected)
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
        ...{ tenant_id, environment, id: day, agent_id: 3, credits: 1 },
        at: new Date(day),
      })),
    })
    const { data } = await list(api, msp.key, { sort: 'name' })
    const expected = ['2026-05-03T00:00:00.000Z', null, '2026-06-02T00:00:00.000Z']
    expect(data.map(({ last_run_at }: { last_run_at: unknown }) => last_run_at)).toEqual(expected)
    expect((await read(api, msp.key, 3)).data.last_run_at).toBe(expected[2])
  })

  it('are seen by role, and by a key in the role of its acting user', async () => {
    const msp = await sharedAgents()
    const acting = (user: Caller) => msp.newKey({ acting_user_id: user.id })
    const everything = [1, 2, 3, 4]
    const cases: [Caller, number[], number[]][] = [
      [msp.owner, everything, []],
      [msp.admin, everything, []],
      [msp.key, everything, []],
      [await acting(msp.admin), everything, []],
      [msp.user, [1, 3], [3]],
      [msp.viewer, [2, 3], [3]],
      [await acting(msp.user), [1, 3], [3]],
      [await acting(msp.viewer), [2, 3], [3]],
    ]
    for (const [caller, visible, shared] of cases) {
      const { data } = await list(api, caller, { sort: 'name' })
      expect(data.map(({ id }: { id: number }) => id)).toEqual(visible)
      const marked = data.filter(({ shared_with_me }: { shared_with_me: boolean }) => shared_with_me)
      expect(marked.map(({ id }: { id: number }) => id)).toEqual(shared)
      for (const id of everything) {
        const { status, data: one } = await read(api, caller, id)
        expect([id, status]).toEqual([id, visible.includes(id) ? 200 : 404])
        if (status === 200) expect(one.shared_with_me).toBe(shared.includes(id))
      }
    }
  })

  it('are shared with an ADMIN who did not create them, never with who created them', async () => {
    const msp = await sharedAgents()
    await share(msp, 4, msp.admin.id)
    await share(msp, 3, msp.admin.id)
    const { data } = await list(api, msp.admin, { sort: 'name' })
    const marked = data.filter(({ shared_with_me }: { shared_with_me: boolean }) => shared_with_me)
    expect(marked.map(({ id }: { id: number }) => id)).toEqual([4])
  })

  it('in the name of the user in X-Acting-User are that user’s', async () => {
    const msp = await sharedAgents()
    const key = await msp.newKey({ allow_acting_user_header: true })
    const { data } = await api.call(key, 'agents', { sort: 'name' }, { 'x-acting-user': msp.viewer.id })
    expect(data.map(({ id }: { id: number }) => id)).toEqual([2, 3])
  })

  it('are not there where the caller does not see them, of another tenant or environment, or missing', async () => {
    const msp = await sharedAgents()
    const other = await world()
    await addAgents(other, [{ id: 40 }])
    await addAgents({ ...msp, environment: 'elsewhere' }, [{ id: 50 }])
    const answers = await Promise.all([4, 40, 50, 60].map((id) => read(api, msp.user, id)))
    for (const [index, { status, error }] of answers.entries()) {
      const id = String([4, 40, 50, 60][index])
      expect([status, error]).toEqual([
        404,
        {
          code: 'agent_not_found',
          message: 'There is no such agent.',
          details: { id, docs_url: '/public-api/docs/errors#agent_not_found' },
        },
      ])
    }
    expect(ids(await list(api, other.key))).toEqual([40])
  })

  it.each([
    ...[0, -1, 2_147_483_647, 2_147_483_648, -2_147_483_648, 1.5, 1e21, '01', '+1', '1 ', '1.0', '1e0'],
    ...['', ' ', 'abc', '١', '\u0000', '1'.repeat(300), '1;2', 'null', '%00', '../1'],
  ])('have no agent %j', async (agent_id) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    if (api.name === 'rest' && agent_id === '') return
    const { status, error } = await read(api, msp.key, agent_id)
    expect([status, error?.code]).toEqual([404, 'agent_not_found'])
  })

  it('are all visited once, in order, by walking pages of any size with any filters, as any caller', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const agent = fc.record({
      id: fc.integer({ min: 1, max: 60 }),
      name: fc.string({ unit: fc.constantFrom(...'aAbéÉЯ日%_\\ 0'), minLength: 1, maxLength: 2 }),
      state: fc.constantFrom('DRAFT' as const, 'ACTIVE' as const, 'ARCHIVED' as const),
      trigger_type: fc.constantFrom('TRIGGERED' as const, 'SCHEDULED' as const),
      entity_type: fc.constantFrom('TICKET' as const, 'NONE' as const),
      supervised: fc.boolean(),
      day: fc.integer({ min: 1, max: 3 }),
      mine: fc.constantFrom('created', 'shared', 'no'),
    })
    const agents = fc.uniqueArray(agent, { selector: ({ id }) => id, maxLength: 20 })
    const filters = fc.record(
      {
        state: fc.subarray(['DRAFT', 'ACTIVE', 'ARCHIVED'], { minLength: 1 }),
        trigger_type: fc.constantFrom('TRIGGERED', 'SCHEDULED'),
        entity_type: fc.constantFrom('TICKET', 'NONE', 'TIME_ENTRY'),
        supervised: fc.boolean(),
        search: fc.constantFrom('a', 'É', '%', '_', '\\', '日'),
        sort: fc.constantFrom('created_at', 'name'),
        page_size: fc.integer({ min: 1, max: 7 }),
      },
      { requiredKeys: ['page_size'] },
    )
    await fc.assert(
      fc.asyncProperty(agents, filters, fc.boolean(), async (given, args, restricted) => {
        await prisma.agent.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addAgents(
          msp,
          given.map(({ day, mine, ...row }) => ({
            ...row,
            created_at: new Date(Date.UTC(2026, 0, day)),
            created_by_user_id: mine === 'created' ? msp.user.id : null,
          })),
        )
        for (const { id, mine } of given) if (mine === 'shared') await share(msp, id, msp.user.id)
        const { state, trigger_type, entity_type, supervised, search, sort } = args
        const expected = given
          .filter((row) => !restricted || row.mine !== 'no')
          .filter((row) => (state ? state.includes(row.state) : row.state !== 'ARCHIVED'))
          .filter((row) => !trigger_type || row.trigger_type === trigger_type)
          .filter((row) => !entity_type || row.entity_type === entity_type)
          .filter((row) => supervised === undefined || row.supervised === supervised)
          .filter((row) => !search || row.name.toLowerCase().includes(search.toLowerCase()))
          .sort((a, b) =>
            sort === 'name'
              ? byteOrder(a.name.toLowerCase(), b.name.toLowerCase()) || a.id - b.id
              : b.day - a.day || b.id - a.id,
          )
          .map(({ id }) => id)
        const pages = await walk(api, restricted ? msp.user : msp.key, args)
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every(({ data }) => data.length === args.page_size)).toBe(true)
      }),
      { numRuns: 25 },
    )
  })

  it('cost one statement beside the credential, however many they are', async () => {
    const msp = await world()
    await addAgents(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ id: n + 1 })),
    )
    await list(api, msp.key)
    for (const work of [
      () => list(api, msp.key, { page_size: 5 }),
      () => list(api, msp.key, { page_size: 200 }),
      () => read(api, msp.key, 7),
    ]) {
      await work()
      expect(await countStatements(msp.database, work)).toBe(2)
    }
  })

  it.each([
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
    [{ state: 'active' }, 'state.0', 'enum'],
    [{ state: ['ACTIVE', 'GONE'] }, 'state.1', 'enum'],
    [{ autonomy_type: 'CHAT' }, 'autonomy_type', 'enum'],
    [{ trigger_type: 'RUN_NOW' }, 'trigger_type', 'enum'],
    [{ entity_type: 'ticket' }, 'entity_type', 'enum'],
    [{ supervised: 'yes' }, 'supervised', 'type'],
    [{ sort: 'NAME' }, 'sort', 'enum'],
    [{ search: ' ' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await list(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('take a cursor of the same states, however they are written', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2, state: 'DRAFT' }])
    const first = await list(api, msp.key, { page_size: 1, state: ['ACTIVE', 'DRAFT'] })
    const cursor = first.pagination?.next_cursor
    expect(ids(await list(api, msp.key, { cursor, state: ['DRAFT', 'ACTIVE', 'DRAFT'] }))).toEqual([1])
  })

  it('refuse a cursor of other filters, of another order, list or tenant, or expired', async () => {
    const msp = await world()
    const other = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const cursor = (await list(api, msp.key, { page_size: 1 })).pagination?.next_cursor ?? ''
    expect(ids(await list(api, msp.key, { cursor, page_size: 9, sort: 'created_at' }))).toEqual([1])
    const refused = [
      await list(api, msp.key, { cursor, state: 'ACTIVE' }),
      await list(api, msp.key, { cursor, sort: 'name' }),
      await list(api, msp.key, { cursor, entity_type: 'TICKET' }),
      await list(api, msp.key, { cursor, supervised: false }),
      await api.call(msp.key, 'end_companies', { cursor }),
      await list(api, other.key, { cursor }),
      await list(api, msp.key, { cursor: `${cursor}A` }),
    ]
    clock.advance(days(1) + 1)
    refused.push(await list(api, await msp.newKey(), { cursor }))
    expect(refused.map(({ status, error }) => [status, error?.code, error?.details.reason])).toEqual([
      ...Array(4).fill([400, 'invalid_cursor', 'FILTERS_CHANGED']),
      ...Array(3).fill([400, 'invalid_cursor', 'MALFORMED']),
      [400, 'invalid_cursor', 'EXPIRED'],
    ])
  })
})

describe('agents in the graph', () => {
  it('take an id as a number or as text', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const query = '{ one: agent(agent_id: 1) { name } two: agent(agent_id: "1") { name } }'
    const { data } = await graphql(msp.key, query)
    expect(data).toEqual({ one: { name: 'Agent 1' }, two: { name: 'Agent 1' } })
    expect((await graphql(msp.key, '{ agent(agent_id: true) { name } }')).code).toBe(
      'graphql_validation_failed',
    )
    const misfit = await apis[0]?.call(msp.key, 'agent', { agent_id: [1] })
    expect(misfit?.error?.code).toBe('request_validation_failed')
  })
})
