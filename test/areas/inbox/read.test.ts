import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { apis, describeApi, outcome, walk } from '../../setup/api.ts'
import { addItem, addItems } from '../../setup/inbox.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'

const minute = (n: number): Date => new Date(Date.UTC(2026, 0, 1, 0, n))

/** Every operation of an inbox, with the arguments that it needs. */
const OPERATIONS = [
  ['inbox', {}],
  ['inbox_counts', {}],
  ['inbox_item', { item_id: 'inb_x' }],
  ['inbox_preferences', {}],
  ['mark_inbox_item_read', { item_id: 'inb_x' }],
  ['mark_inbox_item_unread', { item_id: 'inb_x' }],
  ['archive_inbox_item', { item_id: 'inb_x' }],
  ['read_all_inbox', {}],
  ['update_inbox_preferences', { input: { mail_kinds: [], quiet_kinds: [] } }],
] as const

const OF_ONE = OPERATIONS.filter(([, args]) => 'item_id' in args).map(([name]) => name)

describeApi('an inbox', (api) => {
  it('has an item with all that is known of it', async () => {
    const msp = await world()
    await addAgents(msp, [
      { id: 1, name: 'Triage' },
      { id: 2, name: 'Backup' },
    ])
    const item_id = await addItem(msp, {
      user_id: msp.user.id,
      kind: 'EXECUTION_FAILED',
      severity: 'WARNING',
      title: 'Executions failed',
      body: 'tool_failed',
      subject_type: 'EXECUTION',
      subject_id: 'exe_7',
      occurrence_count: 3,
      first_at: minute(0),
      last_at: minute(5),
      affected_agent_ids: [2, 1, 99],
      affected_entity_numbers: ['T-2', 'T-1'],
      last_mailed_at: minute(6),
    })
    const { data, etag } = await api.call(msp.user, 'inbox_item', { item_id })
    expect(data).toMatchObject({
      id: item_id,
      kind: 'EXECUTION_FAILED',
      severity: 'WARNING',
      title: 'Executions failed',
      body: 'tool_failed',
      state: 'UNREAD',
      subject: { type: 'EXECUTION', id: 'exe_7' },
      action_required: false,
      resolved: false,
      occurrence_count: 3,
      first_at: '2026-01-01T00:00:00.000Z',
      last_at: '2026-01-01T00:05:00.000Z',
      // In their own order, by the names of today; an agent that is gone is left out.
      affected_agents: [
        { id: 2, name: 'Backup' },
        { id: 1, name: 'Triage' },
      ],
      affected_entity_numbers: ['T-2', 'T-1'],
      last_mailed_at: '2026-01-01T00:06:00.000Z',
      read_at: null,
      revision: 1,
    })
    const { tenant_id } = msp
    await msp.database.prisma.inboxItem.updateMany({
      where: { tenant_id },
      data: { occurrence_count: 4, updated_at: minute(7) },
    })
    const later = await api.call(msp.user, 'inbox_item', { item_id })
    expect(later.etag).not.toBe(etag)
    expect((await api.call(msp.user, 'inbox')).data).toEqual([later.data])
  })

  it('lists what asks for something first, then what happened last', async () => {
    const msp = await world()
    const { id: user_id } = msp.viewer
    const asks = { user_id, action_required: true }
    await addItems(msp, [
      { user_id, id: 'd', last_at: minute(9) },
      { ...asks, id: 'b', last_at: minute(1) },
      { ...asks, id: 'e', last_at: minute(8), resolved: true },
      { ...asks, id: 'a', last_at: minute(2), state: 'READ' },
      { user_id, id: 'f', last_at: minute(8) },
      { ...asks, id: 'z', last_at: minute(99), state: 'ARCHIVED' },
    ])
    const pages = await walk((cursor) => api.call(msp.viewer, 'inbox', { page_size: 2, ...cursor }))
    const ids: string[] = pages.flatMap(({ data }) => data.map(({ id }: { id: string }) => id))
    expect(ids.join(' ')).toBe('a b d f e')
    const archived = await api.call(msp.viewer, 'inbox', { state: ['ARCHIVED'] })
    expect(archived.data).toMatchObject([{ id: 'z' }])
  })

  it('counts what is unread, and what asks for something', async () => {
    const msp = await world()
    const { id: user_id } = msp.user
    const asks = { user_id, action_required: true }
    await addItems(msp, [
      { ...asks, kind: 'ESCALATION' },
      { ...asks, kind: 'ESCALATION', state: 'READ' },
      { ...asks, kind: 'ESCALATION', state: 'ARCHIVED' },
      { ...asks, kind: 'TIL_REQUEST', resolved: true },
      { user_id, kind: 'TIL_REQUEST' },
      { user_id, kind: 'FEEDBACK', state: 'READ' },
      { user_id: msp.owner.id, kind: 'FEEDBACK', action_required: true },
    ])
    expect((await api.call(msp.user, 'inbox_counts')).data).toEqual({
      unread: 3,
      action_required: 2,
      by_kind: [
        { kind: 'TIL_REQUEST', unread: 2 },
        { kind: 'ESCALATION', unread: 1 },
      ],
    })
    expect((await api.call(msp.admin, 'inbox_counts')).data).toEqual({
      unread: 0,
      action_required: 0,
      by_kind: [],
    })
    expect(await countStatements(msp.database, () => api.call(msp.user, 'inbox_counts'))).toBeLessThanOrEqual(
      2,
    )
  })

  it('is of its user alone, whatever the role of others', async () => {
    const [msp, other] = [await world(), await world()]
    const item_id = await addItem(msp, { user_id: msp.user.id })
    for (const caller of [msp.owner, msp.admin, msp.viewer, other.user, other.owner]) {
      expect((await api.call(caller, 'inbox')).data).toEqual([])
      expect((await api.call(caller, 'inbox_counts')).data.unread).toBe(0)
      for (const name of OF_ONE)
        expect(outcome(await api.call(caller, name, { item_id }))).toEqual([404, 'inbox_item_not_found'])
      expect((await api.call(caller, 'read_all_inbox')).data).toEqual({ updated: 0 })
    }
    expect((await api.call(msp.user, 'inbox_item', { item_id })).data).toMatchObject({ state: 'UNREAD' })
  })

  it('is of no key by itself, and of the acting user of a key', async () => {
    const msp = await world()
    const item_id = await addItem(msp, { user_id: msp.viewer.id })
    const acting = await msp.newKey({ acting_user_id: msp.viewer.id })
    for (const [name, args] of OPERATIONS) {
      expect(outcome(await api.call(msp.key, name, args))).toEqual([403, 'acting_user_required'])
      const given = 'item_id' in args ? { item_id } : args
      expect((await api.call(acting, name, given)).status, name).toBe(200)
      expect((await api.call(msp.viewer, name, given)).status, name).toBe(200)
    }
    const reading = await msp.newKey({ scopes: ['inbox:read'], acting_user_id: msp.viewer.id })
    expect((await api.call(reading, 'inbox', { state: ['ARCHIVED'] })).data).toMatchObject([{ id: item_id }])
    expect(outcome(await api.call(reading, 'read_all_inbox'))).toEqual([403, 'insufficient_scope'])
    const none = await msp.newKey({ scopes: ['agents:read'] })
    expect(outcome(await api.call(none, 'inbox'))).toEqual([403, 'insufficient_scope'])
  })
})

it('costs as many statements for many items and agents as for one', async () => {
  const [api] = apis
  const ids = Array.from({ length: 20 }, (_, index) => index + 1)
  async function costOf(items: number): Promise<number> {
    const msp: Msp = await world()
    await addAgents(
      msp,
      ids.map((id) => ({ id })),
    )
    const item = { user_id: msp.user.id, affected_agent_ids: ids }
    await addItems(
      msp,
      Array.from({ length: items }, () => item),
    )
    const read = async () => await api?.call(msp.user, 'inbox')
    await read()
    return await countStatements(msp.database, read)
  }
  expect(await costOf(50)).toBe(await costOf(1))
})
