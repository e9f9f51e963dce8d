import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../setup/agents.ts'
import { type Answer, type Api, type Arguments, apis, describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { graphql } from '../setup/graphql.ts'
import { request } from '../setup/http.ts'
import { countStatements } from '../setup/statements.ts'
import { type Caller, days, type Msp, world } from '../setup/world.ts'
import { byteOrder } from './companies.ts'

interface Row {
  execution_id: string
}

const ids = ({ data }: Answer): string[] => data.map(({ execution_id }: Row) => execution_id)

const list = (api: Api, caller: Caller, args: Arguments = {}) => api.call(caller, 'executions', args)

const read = (api: Api, caller: Caller, execution_id: string) =>
  api.call(caller, 'execution', { execution_id })

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

const at = (hour: number): Date => new Date(Date.UTC(2026, 5, 1, hour))

const WHOLE = {
  execution_id: 'exe_2',
  agent_id: 7,
  agent_name: 'Triage',
  status: 'FAILED',
  supervised: true,
  entity_id: '4711',
  entity_number: 'T-4711',
  processed_sub_entity_ids: ['note_2', 'note_1'],
  seconds_spent: 83.125,
  error: 'The mailbox was locked.',
  message_for_dashboard: 'Could not convert the mailbox.',
  additional_custom_instructions: 'Ask first.',
  created_at: at(1).toISOString(),
  updated_at: at(4).toISOString(),
  resolution: 'PARTIAL',
  trigger: 'RETRY',
  retry_of_execution_id: 'exe_1',
  run_count: 3,
  credits_consumed: 2.0625,
  hours_saved: 0.75,
  callback_id: 'cb_1',
  started_at: at(2).toISOString(),
  finished_at: at(3).toISOString(),
  failure_kind: 'TOOL',
}

const PLAIN = {
  ...WHOLE,
  execution_id: 'exe_1',
  status: 'NEW',
  supervised: false,
  entity_id: null,
  entity_number: null,
  processed_sub_entity_ids: [],
  seconds_spent: 0,
  error: null,
  message_for_dashboard: null,
  additional_custom_instructions: null,
  created_at: at(0).toISOString(),
  resolution: 'NONE',
  trigger: 'SCHEDULED',
  retry_of_execution_id: null,
  run_count: 0,
  credits_consumed: 0,
  hours_saved: 0,
  callback_id: null,
  started_at: null,
  finished_at: null,
  failure_kind: null,
}

/** Agents 1 to 4 with executions a1 … d1: the USER created 1, the VIEWER 2, 3 is shared with both. */
async function sharedRuns(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  await addExecutions(msp, [
    { execution_id: 'a1', agent_id: 1, created_at: at(1), status: 'FAILED' },
    { execution_id: 'b1', agent_id: 2, created_at: at(2) },
    { execution_id: 'c1', agent_id: 3, created_at: at(3) },
    { execution_id: 'd1', agent_id: 4, created_at: at(4) },
    { execution_id: 'a2', agent_id: 1, created_at: at(5) },
  ])
  return msp
}

describeApi('executions', (api) => {
  it('answer every field in order, alone and in the list', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 7, name: 'Triage' }])
    const stored = [PLAIN, WHOLE].map(({ agent_name: _, ...row }) => row)
    await addExecutions(msp, stored as never)
    const { data, pagination } = await list(api, msp.key)
    expect([data, pagination]).toEqual([[WHOLE, PLAIN], { next_cursor: null, has_more: false }])
    for (const row of data) expect(Object.keys(row)).toEqual(Object.keys(WHOLE))
    const one = await read(api, msp.admin, 'exe_2')
    expect([one.status, one.data]).toEqual([200, WHOLE])
    expect(Object.keys(one.data)).toEqual(Object.keys(WHOLE))
  })

  it.each([
    [{}, ['e', 'd', 'c', 'b', 'a']],
    [{ agent_id: 1 }, ['d', 'b', 'a']],
    [{ agent_id: 99 }, []],
    [{ agent_id: 2_147_483_647 }, []],
    [{ status: ['FAILED'] }, ['b']],
    [{ status: ['FAILED', 'NEW'] }, ['e', 'b']],
    [{ status: ['NEW', 'FAILED', 'NEW'] }, ['e', 'b']],
    [{ status: ['RUNNING'] }, []],
    [{ status: ['COMPLETED', 'FAILED'], agent_id: 1 }, ['d', 'b', 'a']],
    [{ entity_id: '12' }, ['c', 'a']],
    [{ entity_id: '12', agent_id: 2 }, ['c']],
    [{ entity_id: '' }, []],
    [{ entity_id: '\u0000' }, []],
    [{ supervised: true }, ['d', 'c']],
    [{ supervised: false, status: ['FAILED', 'NEW'] }, ['e', 'b']],
    [{ resolution: 'FULL' }, ['a']],
    [{ resolution: 'PARTIAL', supervised: true }, ['d']],
    [{ from: at(2).toISOString() }, ['e', 'd', 'c']],
    [{ to: at(2).toISOString() }, ['b', 'a']],
    [{ from: at(1).toISOString(), to: at(3).toISOString() }, ['c', 'b']],
    [{ from: '2026-06-01T02:00:00.001+00:00', to: '2026-06-02' }, ['e', 'd']],
    [{ from: '2026-06-01T03:00:00+01:00', to: '2026-06-01T04:00:00+01:00' }, ['c']],
    [{ trigger: 'RETRY' }, ['c']],
    [{ trigger: 'TRIGGERED', agent_id: 1 }, ['d', 'b', 'a']],
    [{ trigger: 'RUN_NOW' }, []],
    [{ updated_since: at(5).toISOString() }, ['c', 'a']],
    [{ updated_since: '2026-06-01T05:00:00.001Z' }, ['a']],
    [{ updated_since: at(5).toISOString(), trigger: 'RETRY' }, ['c']],
    [{ updated_since: at(5).toISOString(), to: at(1).toISOString() }, ['a']],
    [{ updated_since: at(5).toISOString(), search: '_', status: ['COMPLETED'], agent_id: 2 }, ['c']],
    [{ search: 't-12' }, ['c', 'a']],
    [{ search: 'MÜLLER' }, ['b']],
    [{ search: ' 100% ' }, ['d']],
    [{ search: '%' }, ['d']],
    [{ search: '_' }, ['c']],
    [{ search: '\\' }, ['b']],
    [{ search: 'zz' }, []],
    [{ search: 'T-12', status: ['COMPLETED'], agent_id: 1, from: at(0).toISOString() }, ['a']],
  ])('filtered by %j are %j', async (args, expected) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    await addExecutions(msp, [
      {
        execution_id: 'a',
        agent_id: 1,
        entity_id: '12',
        entity_number: 'T-12',
        resolution: 'FULL',
        created_at: at(0),
        updated_at: at(6),
      },
      {
        execution_id: 'b',
        agent_id: 1,
        status: 'FAILED',
        message_for_dashboard: 'C:\\Users\\Müller',
        created_at: at(1),
        updated_at: at(4),
      },
      {
        execution_id: 'c',
        agent_id: 2,
        entity_id: '12',
        entity_number: 'T-12_2',
        supervised: true,
        trigger: 'RETRY',
        created_at: at(2),
        updated_at: at(5),
      },
      {
        execution_id: 'd',
        agent_id: 1,
        supervised: true,
        resolution: 'PARTIAL',
        message_for_dashboard: 'The disk is 100% full.',
        created_at: at(3),
        updated_at: at(4),
      },
      { execution_id: 'e', agent_id: 2, status: 'NEW', created_at: at(3), updated_at: at(3) },
    ])
    expect(ids(await list(api, msp.owner, args))).toEqual(expected)
  })

  it('are seen with their agent, by role and by a key in the role of its acting user', async () => {
    const msp = await sharedRuns()
    const acting = (user: Caller) => msp.newKey({ acting_user_id: user.id })
    const everything = ['a2', 'd1', 'c1', 'b1', 'a1']
    const cases: [Caller, string[]][] = [
      [msp.owner, everything],
      [msp.admin, everything],
      [msp.key, everything],
      [await acting(msp.owner), everything],
      [msp.user, ['a2', 'c1', 'a1']],
      [msp.viewer, ['c1', 'b1']],
      [await acting(msp.user), ['a2', 'c1', 'a1']],
      [await acting(msp.viewer), ['c1', 'b1']],
    ]
    for (const [caller, visible] of cases) {
      expect(ids(await list(api, caller))).toEqual(visible)
      expect((await walk(api, caller, { page_size: 1 })).flatMap(ids)).toEqual(visible)
      const of_first = visible.filter((id) => id.startsWith('a'))
      expect(ids(await list(api, caller, { agent_id: 1 }))).toEqual(of_first)
      const failed = await list(api, caller, { agent_id: 1, status: ['FAILED', 'NEW'] })
      expect(ids(failed)).toEqual(of_first.slice(-1))
      for (const id of everything) {
        const { status } = await read(api, caller, id)
        expect([id, status]).toEqual([id, visible.includes(id) ? 200 : 404])
      }
    }
  })

  it('are not there where the caller does not see their agent, of another tenant or environment, or missing', async () => {
    const msp = await sharedRuns()
    const other = await world()
    const elsewhere = { ...msp, environment: 'elsewhere' }
    await addAgents(other, [{ id: 1 }])
    await addExecutions(other, [{ execution_id: 'theirs', agent_id: 1 }])
    await addAgents(elsewhere, [{ id: 1 }])
    await addExecutions(elsewhere, [{ execution_id: 'elsewhere', agent_id: 1 }])
    for (const id of ['d1', 'theirs', 'elsewhere', 'nowhere', '%', "'"]) {
      const { status, error } = await read(api, msp.user, id)
      expect([status, error]).toEqual([
        404,
        {
          code: 'execution_not_found',
          message: 'There is no such execution.',
          details: { id, docs_url: '/public-api/docs/errors#execution_not_found' },
        },
      ])
    }
    expect(ids(await list(api, msp.key, { agent_id: 1 }))).toEqual(['a2', 'a1'])
  })

  it.each(['\u0000', '\ud800', 'x'.repeat(201), ' '])('have no execution %j', async (id) => {
    const msp = await sharedRuns()
    const { status, error } = await read(api, msp.key, id)
    expect([status, error?.code]).toEqual([404, 'execution_not_found'])
  })

  it.each([
    [at(1), at(1)],
    [at(2), at(1)],
  ])('refuse the window from %j to %j', async (from, to) => {
    const msp = await world()
    const window = { from: from.toISOString(), to: to.toISOString() }
    const { status, error } = await list(api, msp.key, window)
    expect([status, error]).toMatchObject([400, { code: 'invalid_window', details: window }])
  })

  it.each([
    [{ page_size: 0 }, 'page_size', 'range'],
    [{ page_size: 201 }, 'page_size', 'range'],
    [{ agent_id: 'one' }, 'agent_id', 'type'],
    [{ agent_id: 1.5 }, 'agent_id', 'type'],
    [{ agent_id: 0 }, 'agent_id', 'range'],
    [{ agent_id: 2_147_483_648 }, 'agent_id', 'range'],
    [{ status: ['DONE'] }, 'status.0', 'enum'],
    [{ status: ['NEW', 'new'] }, 'status.1', 'enum'],
    [{ status: Array(201).fill('NEW') }, 'status', 'length'],
    [{ supervised: 'yes' }, 'supervised', 'type'],
    [{ resolution: 'HALF' }, 'resolution', 'enum'],
    [{ trigger: 'CHAT' }, 'trigger', 'enum'],
    [{ updated_since: 'now' }, 'updated_since', 'format'],
    [{ from: 'yesterday' }, 'from', 'format'],
    [{ to: '2026-02-30' }, 'to', 'format'],
    [{ search: ' ' }, 'search', 'length'],
    [{ search: 'x'.repeat(201) }, 'search', 'length'],
    [{ search: 'a\u0000' }, 'search', 'characters'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await list(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('refuse a cursor of other filters, of another list or tenant, tampered or expired', async () => {
    const msp = await sharedRuns()
    const other = await sharedRuns()
    const statuses = { status: ['COMPLETED', 'FAILED'], page_size: 1 }
    const cursor = (await list(api, msp.key, statuses)).pagination?.next_cursor ?? ''
    const same = await list(api, msp.key, { cursor, status: ['FAILED', 'COMPLETED'] })
    expect(ids(same)).toEqual(['d1', 'c1', 'b1', 'a1'])
    const refused = [
      await list(api, msp.key, { cursor }),
      await list(api, msp.key, { cursor, status: ['COMPLETED'] }),
      await list(api, msp.key, { cursor, ...statuses, from: '2026-01-01' }),
      await list(api, msp.key, { cursor, ...statuses, agent_id: 1 }),
      await list(api, msp.key, { cursor, ...statuses, trigger: 'TRIGGERED' }),
      await list(api, msp.key, { cursor, ...statuses, updated_since: '2026-01-01' }),
      await api.call(msp.key, 'agents', { cursor }),
      await list(api, other.key, { cursor, ...statuses }),
      await list(api, msp.key, { cursor: `${cursor}A`, ...statuses }),
    ]
    clock.advance(days(1) + 1)
    refused.push(await list(api, await msp.newKey(), { cursor, ...statuses }))
    expect(refused.map(({ status, error }) => [status, error?.code, error?.details.reason])).toEqual([
      ...Array(6).fill([400, 'invalid_cursor', 'FILTERS_CHANGED']),
      ...Array(3).fill([400, 'invalid_cursor', 'MALFORMED']),
      [400, 'invalid_cursor', 'EXPIRED'],
    ])
  })

  it('are read with the scope and by every role', async () => {
    const msp = await sharedRuns()
    const key = await msp.newKey({ scopes: ['executions:read'] })
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer, key]) {
      expect((await list(api, caller)).status).toBe(200)
    }
    const wrong = await msp.newKey({ scopes: ['agents:read'] })
    const refused = [await list(api, wrong), await read(api, wrong, 'a1')]
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual(
      Array(2).fill([403, 'insufficient_scope']),
    )
  })

  it('cost one statement beside the credential, whatever is asked for', async () => {
    const msp = await sharedRuns()
    await addExecutions(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ execution_id: `n${n}`, agent_id: 1 + (n % 4) })),
    )
    const works = [
      () => read(api, msp.key, 'a1'),
      ...[
        {},
        { agent_id: 1 },
        { status: ['FAILED', 'COMPLETED'] },
        { search: 'a' },
        { updated_since: '2026-01-01' },
      ].map((filters) => () => list(api, msp.key, { ...filters, page_size: 200 })),
      () => list(api, msp.user, { page_size: 200, status: ['COMPLETED'] }),
      () => list(api, msp.viewer, { page_size: 200 }),
    ]
    for (const work of works) {
      await work()
      expect(await countStatements(msp.database, work)).toBe(2)
    }
  })

  it('are all visited once, in order, by walking pages of any size with any filters, as any caller', async () => {
    const msp = await world()
    const { prisma } = msp.database
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
    await share(msp, 2, msp.user.id)
    const text = fc.option(
      fc.string({ unit: fc.constantFrom(...'aAéÉЯ日%_\\ 0'), minLength: 1, maxLength: 3 }),
    )
    const status = fc.constantFrom('NEW' as const, 'COMPLETED' as const, 'FAILED' as const)
    const execution = fc.record({
      execution_id: fc.string({ unit: fc.constantFrom(...'aAéЯ1%'), minLength: 1, maxLength: 3 }),
      agent_id: fc.integer({ min: 1, max: 3 }),
      status,
      entity_id: fc.option(fc.constantFrom('1', '2')),
      supervised: fc.boolean(),
      resolution: fc.constantFrom('NONE' as const, 'FULL' as const),
      entity_number: text,
      message_for_dashboard: text,
      trigger: fc.constantFrom('TRIGGERED' as const, 'RETRY' as const),
      hour: fc.integer({ min: 0, max: 4 }),
      updated: fc.integer({ min: 4, max: 7 }),
    })
    const executions = fc.uniqueArray(execution, {
      selector: ({ execution_id }) => execution_id,
      maxLength: 25,
    })
    const hour = fc.integer({ min: 0, max: 5 })
    const filters = fc
      .record(
        {
          agent_id: fc.integer({ min: 1, max: 4 }),
          status: fc.array(status, { minLength: 1, maxLength: 3 }),
          entity_id: fc.constantFrom('1', '2', '3'),
          supervised: fc.boolean(),
          resolution: fc.constantFrom('NONE', 'FULL', 'PARTIAL'),
          from: hour,
          to: hour,
          trigger: fc.constantFrom('TRIGGERED', 'RETRY', 'SCHEDULED'),
          updated_since: fc.integer({ min: 4, max: 8 }),
          search: fc.constantFrom('a', 'É', '%', '_', '\\', '日', '0'),
          page_size: fc.integer({ min: 1, max: 9 }),
        },
        { requiredKeys: ['page_size'] },
      )
      .filter(({ from, to }) => from === undefined || to === undefined || from < to)
    await fc.assert(
      fc.asyncProperty(executions, filters, fc.boolean(), async (given, args, restricted) => {
        await prisma.execution.deleteMany({ where: { tenant_id: msp.tenant_id } })
        await addExecutions(
          msp,
          given.map(({ hour, updated, ...row }) => ({
            ...row,
            created_at: at(hour),
            updated_at: at(updated),
          })),
        )
        const { agent_id, entity_id, supervised, resolution, from, to, search, page_size } = args
        const { trigger, updated_since } = args
        const expected = given
          .filter((row) => !restricted || row.agent_id !== 3)
          .filter((row) => !agent_id || row.agent_id === agent_id)
          .filter((row) => !args.status || args.status.includes(row.status))
          .filter((row) => !entity_id || row.entity_id === entity_id)
          .filter((row) => supervised === undefined || row.supervised === supervised)
          .filter((row) => !resolution || row.resolution === resolution)
          .filter((row) => from === undefined || row.hour >= from)
          .filter((row) => to === undefined || row.hour < to)
          .filter((row) => !trigger || row.trigger === trigger)
          .filter((row) => updated_since === undefined || row.updated >= updated_since)
          .filter(({ entity_number, message_for_dashboard }) =>
            [entity_number, message_for_dashboard].some(
              (value) => !search || value?.toLowerCase().includes(search.toLowerCase()),
            ),
          )
          .sort((a, b) => b.hour - a.hour || byteOrder(b.execution_id, a.execution_id))
          .map(({ execution_id }) => execution_id)
        const pages = await walk(api, restricted ? msp.user : msp.key, {
          ...args,
          from: from === undefined ? undefined : at(from).toISOString(),
          to: to === undefined ? undefined : at(to).toISOString(),
          updated_since: updated_since === undefined ? undefined : at(updated_since).toISOString(),
        })
        expect(pages.flatMap(ids)).toEqual(expected)
        expect(pages.slice(0, -1).every(({ data }) => data.length === page_size)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

describe('executions over REST', () => {
  it.each([
    ['status=FAILED,NEW', ['b', 'a']],
    ['status=FAILED&status=NEW', ['b', 'a']],
    ['status=FAILED&status=NEW,FAILED', ['b', 'a']],
    ['status=FAILED', ['a']],
  ])('take %s', async (query, expected) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addExecutions(msp, [
      { execution_id: 'a', agent_id: 1, status: 'FAILED', created_at: at(0) },
      { execution_id: 'b', agent_id: 1, status: 'NEW', created_at: at(1) },
      { execution_id: 'c', agent_id: 1, created_at: at(2) },
    ])
    const response = await request(`/public-api/executions?${query}`, {}, msp.key)
    const { data } = await response.json()
    expect(data.map(({ execution_id }: Row) => execution_id)).toEqual(expected)
  })

  it.each(['status=', 'status=FAILED,', 'status=FAILED%2Cdone'])('refuse %s', async (query) => {
    const msp = await world()
    const response = await request(`/public-api/executions?${query}`, {}, msp.key)
    expect([response.status, (await response.json()).error.code]).toEqual([422, 'request_validation_failed'])
  })

  it('have no relations', async () => {
    const msp = await sharedRuns()
    const rest = apis.find(({ name }) => name === 'rest')
    const execution = await rest?.call(msp.key, 'execution', { execution_id: 'a1' })
    const agent = await rest?.call(msp.key, 'agent', { agent_id: 1 })
    expect(Object.keys(execution?.data)).not.toContain('agent')
    expect(Object.keys(agent?.data)).not.toContain('executions')
  })
})

describe('executions in the graph', () => {
  const executions = (args: string) =>
    `executions${args} { items { execution_id agent_name } pagination { next_cursor has_more } }`

  it('refuse an empty list of statuses', async () => {
    const msp = await world()
    const [api] = apis
    const answer = await api?.call(msp.key, 'executions', { status: [] })
    expect(answer?.error?.details.field_errors).toMatchObject([{ field: 'status', code: 'length' }])
  })

  it('of each agent are one statement for a list of agents, newest first, and go on by cursor', async () => {
    const msp = await sharedRuns()
    await addExecutions(msp, [{ execution_id: 'a3', agent_id: 1, created_at: at(5) }])
    const query = (page_size: number) => `{ agents(sort: name, page_size: ${page_size}) {
      items { id ${executions('(page_size: 2)')} } } }`
    const { data } = await graphql(msp.key, query(50))
    expect(data.agents.items.map(({ executions: { items } }: never) => items)).toEqual([
      [
        { execution_id: 'a3', agent_name: 'Agent 1' },
        { execution_id: 'a2', agent_name: 'Agent 1' },
      ],
      [{ execution_id: 'b1', agent_name: 'Agent 2' }],
      [{ execution_id: 'c1', agent_name: 'Agent 3' }],
      [{ execution_id: 'd1', agent_name: 'Agent 4' }],
    ])
    const [first, second] = data.agents.items
    expect(first.executions.pagination).toEqual({ has_more: true, next_cursor: expect.any(String) })
    expect(second.executions.pagination).toEqual({ has_more: false, next_cursor: null })
    const next = (id: number) =>
      `{ agent(agent_id: ${id}) { ${executions(`(cursor: "${first.executions.pagination.next_cursor}")`)} } }`
    const rest = await graphql(msp.key, next(1))
    expect(rest.data.agent.executions.items).toEqual([{ execution_id: 'a1', agent_name: 'Agent 1' }])
    expect((await graphql(msp.key, next(2))).code).toBe('invalid_cursor')
  })

  it('of twenty agents are two statements beside the credential, with the agents', async () => {
    const msp = await world()
    const agents = Array.from({ length: 20 }, (_, n) => n + 1)
    await addAgents(
      msp,
      agents.map((id) => ({ id })),
    )
    await addExecutions(
      msp,
      agents.flatMap((agent_id) =>
        Array.from({ length: 7 }, (_, n) => ({ execution_id: `e${agent_id}-${n}`, agent_id })),
      ),
    )
    const query = `{ agents(page_size: 20) { items { ${executions('(page_size: 5)')} } } }`
    const { data } = await graphql(msp.key, query)
    expect(data.agents.items.map(({ executions: { items } }: never) => (items as []).length)).toEqual(
      Array(20).fill(5),
    )
    expect(await countStatements(msp.database, () => graphql(msp.key, query))).toBe(3)
  })

  it('have their agent, in one statement for the whole page', async () => {
    const msp = await sharedRuns()
    const query = '{ executions { items { execution_id agent { id name shared_with_me last_run_at } } } }'
    const { data } = await graphql(msp.user, query)
    const first = { id: 1, name: 'Agent 1', shared_with_me: false, last_run_at: at(5).toISOString() }
    const third = { id: 3, name: 'Agent 3', shared_with_me: true, last_run_at: at(3).toISOString() }
    expect(data.executions.items).toEqual([
      { execution_id: 'a2', agent: first },
      { execution_id: 'c1', agent: third },
      { execution_id: 'a1', agent: first },
    ])
    expect(await countStatements(msp.database, () => graphql(msp.user, query))).toBe(3)
  })

  it('and agents are walked to from each other with the scopes of both', async () => {
    const msp = await sharedRuns()
    const ofAgent = `{ agent(agent_id: 1) { id ${executions('')} } }`
    const ofExecution = '{ execution(execution_id: "a1") { execution_id agent { id } } }'
    const [agents, runs, both] = await Promise.all([
      msp.newKey({ scopes: ['agents:read'] }),
      msp.newKey({ scopes: ['executions:read'] }),
      msp.newKey({ scopes: ['agents:read', 'executions:read'] }),
    ])
    expect(await graphql(agents, ofAgent)).toEqual({ data: { agent: null }, code: 'insufficient_scope' })
    expect(await graphql(runs, ofExecution)).toEqual({
      data: { execution: null },
      code: 'insufficient_scope',
    })
    expect((await graphql(both, ofAgent)).data.agent.executions.items).toHaveLength(2)
    expect((await graphql(both, ofExecution)).data.execution.agent).toEqual({ id: 1 })
  })
})
