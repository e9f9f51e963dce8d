/** A change of several rows, on the statements that areas declare. */
import { expect, it } from 'vitest'
import { COMPANY_LINK } from '../../src/areas/company-links/queries.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Context } from '../../src/gateway/context.ts'
import { Stopwatch } from '../../src/lib/stopwatch.ts'
import { changeAll } from '../../src/schema/changes/change.ts'
import { clock } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { type Msp, world } from '../setup/world.ts'

const contextOf = ({ tenant_id, environment, database }: Msp): Context =>
  ({
    viewer: { tenant_id, environment, id: 'usr', name: 'Test', kind: { type: 'USER' } },
    services: { database },
    request: { id: 'req', ip: null, user_agent: null },
    transaction: null,
    db_time: new Stopwatch(),
    now: clock.now(),
  }) as unknown as Context

it('of which one is stale stores none of the rows and no activity', async () => {
  const msp = await world()
  const { prisma } = msp.database
  const where = { tenant_id: msp.tenant_id }
  await addCompanies(msp, [{ id: 'a' }])
  await addLinks(
    msp,
    ['1', '2', '3'].map((external_id) => ({ external_id, psa_company_id: 'psa_a' })),
  )
  const links = await prisma.companyLink.findMany({ where, orderBy: { external_id: 'asc' } })
  const stale = links.map((link) => (link.external_id === '2' ? { ...link, revision: 7 } : link))
  const ctx = contextOf(msp)
  const confirming = (rows: typeof links) =>
    inTransaction(ctx, 10_000, () =>
      changeAll(ctx, COMPANY_LINK, rows as never, { verb: 'confirmed', decide: () => ({ confidence: 1 }) }),
    )
  await expect(confirming(stale)).rejects.toMatchObject({ code: '40001' })
  expect(await prisma.companyLink.findMany({ where, orderBy: { external_id: 'asc' } })).toEqual(links)
  expect(await prisma.activityEntry.count({ where })).toBe(0)
  await confirming(links)
  const stored = await prisma.companyLink.findMany({ where })
  expect(stored.map(({ confidence, revision }) => [confidence, revision])).toEqual([
    [1, 2],
    [1, 2],
    [1, 2],
  ])
  expect(await prisma.activityEntry.count({ where })).toBe(1)
})
