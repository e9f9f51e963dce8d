import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCallbacks, addMatches } from '../../setup/callbacks.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, days, world } from '../../setup/world.ts'
import { at, ids, list, matchedCallbacks, matchesOf, read } from './rows.ts'

const WHOLE = {
  id: 'cb_2',
  psa_type: 'HALO_PSA',
  change_types: ['TICKET_STATUS_CHANGED', 'TICKET_CLOSED'],
  entity_type: 'TICKET',
  entity_id: '4711',
  entity_number: 'T-4711',
  psa_company_id: '1041',
  status: 'FAILED',
  filter_reason: null,
  received_at: at(2).toISOString(),
  psa_changed_at: new Date(at(2).getTime() - 1250).toISOString(),
  delivery_seconds: 1.25,
  sleep_seconds: 45,
  wait_seconds: 12.5,
  psa_wait_seconds: 0,
  work_seconds: 0.375,
  processed_at: at(3).toISOString(),
  waiting_for: null,
  matched_count: 1,
  execution_ids: ['exe_1'],
  error: 'The PSA did not answer.',
}

const PLAIN = {
  ...WHOLE,
  id: 'cb_1',
  change_types: [],
  entity_type: 'COMPANY',
  entity_number: null,
  psa_company_id: null,
  status: 'FILTERED_OUT',
  filter_reason: 'DUPLICATE',
  received_at: at(1).toISOString(),
  psa_changed_at: null,
  delivery_seconds: null,
  sleep_seconds: 0,
  wait_seconds: 0,
  psa_wait_seconds: 0,
  work_seconds: 0,
  processed_at: null,
  waiting_for: null,
  matched_count: 0,
  execution_ids: [],
  error: null,
}

