/** The customers of the demo MSP. */
import { randomOf, type Seeding } from './seeding.ts'

interface Customer {
  name: string
  domains: string[]
  users: number
  is_vip?: true
  in_scope?: false
  status?: 'INACTIVE'
  /** Its workplace-suite tenant is known. */
  suite?: true
}

export const CUSTOMERS: readonly Customer[] = [
  { name: 'Alder & Finch Solicitors', domains: ['alderfinch.example'], users: 16, is_vip: true, suite: true },
  { name: 'Anglia Crop Sciences', domains: ['angliacrop.example'], users: 30, suite: true },
  {
    name: 'Bellweather Primary Trust',
    domains: ['bellweather.example', 'bpt.example'],
    users: 86,
    suite: true,
  },
  { name: 'Brightwater Dental Group', domains: ['brightwaterdental.example'], users: 22 },
  { name: 'Calloway Freight', domains: ['callowayfreight.example'], users: 13, suite: true },
  { name: 'Castlegate Property Management', domains: ['castlegate.example'], users: 7 },
  { name: 'Dunmore Distillery', domains: ['dunmore.example'], users: 10, is_vip: true },
  { name: 'Eastcliff Veterinary', domains: ['eastcliffvets.example'], users: 9 },
  { name: 'Fairmile Accountants LLP', domains: ['fairmile.example'], users: 14, suite: true },
  {
    name: 'Forge & Foundry Engineering',
    domains: ['forgefoundry.example', 'ffe.example'],
    users: 51,
    suite: true,
  },
  { name: 'Glenholm Care Homes', domains: ['glenholm.example'], users: 68, is_vip: true, suite: true },
  { name: 'Hartwell Brewing Co', domains: ['hartwellbrewing.example'], users: 6 },
  {
    name: 'Inkerman Printworks',
    domains: ['inkerman.example'],
    users: 4,
    status: 'INACTIVE',
    in_scope: false,
  },
  { name: 'Jessop & Daughters Builders', domains: [], users: 3 },
  { name: 'Kingsmere Golf Club', domains: ['kingsmere.example'], users: 6, in_scope: false },
  { name: 'Larkhill Logistics', domains: ['larkhill.example'], users: 34, suite: true },
  { name: 'Meridian Architects', domains: ['meridian-architects.example'], users: 12, suite: true },
  { name: 'Northfold Housing Association', domains: ['northfold.example'], users: 47, suite: true },
  {
    name: 'Oakbridge Insurance Brokers',
    domains: ['oakbridge.example'],
    users: 19,
    is_vip: true,
    suite: true,
  },
  { name: 'Pemberton Optics', domains: ['pembertonoptics.example'], users: 8 },
  {
    name: 'Quayside Hotels',
    domains: ['quaysidehotels.example', 'quayside.example'],
    users: 39,
    suite: true,
  },
  { name: 'Rowan Tree Nurseries', domains: ['rowantree.example'], users: 3, status: 'INACTIVE' },
  { name: 'St Brannock Hospice', domains: ['stbrannock.example'], users: 24, is_vip: true },
  { name: 'Tamar Valley Foods', domains: ['tamarvalley.example'], users: 42, suite: true },
  {
    name: 'Whitcombe & Sons Funeral Directors',
    domains: ['whitcombeandsons.example'],
    users: 3,
    in_scope: false,
  },
]

const FIRST_PSA_ID = 1041

/** Ids in the PSA: ascending numbers with gaps. */
export const psaIdOf = (index: number): string => String(FIRST_PSA_ID + index * 3)

/** The ids in the PSA of the customers that the company filters let through, or of the others. */
export const psaIdsOf = ({ in_scope }: { in_scope: boolean }): string[] =>
  CUSTOMERS.flatMap((customer, index) => ((customer.in_scope ?? true) === in_scope ? [psaIdOf(index)] : []))

export const companyIdOf = (name: string): string => `cmp_${name.toLowerCase().replace(/[^a-z]+/g, '_')}`

/** The workplace-suite tenants of the customers, in their order; null if it is not known. */
export function workplaceTenants(): (string | null)[] {
  const random = randomOf('end-companies')
  return CUSTOMERS.map(({ suite }) => (suite ? random.uuid() : null))
}

export async function seedEndCompanies({ tx, tenancy, ago }: Seeding): Promise<void> {
  const workplace_tenants = workplaceTenants()
  await tx.endCompany.createMany({
    data: CUSTOMERS.map(({ name, domains, users, is_vip, in_scope, status }, index) => ({
      ...tenancy,
      id: companyIdOf(name),
      psa_company_id: psaIdOf(index),
      name,
      in_scope: in_scope ?? true,
      status: status ?? 'ACTIVE',
      domains,
      workplace_tenant_id: workplace_tenants[index] ?? null,
      is_vip: is_vip ?? false,
      end_user_count: users,
      last_synced_at: status === 'INACTIVE' ? ago(140 + index) : ago(0, 12),
      created_at: ago(390 - index),
      updated_at: ago(1 + (index % 9), index * 31),
    })),
  })
}
