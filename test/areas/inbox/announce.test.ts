/** Announcements of the operator. */
import { beforeAll, expect, it } from 'vitest'
import { itemsOf, prefer } from '../../setup/inboxes.ts'
import { tenantCommand } from '../../setup/tenant-command.ts'
import { world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const WORDS = { title: 'Maintenance on Sunday', body: 'From 02:00 to 03:00 UTC nothing runs.' }

const announce = (id: string) =>
  tenantCommand('announce', '--id', id, '--title', WORDS.title, '--body', WORDS.body)

it('an announcement is an item of every user of the tenant, once, and stands in the activity log', async () => {
  const msp = await world()
  const other = await world()
  await prefer(msp, msp.viewer.id, { quiet_kinds: ['ANNOUNCEMENT'] })
  const { tenant_id } = msp
  expect(await announce(tenant_id)).toMatchObject({ tenant_id, users: 3 })
  const items = await itemsOf(msp)
  const words = { ...WORDS, kind: 'ANNOUNCEMENT', subject_type: 'NONE', subject_id: null, state: 'UNREAD' }
  expect(items).toMatchObject([words, words, words])
  expect(items.map(({ user_id }) => user_id).toSorted()).toEqual(
    [msp.owner.id, msp.admin.id, msp.user.id].toSorted(),
  )
  expect(await itemsOf(other)).toEqual([])
  const entries = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id } })
  expect(entries).toMatchObject([{ action: 'tenant.announced', actor_name: 'Operator' }])
  // A command that failed is repeated.
  expect(await announce(tenant_id)).toMatchObject({ users: 0 })
  expect(await itemsOf(msp, msp.user.id)).toMatchObject([{ occurrence_count: 1 }])
})

it('an announcement to no tenant is refused', async () => {
  await expect(announce('ten_none')).rejects.toThrow('There is no tenant ten_none')
})
