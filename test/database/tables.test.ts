/** The rows of declared tables, as Prisma inserts, changes and deletes them. */
import { expect, it } from 'vitest'
import type { Row } from '../../src/db/query/models.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { prismaRows } from '../../src/schema/tables/prisma-rows.ts'
import { testApp } from '../setup/app.ts'
import { world } from '../setup/world.ts'

type Request = Row<'TilRequest'>

const REQUESTS = prismaRows<Request>('TilRequest', { key: 'id', unread: ['summary'] })

const activity = { action: 'til_request.updated', targets: [] }

async function place() {
  const { tenant_id } = await world()
  const { services } = (await testApp()).app
  return serviceContext(services, 'test', 'req_tables', { tenant_id, environment: services.environment })
}

const DRAFT = {
  id: 'til_tables',
  kind: 'API_REQUEST',
  title: 'A request',
  summary: 'In words',
  arguments: { a: 1 },
  plan: null,
  allowed_decisions: ['APPROVE'],
  requested_by_type: 'USER',
  requested_by_id: 'usr_1',
  requested_by_name: 'A user',
  risk: 'CHANGE',
  expires_at: new Date('2026-12-01T00:00:00Z'),
}

it('are inserted with the times of the call, their first revision, and null of JSON', async () => {
  const ctx = await place()
  const strange = { revision: 7, tenant_id: 'ten_other', created_at: new Date(0), no_column: 1 }
  const row = await inTransaction(ctx, 5000, () => REQUESTS.insert(ctx, { ...DRAFT, ...strange }, {}))
  expect(row).toMatchObject({
    tenant_id: ctx.viewer?.tenant_id,
    revision: 1,
    created_at: ctx.now,
    updated_at: ctx.now,
    plan: null,
    arguments: { a: 1 },
  })
  expect(row).not.toHaveProperty('summary')
})

it('are changed together only if each has the revision that was read', async () => {
  const ctx = await place()
  const made = await inTransaction(ctx, 5000, async () => [
    await REQUESTS.insert(ctx, DRAFT, {}),
    await REQUESTS.insert(ctx, { ...DRAFT, id: 'til_other' }, {}),
  ])
  const changed = (rows: readonly Request[]) =>
    new Map(rows.map((row) => [row, { ...row, arguments: null, title: 'Another title' }]))
  const store = (rows: readonly Request[]) =>
    inTransaction(ctx, 5000, () => REQUESTS.store(ctx, changed(rows) as never, activity, { last: true }))
  const stored = (await store(made)) as Request[]
  expect(stored.map(({ revision, title }) => [revision, title])).toEqual([
    [2, 'Another title'],
    [2, 'Another title'],
  ])
  expect(stored[0]?.arguments).toBeNull()
  expect(await store(made)).toEqual([])
})

it('are deleted only with the revision that was read', async () => {
  const ctx = await place()
  const row = await inTransaction(ctx, 5000, () => REQUESTS.insert(ctx, DRAFT, {}))
  const remove = (revision: number) =>
    inTransaction(ctx, 5000, () => REQUESTS.remove(ctx, { ...row, revision }))
  expect([await remove(2), await remove(1), await remove(1)]).toEqual([false, true, false])
})

it('of another tenant are neither read nor deleted', async () => {
  const [ctx, other] = [await place(), await place()]
  const row = await inTransaction(ctx, 5000, () => REQUESTS.insert(ctx, DRAFT, {}))
  expect(await REQUESTS.read(other, row.id)).toBeNull()
  expect(await inTransaction(other, 5000, () => REQUESTS.remove(other, row))).toBe(false)
  expect(await REQUESTS.read(ctx, row.id)).toMatchObject({ id: row.id })
})