describeApi('callbacks', (api) => {
  it('answer every field in order, alone and in the list', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 7 }])
    await addCallbacks(
      msp,
      [PLAIN, WHOLE].map(
        ({ delivery_seconds: _, matched_count: __, execution_ids: ___, waiting_for: ____, ...row }) =>
          row as never,
      ),
    )
    await addMatches(msp, [{ callback_id: 'cb_2', agent_id: 7, execution_id: 'exe_1' }])
    const { data, pagination } = await list(api, msp.key)
    expect([data, pagination]).toEqual([[WHOLE, PLAIN], { next_cursor: null, has_more: false }])
    for (const row of data) expect(Object.keys(row)).toEqual(Object.keys(WHOLE))
    const one = await read(api, msp.viewer, 'cb_2')
    expect([one.status, one.data.psa_type, Object.keys(one.data)]).toEqual([
      200,
      'HALO_PSA',
      Object.keys(WHOLE),
    ])
    expect((await read(api, msp.admin, 'cb_2')).data).toEqual(WHOLE)
  })

  it('name the executions, and count the matches, of agents that the caller sees', async () => {
    const msp = await matchedCallbacks()
    const acting = (user: Caller) => msp.newKey({ acting_user_id: user.id })
    const seen = async (caller: Caller) => {
      const { data } = await list(api, caller)
      const alone = await read(api, caller, 'all')
      expect(alone.data).toEqual(data[0])
      return data.map((row: typeof WHOLE) => [row.matched_count, row.execution_ids])
    }
    const everything = [
      [2, ['exe_1', 'exe_4']],
      [1, ['exe_5']],
      [0, []],
    ]
    const first = [
      [1, ['exe_1']],
      [0, []],
      [0, []],
    ]
    const nothing = Array(3).fill([0, []])
    for (const caller of [msp.owner, msp.admin, msp.key, await acting(msp.admin)])
      expect(await seen(caller)).toEqual(everything)
    for (const caller of [msp.user, await acting(msp.user)]) expect(await seen(caller)).toEqual(first)
    expect(await seen(msp.viewer)).toEqual(nothing)
  })

  it('are matched for the caller if an agent ran that the caller sees', async () => {
    const msp = await matchedCallbacks()
    const found = async (caller: Caller, matched: boolean) => ids(await list(api, caller, { matched }))
    expect([await found(msp.key, true), await found(msp.key, false)]).toEqual([['all', 'fourth'], ['none']])
    expect([await found(msp.user, true), await found(msp.user, false)]).toEqual([['all'], ['fourth', 'none']])
    expect([await found(msp.viewer, true), await found(msp.viewer, false)]).toEqual([
      [],
      ['all', 'fourth', 'none'],
    ])
  })

  it('are those with a match of an agent, whatever its result, if the caller sees the agent', async () => {
    const msp = await matchedCallbacks()
    const found = async (caller: Caller, agent_id: number, args: object = {}) =>
      ids(await list(api, caller, { agent_id, ...args }))
    const of_each = (caller: Caller) => Promise.all([1, 2, 3, 4, 5].map((id) => found(caller, id)))
    expect(await of_each(msp.key)).toEqual([['all'], ['all'], ['all'], ['all', 'fourth'], []])
    expect(await of_each(msp.user)).toEqual([['all'], [], ['all'], [], []])
    expect(await of_each(msp.viewer)).toEqual([[], ['all'], ['all'], [], []])
    // Filters hold each by itself: the agent that ran may be another one.
    expect(await found(msp.key, 2, { matched: true })).toEqual(['all'])
    expect(await found(msp.viewer, 2, { matched: true })).toEqual([])
  })

  it('are found by a part of their number', async () => {
    const msp = await world()
    await addCallbacks(msp, [
      { id: 'a', entity_number: 'T20260601.0042', received_at: at(3) },
      { id: 'b', entity_number: '#42', received_at: at(2) },
      { id: 'c', entity_number: null, entity_id: '42', received_at: at(1) },
    ])
    const found = async (search: string) => ids(await list(api, msp.key, { search }))
    expect(await found('42')).toEqual(['a', 'b'])
    expect(await found('t2026')).toEqual(['a'])
    expect(await found('#４２')).toEqual(['b'])
    expect(await found('%')).toEqual([])
  })

  it('that are of another tenant or environment, or missing, are not there', async () => {
    const msp = await matchedCallbacks()
    const other = await world()
    await addCallbacks(other, [{ id: 'theirs' }])
    await addCallbacks({ ...msp, environment: 'elsewhere' }, [{ id: 'elsewhere' }])
    for (const id of ['theirs', 'elsewhere', 'nowhere', '%', "'", '\u0000', '\ud800', 'x'.repeat(201), ' ']) {
      for (const answer of [await read(api, msp.key, id), await matchesOf(api, msp.key, id)])
        expect([answer.status, answer.error?.code, answer.error?.message]).toEqual([
          404,
          'callback_not_found',
          'There is no such callback.',
        ])
    }
  })

  it.each([
    [{ status: ['DONE'] }, 'status.0', 'enum'],
    [{ status: Array(201).fill('FAILED') }, 'status', 'length'],
    [{ change_type: 'TICKET_EATEN' }, 'change_type', 'enum'],
    [{ entity_type: 'NONE' }, 'entity_type', 'enum'],
    [{ matched: 'maybe' }, 'matched', 'type'],
    [{ agent_id: 0 }, 'agent_id', 'range'],
    [{ search: '' }, 'search', 'length'],
    [{ from: 'yesterday' }, 'from', 'format'],
    [{ to: '2026-02-30' }, 'to', 'format'],
  ])('refuse %j with 422', async (args, field, code) => {
    const msp = await world()
    const { status, error } = await list(api, msp.key, args)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'query', code }])
  })

  it('refuse a window that does not end after it starts', async () => {
    const msp = await world()
    for (const to of [at(2), at(1)]) {
      const args = { from: at(2).toISOString(), to: to.toISOString() }
      const { status, error } = await list(api, msp.key, args)
      expect([status, error?.code, error?.details.from]).toEqual([400, 'invalid_window', args.from])
    }
  })

  it('of a window that begins or ends before what is kept are listed with a warning', async () => {
    const msp = await world()
    const ago = (count: number) => new Date(clock.now().getTime() - days(count)).toISOString()
    for (const [args, warned] of [
      [{ from: ago(31) }, true],
      [{ to: ago(31) }, true],
      [{ from: '0001-01-01', to: '0001-01-02' }, true],
      [{ from: ago(29), to: ago(28) }, false],
      [{}, false],
    ] as const) {
      const { status, warnings } = await list(api, msp.key, args)
      const warning = expect.stringMatching(
        /^window_retention: callbacks are kept for 30 days, from \S+Z on$/,
      )
      expect([status, warnings]).toEqual([200, warned ? [warning] : []])
    }
  })

  it('cost one statement beside the credential, whatever is asked for', async () => {
    const msp = await matchedCallbacks()
    await addCallbacks(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ id: `n${n}` })),
    )
    await addMatches(
      msp,
      Array.from({ length: 200 }, (_, n) => ({ callback_id: `n${n}`, agent_id: 1 + (n % 4) })),
    )
    const works = [
      () => read(api, msp.key, 'all'),
      () => read(api, msp.user, 'all'),
      () => matchesOf(api, msp.user, 'all'),
      ...[
        {},
        { status: ['FAILED', 'PROCESSED'] },
        { matched: true },
        { change_type: 'TICKET_CREATED' },
        { agent_id: 1 },
        { search: '1' },
      ].map((filters) => () => list(api, msp.user, { ...filters, page_size: 200 })),
    ]
    for (const work of works) {
      await work()
      expect(await countStatements(msp.database, work)).toBe(2)
    }
  })
})
