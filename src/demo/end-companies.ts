/** The customers of the demo MSP. */
import { randomOf, type Seeding } from './seeding.ts'
import { list, number, oneOf, table, text } from './table.ts'

/** `suite`: its workplace-suite tenant is known. */
const MARKS = ['vip', 'suite', 'inactive', 'out of scope'] as const

const marked = oneOf(MARKS)

export const CUSTOMERS = table(
  { name: text, domains: list, users: number, marks: (cell) => list(cell).map(marked) },
  `
  Alder & Finch Solicitors         | alderfinch.example                    | 16 | vip, suite
  Anglia Crop Sciences             | angliacrop.example                    | 30 | suite
  Bellweather Primary Trust        | bellweather.example, bpt.example      | 86 | suite
  Brightwater Dental Group         | brightwaterdental.example             | 22 |
  Calloway Freight                 | callowayfreight.example               | 13 | suite
  Castlegate Property Management   | castlegate.example                    |  7 |
  Dunmore Distillery               | dunmore.example                       | 10 | vip
  Eastcliff Veterinary             | eastcliffvets.example                 |  9 |
  Fairmile Accountants LLP         | fairmile.example                      | 14 | suite
  Forge & Foundry Engineering      | forgefoundry.example, ffe.example     | 51 | suite
  Glenholm Care Homes              | glenholm.example                      | 68 | vip, suite
  Hartwell Brewing Co              | hartwellbrewing.example               |  6 |
  Inkerman Printworks              | inkerman.example                      |  4 | inactive, out of scope
  Jessop & Daughters Builders      |                                       |  3 |
  Kingsmere Golf Club              | kingsmere.example                     |  6 | out of scope
  Larkhill Logistics               | larkhill.example                      | 34 | suite
  Meridian Architects              | meridian-architects.example           | 12 | suite
  Northfold Housing Association    | northfold.example                     | 47 | suite
  Oakbridge Insurance Brokers      | oakbridge.example                     | 19 | vip, suite
  Pemberton Optics                 | pembertonoptics.example               |  8 |
  Quayside Hotels                  | quaysidehotels.example, quayside.example | 39 | suite
  Rowan Tree Nurseries             | rowantree.example                     |  3 | inactive
  St Brannock Hospice              | stbrannock.example                    | 24 | vip
  Tamar Valley Foods               | tamarvalley.example                   | 42 | suite
  Whitcombe & Sons Funeral Directors | whitcombeandsons.example            |  3 | out of scope
`,
).map(({ marks, ...customer }) => ({
  ...customer,
  is_vip: marks.includes('vip'),
  has_suite: marks.includes('suite'),
  in_scope: !marks.includes('out of scope'),
  status: marks.includes('inactive') ? ('INACTIVE' as const) : ('ACTIVE' as const),
}))

const FIRST_PSA_ID = 1041

/** Ids in the PSA: ascending numbers with gaps. */
export const psaIdOf = (index: number): string => String(FIRST_PSA_ID + index * 3)

/** The ids in the PSA of the customers that the company filters let through, or of the others. */
export const psaIdsOf = ({ in_scope }: { in_scope: boolean }): string[] =>
  CUSTOMERS.flatMap((customer, index) => (customer.in_scope === in_scope ? [psaIdOf(index)] : []))

export const companyIdOf = (name: string): string => `cmp_${name.toLowerCase().replace(/[^a-z]+/g, '_')}`

/** The workplace-suite tenants of the customers, in their order; null if it is not known. */
export function workplaceTenants(): (string | null)[] {
  const random = randomOf('end-companies')
  return CUSTOMERS.map(({ has_suite }) => (has_suite ? random.uuid() : null))
}

export async function seedEndCompanies({ tx, tenancy, ago }: Seeding): Promise<void> {
  const workplace_tenants = workplaceTenants()
  await tx.endCompany.createMany({
    data: CUSTOMERS.map(({ name, domains, users, is_vip, in_scope, status }, index) => ({
      ...tenancy,
      id: companyIdOf(name),
      psa_company_id: psaIdOf(index),
      name,
      in_scope,
      status,
      domains,
      workplace_tenant_id: workplace_tenants[index] ?? null,
      is_vip,
      end_user_count: users,
      last_synced_at: status === 'INACTIVE' ? ago(140 + index) : ago(0, 12),
      created_at: ago(390 - index),
      updated_at: ago(1 + (index % 9), index * 31),
    })),
  })
}
