/** The tenant of the demo MSP and its dashboard users. */
import { DEMO_SUBJECTS } from '../access/demo.ts'
import type { Role } from '../access/policies/roles.ts'
import type { Seeding } from './seeding.ts'

interface Person {
  id: string
  subject: string
  name: string
  role: Role
  /** The PSA id of their technician profile. */
  technician?: number
  /** Days since their last request; undefined: none yet. */
  seen?: number
}

export const PEOPLE: readonly Person[] = [
  { id: 'usr_owner', subject: DEMO_SUBJECTS.OWNER, name: 'Maeve Donnelly', role: 'OWNER', seen: 0.2 },
  {
    id: 'usr_admin',
    subject: DEMO_SUBJECTS.ADMIN,
    name: 'Tomasz Zieliński',
    role: 'ADMIN',
    technician: 201,
    seen: 0.05,
  },
  {
    id: 'usr_user',
    subject: DEMO_SUBJECTS.USER,
    name: 'Aisha Rahman',
    role: 'USER',
    technician: 204,
    seen: 0.1,
  },
  { id: 'usr_viewer', subject: DEMO_SUBJECTS.VIEWER, name: 'Colin Frost', role: 'VIEWER', seen: 2 },
  {
    id: 'usr_hughes',
    subject: 'idp|5f1c02',
    name: 'Gareth Hughes',
    role: 'ADMIN',
    technician: 202,
    seen: 0.6,
  },
  { id: 'usr_okafor', subject: 'idp|5f1c17', name: 'Chidi Okafor', role: 'USER', technician: 203, seen: 1 },
  { id: 'usr_lindqvist', subject: 'idp|60aa41', name: 'Elin Lindqvist', role: 'USER', technician: 206 },
  { id: 'usr_ng', subject: 'idp|60ab9d', name: 'Vivian Ng', role: 'USER', technician: 207, seen: 9 },
  { id: 'usr_accounts', subject: 'idp|61d0e3', name: 'Ruth Ashworth', role: 'VIEWER', seen: 33 },
]

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
      technician_profile_id: technician === undefined ? null : (id_of.get(technician) ?? null),
      last_seen_at: seen === undefined ? null : ago(seen),
      created_at: ago(400 - index * 25),
      updated_at: ago(400 - index * 25),
    })),
  })
}
