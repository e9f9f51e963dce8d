import { expect, it } from 'vitest'
import { startApp } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const TIMEOUT_MS = 300

const never = () => new Promise<never>(() => {})

/** The service on a database that takes requests and does not answer the statements named. */
async function hanging(statements: RegExp) {
  const database = await testDatabase()
  const hung: typeof database = {
    ...database,
    ping: never,
    sql: {
      rows: (statement, values) =>
        statements.test(statement.name) ? never() : database.sql.rows(statement, values),
    },
  }
  const { app, base } = await startApp(hung, { REQUEST_TIMEOUT_MS: String(TIMEOUT_MS) })
  return { base, stop: () => void app.close(0) }
}

it.each([
  ['the credential is looked up', /api_keys?_by_hash|tenant_user_by_subject/],
  ['the limits are counted', /rate_bucket/],
  ['the operation reads', /settings/],
])(
  'a database that hangs while %s is 503 with Retry-After through both interfaces',
  async (_when, statements) => {
    const msp = await world()
    const { base, stop } = await hanging(statements)
    for (const { token } of [msp.key, msp.admin]) {
      const headers = { authorization: `Bearer ${token}` }
      const started = performance.now()
      const rest = await fetch(`${base}/public-api/settings`, { headers })
      expect([rest.status, rest.headers.get('retry-after')]).toEqual([503, '1'])
      expect((await rest.json()).error.code).toBe('service_unavailable')
      const graphql = await fetch(
        `${base}/graphql`,
        json({ query: '{ settings { timezone } }' }, { headers }),
      )
      expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1'])
      expect((await graphql.json()).errors[0].extensions.code).toBe('service_unavailable')
      expect(performance.now() - started).toBeLessThan(TIMEOUT_MS * 4)
    }
    stop()
  },
)

it('a database that hangs makes /readyz 503, in time, and leaves /livez alone', async () => {
  const { base, stop } = await hanging(/./)
  const ready = await fetch(`${base}/readyz`)
  expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await fetch(`${base}/livez`)).status).toBe(200)
  stop()
})
