/** The accounts of the people at the customers of the demo MSP, with their groups, licences and sign-ins. */
import { type Contact, demoContacts } from './people.ts'
import { insertJoined, insertMany, randomOf, type Seeding } from './seeding.ts'

export const accountIdOf = (contact_id: string): string => `acc_${contact_id}`

/** The group of everybody at the company. */
export const staffGroupOf = (psa_company_id: string): string => `grp_${psa_company_id}_staff`

const LICENCE = 'Microsoft 365 Business Premium'

type Holder = Contact & { email: string }

/** Everybody who has an e-mail address has an account. */
const holders = (): Holder[] =>
  demoContacts().filter((contact): contact is Holder => contact.is_active && contact.email !== null)

/** The contacts whose open tickets say that they cannot sign in. */
async function lockedOut({ tx, tenancy }: Seeding): Promise<ReadonlySet<string | null>> {
  const open = await tx.psaTicket.findMany({
    where: { ...tenancy, board: 'Identity', category: 'Account locked', closed_at: null },
    select: { contact_id: true },
  })
  return new Set(open.map(({ contact_id }) => contact_id))
}

interface Group {
  group_id: string
  psa_company_id: string
  name: string
  members: readonly Holder[]
}

const groupsOf = (psa_company_id: string, people: readonly Holder[]): Group[] => [
  { group_id: staffGroupOf(psa_company_id), psa_company_id, name: 'All staff', members: people },
  {
    group_id: `grp_${psa_company_id}_finance`,
    psa_company_id,
    name: 'Finance',
    members: people.filter(({ title }) => title?.startsWith('Accounts') || title?.startsWith('Finance')),
  },
  {
    group_id: `grp_${psa_company_id}_vpn`,
    psa_company_id,
    name: 'VPN',
    members: people.filter(({ rank }) => rank % 3 === 0),
  },
]

async function seedGroups({ tx, tenancy }: Seeding, groups: readonly Group[]): Promise<void> {
  await insertMany(
    tx,
    'identity_group',
    groups.map(({ members: _, ...group }) => ({ ...tenancy, ...group })),
  )
  const memberships = groups.flatMap(({ group_id, members }) =>
    members.map(({ contact_id }) => ({ ...tenancy, group_id, account_id: accountIdOf(contact_id) })),
  )
  await insertJoined(tx, () => insertMany(tx, 'identity_membership', memberships))
}

/** Sign-ins of those who are locked out, which failed, and of the first people of each company. */
async function seedSignIns(
  { tx, tenancy, ago }: Seeding,
  people: readonly Holder[],
  locked: ReadonlySet<string | null>,
): Promise<void> {
  const random = randomOf('sign-ins')
  await insertMany(
    tx,
    'identity_sign_in',
    people.flatMap(({ contact_id, rank }) => {
      const is_locked = locked.has(contact_id)
      const count = is_locked ? 5 : rank < 2 ? 2 : 0
      return Array.from({ length: count }, (_, number) => ({
        ...tenancy,
        sign_in_id: `sgn_${contact_id}_${number + 1}`,
        account_id: accountIdOf(contact_id),
        at: is_locked ? ago(0, 30 + number) : ago(number, random.int(20, 500)),
        succeeded: !is_locked,
        country: 'GB',
      }))
    }),
  )
}

export async function seedIdentities(seeding: Seeding): Promise<void> {
  const { tx, tenancy } = seeding
  const random = randomOf('identities')
  const locked = await lockedOut(seeding)
  const people = holders()
  await insertMany(
    tx,
    'identity_account',
    people.map(({ contact_id, psa_company_id, name, email }) => ({
      ...tenancy,
      account_id: accountIdOf(contact_id),
      psa_company_id,
      user_name: email,
      display_name: name,
      enabled: true,
      locked: locked.has(contact_id),
      has_second_factor: random.fraction() < 0.8,
      licences: random.fraction() < 0.9 ? [LICENCE] : [],
    })),
  )
  const companies = [...Map.groupBy(people, ({ psa_company_id }) => psa_company_id)]
  await seedGroups(
    seeding,
    companies.flatMap(([psa_company_id, own]) => groupsOf(psa_company_id, own)),
  )
  await insertMany(
    tx,
    'identity_licence',
    companies.map(([psa_company_id, own]) => ({
      ...tenancy,
      psa_company_id,
      name: LICENCE,
      total: own.length + random.int(0, 3),
    })),
  )
  await seedSignIns(seeding, people, locked)
}
