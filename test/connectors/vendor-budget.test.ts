import { expect, it } from 'vitest'
import { CREDENTIAL_KINDS, limitsFor } from '../../src/access/credentials/credential-kinds.ts'
import { createLimiter } from '../../src/access/limits/limiter.ts'
import { vendorBudget } from '../../src/composition/vendor-budget.ts'
import { CONNECTION_FIELDS } from '../../src/connectors/fields.ts'
import { testDatabase } from '../setup/database.ts'

const LIMITS = limitsFor(CREDENTIAL_KINDS, 'autotask_psa_requests=2,vendor_kilobytes=1000')

it('each tenant has a budget with each vendor, which its processes share', async () => {
  const { sql } = await testDatabase()
  const limiters = [1, 2].map(() => createLimiter({ sql, prefix: 'vendor-budget:' }))
  const [one, other] = limiters.map((limiter) => vendorBudget(() => limiter, LIMITS)) as [
    ReturnType<typeof vendorBudget>,
    ReturnType<typeof vendorBudget>,
  ]
  const caller = { system: 'AUTOTASK_PSA', tenant_id: 'ten_1' }
  expect([await one(caller), await other(caller)]).toEqual([0, 0])
  expect(await one(caller)).toBeGreaterThan(0)
  expect(await other(caller)).toBeGreaterThan(0)
  expect(await one({ ...caller, tenant_id: 'ten_2' })).toBe(0)
  expect(await one({ ...caller, system: 'HALO_PSA' })).toBe(0)
  await Promise.all(limiters.map((limiter) => limiter.release()))
})

it('a budget that cannot be asked keeps no request back', async () => {
  const take = () => Promise.reject(new Error('There is no database'))
  const limiter = { ...createLimiter({ sql: (await testDatabase()).sql }), take }
  expect(await vendorBudget(() => limiter, LIMITS)({ system: 'HALO_PSA', tenant_id: 'ten_1' })).toBe(0)
})

it('every system that tenants connect has a budget of requests', () => {
  for (const system of Object.keys(CONNECTION_FIELDS))
    expect(LIMITS).toHaveProperty(`${system.toLowerCase()}_requests`)
})

it('what systems answer to a tenant counts by its kilobytes, whichever system it is', async () => {
  const limiter = createLimiter({ sql: (await testDatabase()).sql, prefix: 'vendor-kilobytes:' })
  const take = vendorBudget(() => limiter, LIMITS)
  expect(await take({ system: 'HALO_PSA', tenant_id: 'ten_1' }, 900)).toBe(0)
  expect(await take({ system: 'NINJAONE', tenant_id: 'ten_1' }, 900)).toBeGreaterThan(0)
  expect(await take({ system: 'NINJAONE', tenant_id: 'ten_2' }, 900)).toBe(0)
  await limiter.release()
})
