import { expect, it } from 'vitest'
import { CREDENTIAL_KINDS, limitsFor } from '../../src/access/credentials/credential-kinds.ts'
import { createLimiter } from '../../src/access/limits/limiter.ts'
import { vendorBudget } from '../../src/composition/vendor-budget.ts'
import type { VendorBudget } from '../../src/connectors/budget.ts'
import { CONNECTION_FIELDS } from '../../src/connectors/fields.ts'
import { testDatabase } from '../setup/database.ts'
import { until } from '../setup/until.ts'

const LIMITS = limitsFor(CREDENTIAL_KINDS, 'autotask_psa_requests=2,vendor_kilobytes=1000')

const budgetsOf = async (prefix: string, count: number) => {
  const { sql } = await testDatabase()
  return Array.from({ length: count }, () => {
    const limiter = createLimiter({ sql, prefix })
    return vendorBudget(() => limiter, LIMITS)
  }) as [VendorBudget, ...VendorBudget[]]
}

/** The seconds in which the budget of Autotask PSA gains one of its two requests. */
const HALF_AN_HOUR = 1800

const OWNER = { system: 'AUTOTASK_PSA', tenant_id: 'ten_1' }
const TAKEN = { taken: 1, wait_seconds: 0 }
const WAIT = { taken: 0, wait_seconds: expect.any(Number) }

it('each tenant has a budget with each vendor, which its processes share', async () => {
  const [one, other = one] = await budgetsOf('vendor-budget:', 2)
  expect([await one.take(OWNER, 1, 0), await other.take(OWNER, 1, 0)]).toEqual([TAKEN, TAKEN])
  expect(await one.take(OWNER, 1, 0)).toEqual(WAIT)
  expect(await other.take(OWNER, 1, 0)).toEqual(WAIT)
  expect(await one.take({ ...OWNER, tenant_id: 'ten_2' }, 1, 0)).toEqual(TAKEN)
  expect(await one.take({ ...OWNER, system: 'HALO_PSA' }, 1, 0)).toEqual(TAKEN)
})

it('what is given back can be taken again, by every process', async () => {
  const [one, other = one] = await budgetsOf('vendor-given-back:', 2)
  expect(await one.take(OWNER, 5, 0)).toMatchObject({ taken: 2 })
  one.giveBack(OWNER, 1)
  await until(async () => (await other.take(OWNER, 1, 0)).taken === 1)
})

it('what the budget gains in some seconds is left to those who go before', async () => {
  const [budget] = await budgetsOf('vendor-left:', 1)
  expect(await budget.take(OWNER, 2, HALF_AN_HOUR)).toMatchObject({ taken: 1 })
  expect(await budget.take(OWNER, 1, HALF_AN_HOUR)).toEqual(WAIT)
  expect(await budget.take(OWNER, 1, 0)).toEqual(TAKEN)
})

it('a reservation takes what it needs, or nothing', async () => {
  const { sql } = await testDatabase()
  const [budget] = await budgetsOf('vendor-reserved:', 1)
  await budget.take(OWNER, 1, 0)
  expect(await budget.reserve(sql, OWNER, 2, 0)).toEqual(WAIT)
  expect(await budget.reserve(sql, OWNER, 1, 0)).toEqual(TAKEN)
})

it('a reservation of more than the budget ever has takes all of it', async () => {
  const { sql } = await testDatabase()
  const [budget] = await budgetsOf('vendor-large:', 1)
  expect(await budget.reserve(sql, OWNER, 50, HALF_AN_HOUR)).toMatchObject({ taken: 2 })
})

it('every system that tenants connect has a budget of requests', () => {
  for (const system of Object.keys(CONNECTION_FIELDS))
    expect(LIMITS).toHaveProperty(`${system.toLowerCase()}_requests`)
})

it('what systems answer to a tenant counts by its kilobytes, whichever system it is', async () => {
  const limiter = createLimiter({ sql: (await testDatabase()).sql, prefix: 'vendor-kilobytes:' })
  const { takeKilobytes } = vendorBudget(() => limiter, LIMITS)
  expect(await takeKilobytes({ system: 'HALO_PSA', tenant_id: 'ten_1' }, 900)).toBe(0)
  expect(await takeKilobytes({ system: 'NINJAONE', tenant_id: 'ten_1' }, 900)).toBeGreaterThan(0)
  expect(await takeKilobytes({ system: 'NINJAONE', tenant_id: 'ten_2' }, 900)).toBe(0)
  await limiter.release()
})
