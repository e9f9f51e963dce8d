/** The relay of events. */
import { statement } from '../../db/sql.ts'
import type { Loop } from '../../jobs/loop.ts'

const WAITING = statement(
  'events.not_taken_over',
  `select distinct tenant_id, environment from live_event
   where environment = $1 and type <> '' and sequence is null`,
)

const TAKE_OVER = statement('events.take_over_for', 'select take_over_events($1, $2) as taken')

/** Gives committed events their places in the feed. A reader of a feed does not wait for it. */
export const takeOverEvents: Loop = {
  name: 'events.take_over',
  interval_ms: 1_000,
  async run({ services: { database, environment }, signal }) {
    const waiting = await database.sql.rows<{ tenant_id: string }>(WAITING, [environment])
    for (const { tenant_id } of waiting) {
      if (signal.aborted) return
      await database.sql.rows(TAKE_OVER, [tenant_id, environment])
    }
  },
}
