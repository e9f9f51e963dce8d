/** Rows of the outbox, for tests. */
import { raisedBy } from '../../src/db/live/raise.ts'
import { statement } from '../../src/db/sql.ts'
import type { Msp } from './world.ts'

interface AddedEvent {
  /** A random one if it is left out. */
  id?: string
  type: string
  entity_id?: string
  agent_id?: number | null
  data?: object
}

const RAISE = statement('test.raise', raisedBy('$3'))
const NAME = statement(
  'test.name_event',
  'update live_event set event_id = $3 where tenant_id = $1 and environment = $2 and data @> $4::jsonb',
)
const TAKE_OVER = statement('test.take_over', 'select take_over_events($1, $2) as taken')

/** Raises events in one transaction, and takes them over. */
export async function addEvents(
  { database, tenant_id, environment }: Msp,
  events: readonly AddedEvent[],
): Promise<void> {
  const rows = events.map(({ type, entity_id = 'x', agent_id = null, data = {} }) => ({
    type,
    entity_id,
    agent_id,
    data,
  }))
  await database.sql.rows(RAISE, [tenant_id, environment, JSON.stringify(rows)])
  for (const { id, data } of events)
    if (id !== undefined) await database.sql.rows(NAME, [tenant_id, environment, id, JSON.stringify(data)])
  await takeOver({ database, tenant_id, environment })
}

/** Gives the tenant’s committed events their places in its feed. */
export async function takeOver({
  database,
  tenant_id,
  environment,
}: Pick<Msp, 'database' | 'tenant_id' | 'environment'>): Promise<void> {
  for (let taken = 1; taken > 0; ) {
    const [row] = await database.sql.rows<{ taken: number }>(TAKE_OVER, [tenant_id, environment])
    taken = row?.taken ?? 0
  }
}
