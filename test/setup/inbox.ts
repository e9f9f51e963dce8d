/** Items of inboxes as they are stored. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Item = Partial<Prisma.InboxItemCreateManyInput> & { user_id: string }

let made = 0

/** UNREAD items that ask for nothing, each of its own cause, which happened once; their ids. */
export async function addItems(
  { tenant_id, environment, database: { prisma } }: Tenant,
  items: readonly Item[],
): Promise<string[]> {
  const data = items.map((item) => {
    made += 1
    const { last_at = clock.now() } = item
    return {
      tenant_id,
      environment,
      id: `inb_${String(made).padStart(6, '0')}`,
      kind: 'ANNOUNCEMENT' as const,
      cause: `cause ${made}`,
      severity: 'INFO' as const,
      title: `Item ${made}`,
      subject_type: 'NONE' as const,
      action_required: false,
      occurrence_count: 1,
      first_at: last_at,
      last_at,
      unread_at: last_at,
      updated_at: last_at,
      ...item,
    }
  })
  await prisma.inboxItem.createMany({ data })
  return data.map(({ id }) => id)
}

/** Stores an item; its id. */
export async function addItem(msp: Tenant, item: Item): Promise<string> {
  const [id = ''] = await addItems(msp, [item])
  return id
}

/** The item as it is stored. */
export const itemOf = ({ tenant_id, database: { prisma } }: Tenant, id: string) =>
  prisma.inboxItem.findFirstOrThrow({ where: { tenant_id, id } })
