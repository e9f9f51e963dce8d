/** Contacts and technicians of HaloPSA, which calls them users and agents. Sources as in `api.ts`. */
import type { z } from 'zod'
import { emailForms, isSameEmail } from '../../lib/email-address.ts'
import { flag, NAMED, reference, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import { need, PortRefusal } from '../port.ts'
import type { Psa, PsaContact, PsaTechnician } from '../psa.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { type Api, longestPart } from './api.ts'
import { ACTIVE_OR_NOT } from './companies.ts'

/** [SW: Users, Users_List] */
export const CONTACT = NAMED.extend({
  client_id: reference,
  emailaddress: text,
  phonenumber_preferred: text,
  phonenumber: text,
  mobilenumber: text,
  title: text,
  inactive: flag,
})

type ContactRow = z.infer<typeof CONTACT>

/** [SW: Uname] */
export const AGENT = NAMED.extend({ email: text })

type AgentRow = z.infer<typeof AGENT>

/** The agent of tickets that nobody has. [DJ] */
export const UNASSIGNED = 1

export const contactOf = (row: ContactRow): PsaContact => ({
  contact_id: String(row.id),
  psa_company_id: String(row.client_id ?? ''),
  name: row.name ?? '',
  email: row.emailaddress?.trim() || null,
  phone: row.phonenumber_preferred || row.phonenumber || row.mobilenumber || null,
  title: row.title || null,
  is_active: !row.inactive,
})

export const technicianOf = ({ id, name, email }: AgentRow): PsaTechnician => ({
  psa_id: id,
  name: name ?? '',
  email: email || null,
})

const first = (one: PsaContact, other: PsaContact): number =>
  Number(other.is_active) - Number(one.is_active) || Number(one.contact_id) - Number(other.contact_id)

const contactRow = async (api: Api, contact_id: string): Promise<ContactRow | null> => {
  const id = idOf(contact_id)
  return id === null ? null : await api.get(CONTACT, `/Users/${id}`)
}

/** The contact, who is one of the client's if it is given. */
export async function checkContact(
  api: Api,
  contact_id: string,
  client_id?: number | null,
): Promise<ContactRow> {
  const contact = need(await contactRow(api, contact_id), 'CONTACT_NOT_FOUND')
  if (client_id !== undefined && contact.client_id !== client_id) throw new PortRefusal('CONTACT_NOT_FOUND')
  return contact
}

export const agentRow = async (api: Api, psa_id: number): Promise<AgentRow | null> =>
  idOf(String(psa_id)) === null || psa_id === UNASSIGNED ? null : await api.get(AGENT, `/Agent/${psa_id}`)

type People = Pick<Psa, 'technician' | 'contact' | 'contactByEmail' | 'searchContacts'>

export function peopleOf(api: Api): People {
  const contactsWith = (query: Readonly<Record<string, string | number | boolean>>) =>
    api.all(CONTACT, '/Users', query)
  return {
    async technician(psa_id) {
      const row = await agentRow(api, psa_id)
      return row && technicianOf(row)
    },
    async contact(contact_id) {
      const row = await contactRow(api, contact_id)
      return row && contactOf(row)
    },
    async contactByEmail(psa_company_id, email) {
      const client_id = idOf(psa_company_id)
      if (client_id === null || emailForms(email).length === 0) return null
      // The addresses of a company are compared here: how the vendor compares them is unverified.
      const rows = await contactsWith({ client_id, ...ACTIVE_OR_NOT })
      const found = rows
        .map(contactOf)
        .filter((contact) => contact.email && isSameEmail(contact.email, email))
      return found.sort(first)[0] ?? null
    },
    async searchContacts({ words, psa_company_id, limit }) {
      const wanted = wordsOf(words)
      const client_id = psa_company_id === null ? null : idOf(psa_company_id)
      if (psa_company_id !== null && client_id === null) return []
      const of = { includeactive: true, includeinactive: false, ...(client_id && { client_id }) }
      const search = longestPart(wanted)
      // Names and addresses are searched, and telephone numbers if that is asked for. [SW]
      const lists = await Promise.all(
        search === null
          ? [contactsWith(of)]
          : [contactsWith({ ...of, search }), contactsWith({ ...of, search, search_phonenumbers: true })],
      )
      const contacts = new Map(lists.flat().map((row) => [row.id, contactOf(row)]))
      return [...contacts.values()]
        .filter(({ name, email, phone }) => hasWords(wanted, [name, email, phone]))
        .sort(byName)
        .slice(0, limit)
    },
  }
}
