import { expect, it } from 'vitest'
import { loggableError } from '../../src/lib/loggable-error.ts'
import { KEY_PEPPER } from '../setup/app.ts'
import { testDatabase } from '../setup/database.ts'
import { json } from '../setup/http.ts'
import { overheard } from '../setup/log.ts'
import { world } from '../setup/world.ts'

const SIGNING_SECRET = 'a signing secret for tests'

it('No secret reaches the log, an error or a stored row', async () => {
  const msp = await world()
  const { base, log } = await overheard()
  const told: string[] = []
  const secrets = [KEY_PEPPER, SIGNING_SECRET, msp.key.token, msp.admin.token]
  const call = async (path: string, init: RequestInit = {}, token = msp.admin.token, key?: string) => {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${token}`)
    if (key) headers.set('idempotency-key', key)
    const response = await fetch(base + path, { ...init, headers })
    const body = await response.json()
    if (body.error || body.errors) told.push(JSON.stringify(body))
    return body
  }
  const draft = { name: 'Nightly', scopes: ['settings:read'] }
  const { data: made } = await call('/public-api/api-keys', json(draft), undefined, 'create')
  await call('/public-api/api-keys', json(draft), undefined, 'create')
  const rotate = `/public-api/api-keys/${made.id}/rotate`
  const { data: rotated } = await call(rotate, { method: 'POST' }, undefined, 'rotate')
  await call(rotate, { method: 'POST' }, undefined, 'rotate')
  const query =
    'mutation ($name: String!) { create_api_key(input: { name: $name, scopes: ["settings:read"] }) { key } }'
  const byGraphql = await call(
    '/graphql',
    json({ query, variables: { name: 'Other' } }),
    undefined,
    'graphql',
  )
  await call('/graphql', json({ query, variables: { name: 'Other' } }), undefined, 'graphql')
  secrets.push(made.key, rotated.key, byGraphql.data.create_api_key.key)
  for (const key of [made.key, rotated.key]) await call('/public-api/settings', {}, key)
  const wrong = `${made.key.slice(0, -1)}${made.key.endsWith('a') ? 'b' : 'a'}`
  await call('/public-api/settings', {}, wrong)
  await call('/public-api/settings', {}, `${msp.admin.token.slice(0, -4)}AAAA`)
  await call(`/public-api/settings?key=${made.key}`, {}, made.key)
  await call(`/public-api/api-keys/${made.key}`)
  await call('/public-api/settings', json({ timezone: made.key }, { method: 'PUT' }), undefined, 'settings')
  secrets.push(wrong)
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id }
  const kept = await prisma.idempotencyRecord.findMany({ where })
  const activities = await prisma.activityEntry.findMany({ where })
  expect([kept.length, activities.length]).toEqual([3, 3])
  const logged = await log()
  expect(logged).toContain('"operation":"rotate_api_key"')
  for (const secret of secrets) {
    expect(logged).not.toContain(secret)
    expect(JSON.stringify([kept, activities, await prisma.apiKey.findMany({ where })])).not.toContain(secret)
    // A value that the caller sent may be named in the answer to it.
    if (secret !== made.key) expect(JSON.stringify(told)).not.toContain(secret)
  }
  expect(logged).not.toMatch(/Bearer|authorization/i)
})

it('The log shows where the database failed, and not with which values', async () => {
  const value = 'somebody’s data'
  const msp = await world()
  const database = await testDatabase()
  const failing = {
    ...database,
    sql: {
      ...database.sql,
      rows: (statement: { name: string; text: string }, values: readonly unknown[]) =>
        statement.name.startsWith('settings.read')
          ? database.sql.rows({ name: 'failing', text: `insert into tenant (id, name) values ($1, $2)` }, [
              msp.tenant_id,
              value,
            ])
          : database.sql.rows(statement, values),
    } as typeof database.sql,
  }
  const { base, log } = await overheard(failing)
  const headers = { authorization: `Bearer ${msp.key.token}` }
  const response = await fetch(`${base}/public-api/settings`, { headers })
  expect([response.status, (await response.json()).error.code]).toEqual([500, 'internal_error'])
  const logged = await log()
  expect(logged).toMatch(/"code":"internal_error".*request failed/)
  expect(logged).toMatch(/"code":"23502"/)
  expect(logged).not.toContain(value)
})

it('The log shows no arguments of a call that Prisma refuses', async () => {
  const { prisma } = await testDatabase()
  const refused = await prisma.tenant
    .create({ data: { id: 'somebody’s data' } as never })
    .catch((error) => error)
  expect(JSON.stringify(loggableError(refused))).toMatch(/Argument `name` is missing/)
  expect(JSON.stringify(loggableError(refused))).not.toContain('somebody’s data')
})
