/** The events that a tenant has raised. */
import { declaredEvent } from '../../src/schema/events/declare.ts'
import type { Msp } from './world.ts'

/** The events of the type in their order: as it declares them, or it rejects. */
export async function raised({ database, tenant_id }: Msp, type: string) {
  const { required = null } = (declaredEvent(type)?.data_schema ?? {}) as { required?: string[] }
  const rows = await database.prisma.liveEvent.findMany({
    where: { tenant_id, type },
    orderBy: { id: 'asc' },
  })
  const members = JSON.stringify(required?.toSorted())
  return rows.map(({ entity_id, agent_id, event_id, data }) => {
    const found = JSON.stringify(Object.keys(data as object).sort())
    if (found !== members || event_id === null)
      throw new Error(`${type} has ${found}, and declares ${members}`)
    return { entity_id, agent_id, data: data as Record<string, unknown> }
  })
}
