/** The transaction of a mutation, with operations that only this file has. */
import { afterAll, describe, expect, it } from 'vitest'
import { limitOf } from '../../src/access/limits/state.ts'
import { scope } from '../../src/access/policies/policies.ts'
import { buildSchemas } from '../../src/composition/schemas.ts'
import { scoped, sql } from '../../src/db/db.ts'
import { ApiError } from '../../src/errors/errors.ts'
import { record } from '../../src/gateway/activity.ts'
import type { Context } from '../../src/gateway/context.ts'
import { committing } from '../../src/gateway/transaction.ts'
import { allAreas, placeIn } from '../../src/schema/area.ts'
import { newBuilder } from '../../src/schema/builder.ts'
import { startApp } from '../setup/app.ts'
import { countActivities } from '../setup/audit-log.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { type Msp, world } from '../setup/world.ts'

const RENAME = scoped(
  'test.mutation_rename',
  `update settings set human_friendly_client_name = human_friendly_client_name || '+'
   where tenant_id = $1 and environment = $2`,
)

const changed = async (ctx: Context) => {
  await sql(ctx, RENAME)
  await record(ctx, { action: 'test.changed', targets: [] })
}

let attempts = 0

/** A schema of its own, so that other files of this process do not have its operations. */
function testSchemas() {
  const builder = newBuilder()
  const [area] = allAreas()
  if (!area) throw new Error('There is no area')
  for (const name of ['test_query', 'test_race', 'test_refusal']) placeIn(area, name)
  builder.queryField('test_query', (t) =>
    t.boolean({
      description: 'Is there because every schema has a query.',
      rest: { method: 'GET', path: '/test/query' },
      access: scope('settings:read'),
      resolve: () => true,
    }),
  )
  builder.mutationField('test_race', (t) =>
    t.string({
      description: 'Loses its first race.',
      rest: { method: 'POST', path: '/test/race' },
      access: scope('settings:write'),
      etag: () => `"${attempts}"`,
      resolve: async (_root, _args, ctx) => {
        await changed(ctx)
        if (attempts++ === 0) {
          Object.assign(ctx, { secret_of: 'key_lost', location: '/test/lost' })
          ctx.warnings.push('lost: true')
          ctx.etags.set('lost', '"lost"')
          const limit = limitOf('lost', { name: 'lost', quota: 1, window_seconds: 1 })
          const decision = { ...(await ctx.services.limiter.peek(limit, 'lost')) }
          ctx.rates.add({ limit, scope: 'OPERATION', decision })
          throw Object.assign(new Error('lost'), { code: '40001' })
        }
        return 'won'
      },
    }),
  )

  builder.mutationField('test_refusal', (t) =>
    t.string({
      description: 'Refuses, and keeps its effect.',
      rest: { method: 'POST', path: '/test/refusal' },
      access: scope('settings:write'),
      resolve: async (_root, _args, ctx) => {
        await changed(ctx)
        throw committing(
          new ApiError('integration_exists', { message: 'Ask a technician.', details: { name: 'HUDU' } }),
        )
      },
    }),
  )
  return buildSchemas(builder)
}

const { app, base } = await startApp(await testDatabase(), {}, undefined, { schemas: testSchemas() })
afterAll(() => app.close(0))

interface Answer {
  status: number
  headers: Headers
  body: { data?: unknown; meta?: { warnings?: string[] }; error?: { code: string; message: string } }
}

const INTERFACES: Record<
  string,
  (msp: Msp, name: string, headers?: Record<string, string>) => Promise<Answer>
> = {
  rest: async (msp, name, headers = {}) => {
    const authorization = `Bearer ${msp.key.token}`
    const path = `/public-api/test/${name.replace('test_', '')}`
    const response = await fetch(base + path, { method: 'POST', headers: { authorization, ...headers } })
    return { status: response.status, headers: response.headers, body: await response.json() }
  },
  graphql: async (msp, name, headers = {}) => {
    const init = json(
      { query: `mutation { ${name} }` },
      { headers: { authorization: `Bearer ${msp.key.token}`, ...headers } },
    )
    const response = await fetch(`${base}/graphql`, init)
    const { data, errors, extensions } = await response.json()
    const [error] = errors ?? []
    return {
      status: error?.extensions.status ?? 200,
      headers: response.headers,
      body: {
        data: data?.[name],
        meta: extensions,
        ...(error && { error: { code: error.extensions.code, message: error.message } }),
      },
    }
  },
}

const stored = async (msp: Msp) => {
  const where = { tenant_id: msp.tenant_id }
  const settings = await msp.database.prisma.settings.findFirst({ where })
  return [settings?.human_friendly_client_name, await countActivities(msp)]
}

describe.each(Object.keys(INTERFACES))('a mutation (%s)', (name) => {
  const call = INTERFACES[name] as (typeof INTERFACES)[string]

  it.each<Record<string, string>>([{}, { 'idempotency-key': 'k' }])(
    'that lost a race is tried again as if the lost attempt had not been: %o',
    async (headers) => {
      const msp = await world()
      attempts = 0
      const answer = await call(msp, 'test_race', headers)
      expect([answer.status, answer.body.data]).toEqual([200, 'won'])
      expect(answer.headers.get('location')).toBeNull()
      expect(answer.headers.get('ratelimit')).not.toContain('lost')
      expect(JSON.stringify(answer.body)).not.toContain('lost')
      expect(await stored(msp)).toEqual(['Test MSP+', 1])
      if (!headers['idempotency-key']) return
      const again = await call(msp, 'test_race', headers)
      expect([again.status, again.body.data]).toEqual([200, 'won'])
      expect(await stored(msp)).toEqual(['Test MSP+', 1])
    },
  )

  it('may be refused and keep what it stored for that', async () => {
    const msp = await world()
    const answer = await call(msp, 'test_refusal')
    expect([answer.status, answer.body.error?.code]).toEqual([409, 'integration_exists'])
    expect(await stored(msp)).toEqual(['Test MSP+', 1])
  })

  it('that was refused so is refused again under its Idempotency-Key, once for all', async () => {
    const msp = await world()
    for (const replayed of [null, 'true']) {
      const { status, headers, body } = await call(msp, 'test_refusal', { 'idempotency-key': 'k' })
      expect([status, headers.get('idempotency-replayed')]).toEqual([409, replayed])
      expect(body.error).toMatchObject({ code: 'integration_exists', message: 'Ask a technician.' })
      expect(await stored(msp)).toEqual(['Test MSP+', 1])
    }
  })
})
