/** The people at the customers of the demo MSP: contacts in its PSA, and end users. */
import { CUSTOMERS, companyIdOf, psaIdOf, workplaceTenants } from './end-companies.ts'
import { type Random, randomOf } from './seeding.ts'

export interface Contact {
  contact_id: string
  psa_company_id: string
  end_company_id: string
  name: string
  email: string | null
  phone: string | null
  title: string | null
  is_active: boolean
  is_vip: boolean
  /** null if the company's workplace suite is not known. */
  workplace_tenant_id: string | null
  workplace_user_id: string | null
  /** The place among the people of the company: those at the front open more tickets. */
  rank: number
}

const FIRST_NAMES = (
  'Priya Oliver Amelia Kwame Isla Mateusz Grace Harvey Aoife Samuel Zara Thomas Freya Idris Charlotte Rhys Nadia Edward ' +
  'Maryam Lewis Beatrice Tunde Eleanor Callum Yasmin George Ines Patrick Leila Duncan Hannah Rafael Megan Omar Phoebe ' +
  'Alistair Joanna Viktor Sofia Neil Bronwen Anil Katherine Jude Marta Stephen Fiona Emeka Lucy Graham'
).split(' ')

const LAST_NAMES = (
  'Nair Ashcroft Bello Carmichael Dobson Eastwood Farrow Gill Hollis Iqbal Jarvis Kowalski Langford Mensah Norris ' +
  'Oakley Pritchard Quinn Rahman Sinclair Tran Underwood Vaughan Whitaker Yeo Abbott Brierley Castellano Desai Ellwood ' +
  'Fenwick Garside Hargreaves Ivanova Jukes Kavanagh Lockwood Mistry Nowak Osborne Pemberton Rigby Sowerby Thackray ' +
  'Usher Verma Wragg Yates Addison Blythe'
).split(' ')

const TITLES = (
  'Office manager, Receptionist, Accounts assistant, Finance director, Operations manager, Team leader, ' +
  'Administrator, HR adviser, Managing director, Site supervisor, Project manager, Sales executive, ' +
  'Marketing officer, Stock controller, Personal assistant, Apprentice'
).split(', ')

const FIRST_CONTACT = 5001

function nameOf(company: number, rank: number, random: Random): string {
  // The first person of the first customer is the one that examples name.
  if (company === 0 && rank === 0) return 'Priya Nair'
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`
}

/** An address at the domain that no other person has. */
function addressOf(name: string, domain: string, taken: Set<string>): string {
  const local = name.toLowerCase().replaceAll(' ', '.')
  for (let count = 1; ; count++) {
    const address = `${local}${count === 1 ? '' : count}@${domain}`
    if (taken.has(address)) continue
    taken.add(address)
    return address
  }
}

/** Everybody at every customer, in the order of the customers. */
export function demoContacts(): Contact[] {
  const random = randomOf('contacts')
  const suites = workplaceTenants()
  const taken = new Set<string>()
  let number = FIRST_CONTACT
  return CUSTOMERS.flatMap(({ name: company, domains, users, status }, index) =>
    Array.from({ length: users }, (_, rank): Contact => {
      const name = nameOf(index, rank, random)
      const domain = rank % 9 === 8 ? domains.at(-1) : domains[0]
      const has_email = rank === 0 || random.fraction() > 0.06
      const workplace_tenant_id = suites[index] ?? null
      const contact_id = String(number++)
      return {
        contact_id,
        psa_company_id: psaIdOf(index),
        end_company_id: companyIdOf(company),
        name,
        email: domain && has_email ? addressOf(name, domain, taken) : null,
        phone: random.fraction() < 0.55 ? `+44 1632 960${random.int(100, 999)}` : null,
        title: random.fraction() < 0.8 ? random.pick(TITLES) : null,
        is_active: status !== 'INACTIVE' && random.fraction() > 0.03,
        is_vip: random.fraction() < 0.025,
        workplace_tenant_id,
        workplace_user_id: workplace_tenant_id && randomOf(`workplace ${contact_id}`).uuid(),
        rank,
      }
    }),
  )
}
