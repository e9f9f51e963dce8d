import { expect, it } from 'vitest'
import { DEFAULT_ALLOWANCE } from '../../src/areas/documentation/rules.ts'
import { describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { countStatements } from '../setup/statements.ts'
import { type Msp, world } from '../setup/world.ts'

const GIB = 1024 ** 3

async function addFiles({ database, tenant_id, environment }: Msp, sizes: readonly number[]): Promise<void> {
  await database.prisma.documentationFile.createMany({
    data: sizes.map((size_bytes, index) => ({
      tenant_id,
      environment,
      id: `doc_${index}`,
      name: `Runbook ${index}.pdf`,
      size_bytes,
      created_at: clock.now(),
    })),
  })
}

describeApi('the documentation quota', (api) => {
  const quota = async (msp: Msp) => (await api.call(msp.viewer, 'documentation_quota')).data

  it('of a tenant that stores nothing is the default allowance, which is the model’s', async () => {
    const msp = await world()
    clock.freeze()
    expect(await quota(msp)).toEqual({
      used_bytes: 0,
      limit_bytes: 5 * GIB,
      used_files: 0,
      limit_files: 10_000,
      used_pct: 0,
      as_of: clock.now().toISOString(),
    })
    const { tenant_id, environment } = msp
    const stored = await msp.database.prisma.documentationAllowance.create({
      data: { tenant_id, environment, updated_at: clock.now() },
    })
    expect([Number(stored.limit_bytes), stored.limit_files]).toEqual(Object.values(DEFAULT_ALLOWANCE))
  })

  it('counts bytes beyond 32 bits and files, against the tenant’s own allowance', async () => {
    const msp = await world()
    const { tenant_id, environment } = msp
    await addFiles(msp, [3 * GIB, 4 * GIB, 1])
    await msp.database.prisma.documentationAllowance.create({
      data: { tenant_id, environment, limit_bytes: 20 * GIB, limit_files: 5, updated_at: clock.now() },
    })
    expect(await quota(msp)).toMatchObject({
      used_bytes: 7 * GIB + 1,
      limit_bytes: 20 * GIB,
      used_files: 3,
      limit_files: 5,
      used_pct: 60,
    })
  })

  it('is of the caller’s tenant and environment, in one statement', async () => {
    const [msp, other] = [await world(), await world()]
    await addFiles(other, [5])
    await addFiles({ ...msp, environment: 'elsewhere' }, [7])
    await addFiles(msp, Array(300).fill(11))
    expect(await quota(msp)).toMatchObject({ used_bytes: 3300, used_files: 300 })
    const plain = await countStatements(msp.database, () => api.call(msp.viewer, 'settings'))
    expect(await countStatements(msp.database, () => quota(msp))).toBe(plain)
  })
})
