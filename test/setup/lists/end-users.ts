import type { EndUser } from '../../../src/db/generated/client/client.ts'
import { addCompanies } from '../companies.ts'
import { at, instant, isEqual, isIn, type ListSampler } from './sampler.ts'

export const end_users: ListSampler<EndUser> = {
  async add(msp, numbers) {
    const { database, tenant_id, environment } = msp
    const known = await database.prisma.endCompany.count({ where: { tenant_id } })
    if (known === 0) await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    await database.prisma.endUser.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        id: `eus_${n}`,
        psa_contact_id: `con_${n}`,
        name: `${at(['Ørjan', 'ada 100%', 'Ada', 'b_c'], n)} ${n % 5}`,
        email: at([`${n}@acme.test`, null, `A_${n}@Contoso.test`], n),
        end_company_id: at(['a', 'b', 'a'], n),
        is_vip: n % 4 === 0,
        status: at(['ACTIVE', 'ACTIVE', 'INACTIVE'] as const, n),
        created_at: instant(n),
        updated_at: instant(n),
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.endUser.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.endUser.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }] },
  filters: {
    end_company_id: isEqual('end_company_id', ['b', 'unknown']),
    has_email: {
      values: [true, false],
      meets: ({ email }, value: boolean) => (email !== null) === value,
    },
    is_vip: isEqual('is_vip', [true, false]),
    status: isEqual('status', ['INACTIVE', ['ACTIVE', 'INACTIVE']]),
    search: isIn(({ name, email }) => [name, email], ['øR', 'CONTOSO', '_', '%']),
  },
}
