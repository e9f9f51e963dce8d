/** The statements that events add to writes: a caller's change raises its events in the statement of its activity. */
import { expect, it } from 'vitest'
import { VALID } from '../../setup/agent-bodies.ts'
import { apis } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { statementsOf } from '../../setup/statements.ts'
import { world } from '../../setup/world.ts'

const WRITES: Readonly<Record<string, object>> = {
  update_settings: { input: { end_business_hours: 19 } },
  create_agent: { input: VALID.AGENTIC },
}

// Statements inside a transaction are visible on PostgreSQL only.
it.skipIf(!process.env.DATABASE_URL).each(Object.entries(WRITES))('%s has none', async (operation, args) => {
  const [msp] = await Promise.all([world(), testApp()])
  const [, rest] = apis
  const call = async () => expect((await rest?.call(msp.admin, operation, args as never))?.error).toBeNull()
  const sent = await statementsOf(msp.database, call, /live_event/)
  expect(
    sent.map(({ text }) => /insert into activity_entry[\s\S]*insert into live_event/.test(text)),
  ).toEqual([true])
})
