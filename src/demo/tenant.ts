/** The tenant of the demo MSP and its dashboard users. */
import { DEMO_SUBJECTS } from '../access/demo.ts'
import { ROLES, type Role } from '../access/policies/roles.ts'
import type { Seeding } from './seeding.ts'
import { number, oneOf, optional, table, text } from './table.ts'

/** `technician`: the PSA id of their profile. `seen`: days since their last request. */
export const PEOPLE = table(
  {
    id: text,
    subject: (cell) => DEMO_SUBJECTS[cell as Role] ?? `idp|${cell}`,
    name: text,
    role: oneOf(ROLES),
    technician: optional(number),
    seen: optional(number),
  },
  `
  usr_owner     | OWNER      | Maeve Donnelly   | OWNER  |     | 0.2
  usr_admin     | ADMIN      | Tomasz Zieliński | ADMIN  | 201 | 0.05
  usr_user      | USER       | Aisha Rahman     | USER   | 204 | 0.1
  usr_viewer    | VIEWER     | Colin Frost      | VIEWER |     | 2
  usr_hughes    |     5f1c02 | Gareth Hughes    | ADMIN  | 202 | 0.6
  usr_okafor    |     5f1c17 | Chidi Okafor     | USER   | 203 | 1
  usr_lindqvist |     60aa41 | Elin Lindqvist   | USER   | 206 |
  usr_ng        |     60ab9d | Vivian Ng        | USER   | 207 | 9
  usr_accounts  |     61d0e3 | Ruth Ashworth    | VIEWER |     | 33
`,
)

/** The address of somebody at the MSP. */
export const emailOf = (name: string): string => {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ł', 'l')
  return `${plain.toLowerCase().replaceAll(' ', '.')}@harbourline.example`
}

/** The MSP itself, once for all environments. */
export async function seedTenant({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.tenant.createMany({
    data: {
      id: tenancy.tenant_id,
      name: 'Harbourline IT Services',
      psa_type: 'HALO_PSA',
      data_residency: 'UK',
      referral_code: 'HARBOUR7',
      features: ['SUPERVISED_RUNS', 'WHITE_LABEL_CHAT'],
      created_at: ago(412),
    },
    skipDuplicates: true,
  })
}

export async function seedUsers({ tx, tenancy, ago }: Seeding): Promise<void> {
  const technicians = await tx.technicianProfile.findMany({ where: tenancy })
  const id_of = new Map(technicians.map(({ psa_id, id }) => [psa_id, id]))
  await tx.tenantUser.createMany({
    data: PEOPLE.map(({ technician, seen, ...person }, index) => ({
      ...tenancy,
      ...person,
      email: emailOf(person.name),
      technician_profile_id: technician && (id_of.get(technician) ?? null),
      last_seen_at: seen === null ? null : ago(seen),
      created_at: ago(400 - index * 25),
      updated_at: ago(400 - index * 25),
    })),
  })
}
