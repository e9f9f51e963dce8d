import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi, walk } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, days, world } from '../../setup/world.ts'
import { at, ids, list, read, sharedRuns } from './runs.ts'

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
  error: 'mailbox_locked: The mailbox was locked.',
  message_for_dashboard: 'Could not convert the mailbox.',
  additional_custom_instructions: 'Ask first.',
  created_at: at(1).toISOString(),
  updated_at: at(4).toISOString(),
  resolution: 'PARTIAL',
  trigger: 'RETRY',
  retry_of_execution_id: 'exe_1',
  run_count: 3,
  pending_til_request_count: 0,
  credits_consumed: 2.0625,
  hours_saved: 0.75,
  callback_id: 'cb_1',
  started_at: at(2).toISOString(),
  finished_at: at(3).toISOString(),
  failure_kind: 'TOOL',
  error_code: 'mailbox_locked',
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
  error_code: null,
}

describeApi('executions', (api) => {
  it('answer every field in order, alone and in the list', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 7, name: 'Triage' }])
    const stored = [PLAIN, WHOLE].map(
      ({ agent_name: _, pending_til_request_count: __, error_code: ___, ...row }) => row,
    )
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
      const pages = await walk((cursor) => list(api, caller, { page_size: 1, ...cursor }))
      expect(pages.flatMap(ids)).toEqual(visible)
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
})
