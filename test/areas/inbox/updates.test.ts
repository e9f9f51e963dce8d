import { expect, test } from 'vitest'
import { apis } from '../../setup/api.ts'
import { addItem } from '../../setup/inbox.ts'
import { subscribe } from '../../setup/streams.ts'
import { world } from '../../setup/world.ts'

const [api] = apis
const QUERY = 'subscription { inbox_updates { state item { id state occurrence_count } } }'
const AFTER = 'subscription ($after: Cursor) { inbox_updates(after: $after) { item { id } } }'

test('inbox_updates tells of new items and of changes, each with the state to which it led', async () => {
  const msp = await world()
  const stream = await subscribe(msp.user, QUERY)
  const item_id = await addItem(msp, { user_id: msp.user.id })
  await stream.reaches(1)
  await api?.call(msp.user, 'mark_inbox_item_read', { item_id })
  await stream.reaches(2)
  await api?.call(msp.user, 'archive_inbox_item', { item_id })
  await stream.reaches(3)
  expect(stream.updates().map(({ state, item }) => [state, item.state, item.id])).toEqual([
    ['UNREAD', 'UNREAD', item_id],
    ['READ', 'READ', item_id],
    ['ARCHIVED', 'ARCHIVED', item_id],
  ])
  stream.close()
})

test('inbox_updates tells callers of their own items, administrators too', async () => {
  const msp = await world()
  const acting = await msp.newKey({ acting_user_id: msp.owner.id })
  const callers = [msp.owner, msp.admin, msp.user, acting]
  const streams = await Promise.all(callers.map((caller) => subscribe(caller, QUERY)))
  const ids: string[] = []
  for (const { id: user_id } of [msp.viewer, msp.owner, msp.admin, msp.user])
    ids.push(await addItem(msp, { user_id }))
  await Promise.all(streams.map((stream) => stream.reaches(1)))
  // A later commit is told later.
  for (const { id: user_id } of [msp.owner, msp.admin, msp.user])
    await addItem(msp, { user_id, id: `last_${user_id}` })
  await Promise.all(streams.map((stream) => stream.reaches(2)))
  expect(streams.map((stream) => stream.updates().map(({ item }) => item.id))).toEqual([
    [ids[1], `last_${msp.owner.id}`],
    [ids[2], `last_${msp.admin.id}`],
    [ids[3], `last_${msp.user.id}`],
    [ids[1], `last_${msp.owner.id}`],
  ])
  for (const stream of streams) stream.close()
})

test('inbox_updates goes on after an update for its user, and for nobody else', async () => {
  const msp = await world()
  const stream = await subscribe(msp.user, AFTER)
  await addItem(msp, { user_id: msp.user.id })
  await stream.reaches(1)
  stream.close()
  const missed = await addItem(msp, { user_id: msp.user.id })
  await addItem(msp, { user_id: msp.owner.id })
  const after = stream.ids().at(-1)
  const again = await subscribe(msp.user, AFTER, { variables: { after } })
  await again.reaches(1)
  expect(again.updates()).toEqual([{ item: { id: missed } }])
  again.close()
  const other = await subscribe(msp.owner, AFTER, { variables: { after } })
  expect([other.status, other.code()]).toEqual([400, 'invalid_cursor'])
  const key = await subscribe(msp.key, QUERY)
  expect([key.status, key.code()]).toEqual([403, 'acting_user_required'])
})
