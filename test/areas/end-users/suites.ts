import type { EndUser } from '../../../src/db/generated/client/client.ts'
import { addCompanies } from '../../setup/companies.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'

const end_users: ListSampler<EndUser> = {
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
  indexed: ['end_company_id', 'has_email', 'is_vip', 'status'],
  grows: { end_company_id: ['cmp_7', '-'] },
}

export const SUITES: AreaSuites = {
  who_may: {
    end_users: { scope: 'end_users:read' },
    end_user: { scope: 'end_users:read' },
    end_user_tickets: 'end users',
  },
  examples: {
    reads: {
      end_users: { end_company_id: from('end_companies', 'id'), page_size },
      end_user: { end_user_id: from('end_users', 'id') },
      end_user_tickets: {},
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const { end_company_id } = await of('end-companies')
    const end_user_id = `eus_${id}`
    await msp.database.prisma.endUser.create({
      data: {
        ...ownedBy(msp),
        id: end_user_id,
        end_company_id: String(end_company_id),
        psa_contact_id: `con_${id}`,
        name: mark,
        email: `${mark}@example.test`,
        title: mark,
      },
    })
    return { end_user_id }
  },
  lists: { end_users },
  nested_lists: {
    'EndCompany.end_users': {
      list: 'end_users',
      parent: 'end_company_id',
      parents: ['a', 'b'].map((id) => [id, `end_company(end_company_id: "${id}")`]),
    },
  },
  skewed_rows: {
    end_user: {
      id: `'eus_' || lpad(n::text, 7, '0')`,
      psa_contact_id: `'con_' || lpad(n::text, 7, '0')`,
      name: `'Person ' || lpad(n::text, 7, '0')`,
      email: mostly(`n || '@acme.test'`, `(case ? % 2 when 0 then n || '@acme.test' end)`),
      end_company_id: `'cmp_' || n % 1000`,
      is_vip: mostly('false', '? % 2 = 0', 3),
      status: ofEnum('end_company_status', 'ACTIVE', 5),
      created_at: at_row,
      updated_at: at_row,
    },
  },
  error_codes: {
    404: 'end_user_not_found',
    409: 'end_company_not_mapped',
  },
}
