import { expect, it } from 'vitest'
import { apis, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addItem, addItems, itemOf } from '../../setup/inbox.ts'
import { type Msp, world } from '../../setup/world.ts'

const revisionOf = async (msp: Msp, id: string) => (await itemOf(msp, id)).revision

const activitiesOf = ({ database: { prisma }, tenant_id }: Msp) =>
  prisma.activityEntry.findMany({ where: { tenant_id }, orderBy: [{ occurred_at: 'asc' }, { id: 'asc' }] })

describeApi('an item of the inbox', (api) => {
  it('is read, unread and put away, and nothing is written twice', async () => {
    clock.freeze()
    const msp = await world()
    const item_id = await addItem(msp, { user_id: msp.user.id, title: 'Executions failed' })
    clock.advance(60_000)
    const read_at = clock.now().toISOString()
    const steps = [
      ['mark_inbox_item_read', { state: 'READ', read_at }],
      ['mark_inbox_item_unread', { state: 'UNREAD', read_at }],
      ['archive_inbox_item', { state: 'ARCHIVED', read_at }],
    ] as const
    for (const [index, [operation, expected]] of steps.entries()) {
      const first = await api.call(msp.user, operation, { item_id })
      expect([first.status, first.data]).toMatchObject([200, { ...expected, revision: index + 2 }])
      const again = await api.call(msp.user, operation, { item_id })
      expect([again.status, again.data, again.etag]).toEqual([200, first.data, first.etag])
    }
    const activities = await activitiesOf(msp)
    expect(activities.map(({ action }) => action).sort()).toEqual([
      'inbox_item.archived',
      'inbox_item.marked_unread',
      'inbox_item.read',
    ])
  })

  it('stays put away if it is marked as read, and comes back unread', async () => {
    const msp = await world()
    const item_id = await addItem(msp, { user_id: msp.user.id, state: 'ARCHIVED' })
    const read = await api.call(msp.user, 'mark_inbox_item_read', { item_id })
    expect([read.status, read.data]).toMatchObject([200, { state: 'ARCHIVED', read_at: null, revision: 1 }])
    const back = await api.call(msp.user, 'mark_inbox_item_unread', { item_id })
    expect([back.status, back.data.state]).toEqual([200, 'UNREAD'])
    expect((await api.call(msp.user, 'inbox')).data).toMatchObject([{ id: item_id }])
  })

  it('does not come back beside an open item with its cause, unless it is resolved', async () => {
    const msp = await world()
    const of_cause = { user_id: msp.user.id, kind: 'EXECUTION_FAILED', cause: '1/tool_failed' } as const
    const [away = '', resolved = '', open = ''] = await addItems(msp, [
      { ...of_cause, state: 'ARCHIVED' },
      { ...of_cause, state: 'ARCHIVED', resolved: true },
      of_cause,
    ])
    await addItems(msp, [
      { ...of_cause, user_id: msp.owner.id },
      { ...of_cause, kind: 'DISPATCH' },
    ])
    const refused = await api.call(msp.user, 'mark_inbox_item_unread', { item_id: away })
    expect([refused.status, refused.error]).toMatchObject([
      409,
      { code: 'inbox_item_superseded', details: { item_id: open } },
    ])
    expect((await itemOf(msp, away)).state).toBe('ARCHIVED')
    const back = await api.call(msp.user, 'mark_inbox_item_unread', { item_id: resolved })
    expect(back.data).toMatchObject({ state: 'UNREAD', resolved: true })
    await api.call(msp.user, 'archive_inbox_item', { item_id: open })
    expect((await api.call(msp.user, 'mark_inbox_item_unread', { item_id: away })).status).toBe(200)
  })

  it('is changed as it was seen, whatever the service has told of it since', async () => {
    const msp = await world()
    const item_id = await addItem(msp, { user_id: msp.user.id })
    const change = (operation: string, tag: string | null) =>
      api.call(msp.user, operation, { item_id }, { 'if-match': tag ?? '' })
    const { etag } = await api.call(msp.user, 'inbox_item', { item_id })
    const { tenant_id, database } = msp
    const data = { occurrence_count: 2, updated_at: new Date(clock.now().getTime() + 1) }
    await database.prisma.inboxItem.updateMany({ where: { tenant_id }, data })
    const read = await change('mark_inbox_item_read', etag)
    expect(read.status).toBe(200)
    for (const operation of ['mark_inbox_item_read', 'mark_inbox_item_unread', 'archive_inbox_item'])
      expect(outcome(await change(operation, etag))).toEqual([409, 'version_conflict'])
    expect((await api.call(msp.user, 'inbox_item', { item_id })).etag).toBe(read.etag)
    expect((await change('archive_inbox_item', read.etag)).status).toBe(200)
  })

  it('is read with all others of its user', async () => {
    clock.freeze()
    const msp = await world()
    const { id: user_id } = msp.user
    const [unread = '', read = '', away = '', others = ''] = await addItems(msp, [
      { user_id },
      { user_id, state: 'READ' },
      { user_id, state: 'ARCHIVED' },
      { user_id: msp.owner.id },
    ])
    clock.advance(1000)
    expect((await api.call(msp.user, 'read_all_inbox')).data).toEqual({ updated: 1 })
    expect(await itemOf(msp, unread)).toMatchObject({
      state: 'READ',
      read_at: clock.now(),
      updated_at: clock.now(),
      revision: 2,
    })
    expect(await Promise.all([read, away, others].map((id) => revisionOf(msp, id)))).toEqual([1, 1, 1])
    expect((await itemOf(msp, others)).state).toBe('UNREAD')
    expect((await api.call(msp.user, 'read_all_inbox', { input: {} })).data).toEqual({ updated: 0 })
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'inbox.read', targets: [{ type: 'user', id: user_id }], after: { updated: 1, before: null } },
    ])
  })

  it('stays unread if it changed at the instant `before` or later', async () => {
    const msp = await world()
    const { id: user_id } = msp.user
    const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second))
    const [earlier = '', then = '', later = ''] = await addItems(msp, [
      { user_id, last_at: at(1) },
      { user_id, last_at: at(2) },
      { user_id, last_at: at(1), updated_at: at(3) },
    ])
    const input = { before: at(2).toISOString() }
    expect((await api.call(msp.user, 'read_all_inbox', { input })).data).toEqual({ updated: 1 })
    const states = await Promise.all([earlier, then, later].map(async (id) => (await itemOf(msp, id)).state))
    expect(states).toEqual(['READ', 'UNREAD', 'UNREAD'])
    const wrong = await api.call(msp.user, 'read_all_inbox', { input: { before: 'yesterday' } })
    expect(outcome(wrong)).toEqual([422, 'request_validation_failed'])
  })
})

it('is taken back by one of two callers at once, of two items with one cause', async () => {
  const msp = await world()
  const of_cause = { user_id: msp.user.id, cause: 'one', state: 'ARCHIVED' } as const
  for (let round = 0; round < 5; round += 1) {
    await msp.database.prisma.inboxItem.deleteMany({ where: { tenant_id: msp.tenant_id } })
    const ids = await addItems(msp, [of_cause, of_cause])
    const calls = ids.map((item_id) => apis[0]?.call(msp.user, 'mark_inbox_item_unread', { item_id }))
    const answers = await Promise.all(calls)
    expect(answers.map((answer) => answer?.status).sort()).toEqual([200, 409])
    expect(answers.map((answer) => answer?.error?.code)).toContain('inbox_item_superseded')
  }
})
