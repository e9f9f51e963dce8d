import { randomUUID } from 'node:crypto'
import { test } from 'vitest'

export const onPostgresql = test.runIf(process.env.DATABASE_URL)
export const AT = new Date('2026-03-29T01:30:00.123Z')

export const tenancy = () => ({ tenant_id: randomUUID(), environment: 'test' })
export const entry = () => ({
  ...tenancy(),
  id: randomUUID(),
  occurred_at: AT,
  action: 'settings.updated',
  actor_type: 'user',
  actor_id: 'u',
  actor_name: 'U',
  targets: [],
  context: {},
})
