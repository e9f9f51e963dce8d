/** Contacts and members of ConnectWise PSA. Sources as in `api.ts`. */
import { z } from 'zod'
import { emailForms, isSameEmail } from '../../lib/email-address.ts'
import { count, flag, maybe, NAMED, text } from '../http/forms.ts'
import { idOf } from '../ids.ts'
import type { Psa, PsaContact, PsaTechnician } from '../psa.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { type Api, fieldsOf, fullName } from './api.ts'
import { contains, every } from './conditions.ts'

/** A contact has no e-mail field, but items of communication. [OA, DJ] */
export const CONTACT = z.object({
  id: count,
  firstName: text,
  lastName: text,
  company: maybe(NAMED),
  title: text,
  inactiveFlag: flag,
  communicationItems: maybe(z.array(z.object({ communicationType: text, value: text, defaultFlag: flag }))),
})

type ContactRow = z.infer<typeof CONTACT>

/** The fields that are read: the rest would make a page several times as large. */
export const CONTACT_FIELDS = fieldsOf(CONTACT)

export const MEMBER = z.object({ id: count, firstName: text, lastName: text, officeEmail: text })

export const MEMBER_FIELDS = fieldsOf(MEMBER)

function itemOf({ communicationItems = [] }: ContactRow, type: string): string | null {
  const items = communicationItems.filter(({ communicationType }) => communicationType === type)
  return (items.find(({ defaultFlag }) => defaultFlag) ?? items[0])?.value?.trim() ?? null
}

export const contactOf = (row: ContactRow): PsaContact => ({
  contact_id: String(row.id),
  psa_company_id: String(row.company?.id ?? ''),
  name: fullName(row),
  email: itemOf(row, 'Email'),
  phone: itemOf(row, 'Phone'),
  title: row.title ?? null,
  is_active: !row.inactiveFlag,
})

const first = (one: PsaContact, other: PsaContact): number =>
  Number(other.is_active) - Number(one.is_active) || Number(one.contact_id) - Number(other.contact_id)

export const technicianOf = (row: z.infer<typeof MEMBER>): PsaTechnician => ({
  psa_id: row.id,
  name: fullName(row),
  email: row.officeEmail ?? null,
})

type People = Pick<Psa, 'technician' | 'contact' | 'contactByEmail' | 'searchContacts'>

export function peopleOf(api: Api): People {
  const contactsWith = (query: Record<string, string>): Promise<ContactRow[]> =>
    api.all(CONTACT, '/company/contacts', { ...query, fields: CONTACT_FIELDS })
  return {
    async technician(psa_id) {
      const row = await api.get(MEMBER, `/system/members/${psa_id}`)
      return row && technicianOf(row)
    },
    async contact(contact_id) {
      const id = idOf(contact_id)
      const row = id === null ? null : await api.get(CONTACT, `/company/contacts/${id}`)
      return row && contactOf(row)
    },
    async contactByEmail(psa_company_id, email) {
      const id = idOf(psa_company_id)
      const forms = emailForms(email)
      if (id === null || forms.length === 0) return null
      // Items may have white space around them, and letters that are compared otherwise there: what is asked for is more
      // than what is wanted. Items are reached by childConditions only. [DG]
      const host = forms.map((form) => contains(['communicationItems/value'], form.slice(form.indexOf('@'))))
      const rows = await contactsWith({
        conditions: `company/id=${id}`,
        childConditions: `communicationItems/communicationType="Email" and (${host.join(' or ')})`,
      })
      const found = rows
        .map(contactOf)
        .filter((contact) => contact.email && isSameEmail(contact.email, email))
      return found.sort(first)[0] ?? null
    },
    async searchContacts({ words, psa_company_id, limit }) {
      const wanted = wordsOf(words)
      const company = psa_company_id === null ? null : idOf(psa_company_id)
      if (psa_company_id !== null && company === null) return []
      const of = every('inactiveFlag=false', company !== null && `company/id=${company}`)
      // A name or an item: the two kinds of conditions go together by “and” only, so each is asked for by itself.
      const word = wanted.toSorted((one, other) => other.length - one.length)[0] ?? ''
      const child = contains(['communicationItems/value'], word)
      const lists = await Promise.all([
        contactsWith({ conditions: every(of, contains(['firstName', 'lastName'], word)) }),
        child === null ? [] : contactsWith({ conditions: of, childConditions: child }),
      ])
      const contacts = new Map(lists.flat().map((row) => [row.id, contactOf(row)]))
      return [...contacts.values()]
        .filter(({ name, email, phone }) => hasWords(wanted, [name, email, phone]))
        .sort(byName)
        .slice(0, limit)
    },
  }
}
