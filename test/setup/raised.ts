/** The events that were raised, for tests. */
import { statement } from '../../src/db/sql.ts'
import { declaredEvent } from '../../src/schema/events/declare.ts'
import type { Caller, Msp } from './world.ts'

/** The data of the tenant's events of these types, or of all types, in the order in which they were raised. */
export async function raised(
  { database, tenant_id }: Msp,
  ...types: readonly string[]
): Promise<{ type: string; entity_id: string; agent_id: number | null; data: unknown }[]> {
  const where = { tenant_id, type: types.length > 0 ? { in: [...types] } : { not: '' } }
  const select = { type: true, entity_id: true, agent_id: true, data: true }
  return await database.prisma.liveEvent.findMany({ where, select, orderBy: { id: 'asc' } })
}

export const typesRaised = async (msp: Msp): Promise<string[]> => (await raised(msp)).map(({ type }) => type)

/** The entities of the tenant's events of the type that a restricted user sees, by the declaration of the type. */
export async function entitiesSeen(
  { database, tenant_id, environment }: Msp,
  type: string,
  user: Caller,
): Promise<string[]> {
  const { by_user } = declaredEvent(type)?.seen ?? { by_user: 'false' }
  const text = `select e.entity_id from live_event e
    where e.tenant_id = $1 and e.environment = $2 and e.type = $3 and $4::text <> '' and (${by_user.replaceAll('$user', '$4')})
    order by e.id`
  const values = [tenant_id, environment, type, user.id]
  const rows = await database.sql.rows<{ entity_id: string }>(statement(`test.seen ${type}`, text), values)
  return rows.map(({ entity_id }) => entity_id)
}
