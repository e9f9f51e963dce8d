/** The events that were raised, for tests. */
import { statement } from '../../src/db/sql.ts'
import { declaredEvent } from '../../src/schema/events/declare.ts'
import type { Caller, Msp } from './world.ts'

/** The members of the data of a type, as it is declared. */
const membersOf = (type: string): string[] => {
  const { required = [] } = (declaredEvent(type)?.data_schema ?? {}) as { required?: string[] }
  return required.toSorted()
}

/**
 * The tenant's events of these types, or of all types, in the order in which they were raised. It rejects if an event is not
 * as its type is declared.
 */
export async function raised({ database, tenant_id }: Msp, ...types: readonly string[]) {
  const where = { tenant_id, type: types.length > 0 ? { in: [...types] } : { not: '' } }
  const rows = await database.prisma.liveEvent.findMany({ where, orderBy: { id: 'asc' } })
  return rows.map(({ type, entity_id, agent_id, event_id, data }) => {
    const found = Object.keys(data as object).sort()
    if (String(found) !== String(membersOf(type)) || event_id === null)
      throw new Error(`${type} has ${found}, and declares ${membersOf(type)}`)
    return { type, entity_id, agent_id, data: data as Record<string, unknown> }
  })
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
