/** Contacts and resources, which are the technicians, of Autotask PSA. Sources as in `api.ts`. */
import { z } from 'zod'
import { emailForms, isSameEmail } from '../../lib/email-address.ts'
import { amount, count, text } from '../http/forms.ts'
import type { Psa, PsaContact, PsaTechnician } from '../psa.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { fullName, IDENTIFIED, idOrNone } from './answers.ts'
import type { Api } from './api.ts'
import { contains, eq, filters, idOf, some } from './query.ts'

/** Whether a contact is active is a number. [N8, AC] */
export const CONTACT = IDENTIFIED.extend({
  companyID: idOrNone,
  firstName: text,
  lastName: text,
  title: text,
  emailAddress: text,
  emailAddress2: text,
  emailAddress3: text,
  phone: text,
  mobilePhone: text,
  alternatePhone: text,
  isActive: amount,
})

type ContactRow = z.infer<typeof CONTACT>

/** Technicians are known by whole numbers of 32 bits. */
export const RESOURCE = z.object({ id: count, firstName: text, lastName: text, email: text })

type ResourceRow = z.infer<typeof RESOURCE>

const EMAILS = ['emailAddress', 'emailAddress2', 'emailAddress3'] as const
const PHONES = ['phone', 'mobilePhone', 'alternatePhone'] as const

export const CONTACT_FIELDS = Object.keys(CONTACT.shape)
export const RESOURCE_FIELDS = Object.keys(RESOURCE.shape)

const firstOf = (row: ContactRow, names: readonly (keyof ContactRow)[]): string | null => {
  const texts = names.map((name) => String(row[name] ?? '').trim())
  return texts.find((text) => text !== '') ?? null
}

export const contactOf = (row: ContactRow): PsaContact => ({
  contact_id: String(row.id),
  psa_company_id: String(row.companyID ?? ''),
  name: fullName(row),
  email: firstOf(row, EMAILS),
  phone: firstOf(row, PHONES),
  title: row.title || null,
  is_active: row.isActive === 1,
})

export const technicianOf = (row: ResourceRow): PsaTechnician => ({
  psa_id: row.id,
  name: fullName(row),
  email: row.email || null,
})

const first = (one: PsaContact, other: PsaContact): number =>
  Number(other.is_active) - Number(one.is_active) || Number(one.contact_id) - Number(other.contact_id)

type People = Pick<Psa, 'technician' | 'contact' | 'contactByEmail' | 'searchContacts'>

export function peopleOf(api: Api): People {
  return {
    async technician(psa_id) {
      const row = await api.get(RESOURCE, 'Resources', psa_id)
      return row && technicianOf(row)
    },
    async contact(contact_id) {
      const id = idOf(contact_id)
      const row = id === null ? null : await api.get(CONTACT, 'Contacts', id)
      return row && contactOf(row)
    },
    async contactByEmail(psa_company_id, email) {
      const id = idOf(psa_company_id)
      const forms = emailForms(email)
      if (id === null || forms.length === 0) return null
      // Addresses may have white space around them, and letters that are compared otherwise there: what is asked for is
      // more than what is wanted.
      const hosts = forms.map((form) => contains(EMAILS, form.slice(form.indexOf('@'))))
      const rows = await api.all(
        CONTACT,
        'Contacts',
        [eq('companyID', id), some(filters(...hosts))],
        CONTACT_FIELDS,
      )
      const found = rows.filter((row) => EMAILS.some((name) => isSameEmail(row[name] ?? '', email)))
      return found.map(contactOf).sort(first)[0] ?? null
    },
    async searchContacts({ words, psa_company_id, limit }) {
      const wanted = wordsOf(words)
      const company = psa_company_id === null ? null : idOf(psa_company_id)
      if (psa_company_id !== null && company === null) return []
      const conditions = filters(
        eq('isActive', 1),
        company !== null && eq('companyID', company),
        ...wanted.map((word) => contains(['firstName', 'lastName', ...EMAILS, ...PHONES], word)),
      )
      const rows = await api.all(CONTACT, 'Contacts', conditions, CONTACT_FIELDS)
      return rows
        .filter((row) =>
          hasWords(wanted, [fullName(row), ...[...EMAILS, ...PHONES].map((name) => row[name])]),
        )
        .map(contactOf)
        .sort(byName)
        .slice(0, limit)
    },
  }
}
