/** Contacts and resources, which are the technicians, of Autotask PSA. Sources as in `api.ts`. */
import { emailForms, isSameEmail } from '../../lib/email-address.ts'
import type { Psa, PsaContact, PsaTechnician } from '../psa.ts'
import { byName, hasWords, wordsOf } from '../words.ts'
import { fullName, type Identified } from './answers.ts'
import type { Api } from './api.ts'
import { contains, eq, filters, idOf, some } from './query.ts'

/** Whether a contact is active is a number. [N8, AC] */
export interface ContactRow extends Identified {
  companyID?: number | null
  firstName?: string | null
  lastName?: string | null
  title?: string | null
  emailAddress?: string | null
  emailAddress2?: string | null
  emailAddress3?: string | null
  phone?: string | null
  mobilePhone?: string | null
  alternatePhone?: string | null
  isActive?: number | null
}

export interface ResourceRow extends Identified {
  firstName?: string | null
  lastName?: string | null
  email?: string | null
}

const EMAILS = ['emailAddress', 'emailAddress2', 'emailAddress3'] as const
const PHONES = ['phone', 'mobilePhone', 'alternatePhone'] as const

export const CONTACT_FIELDS = [
  'id',
  'companyID',
  'firstName',
  'lastName',
  'title',
  ...EMAILS,
  ...PHONES,
  'isActive',
]
export const RESOURCE_FIELDS = ['id', 'firstName', 'lastName', 'email']

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
      const row = await api.get<ResourceRow>('Resources', psa_id)
      return row && technicianOf(row)
    },
    async contact(contact_id) {
      const id = idOf(contact_id)
      const row = id === null ? null : await api.get<ContactRow>('Contacts', id)
      return row && contactOf(row)
    },
    async contactByEmail(psa_company_id, email) {
      const id = idOf(psa_company_id)
      const forms = emailForms(email)
      if (id === null || forms.length === 0) return null
      // Addresses may have white space around them, and letters that are compared otherwise there: what is asked for is
      // more than what is wanted.
      const hosts = forms.map((form) => contains(EMAILS, form.slice(form.indexOf('@'))))
      const rows = await api.all<ContactRow>(
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
      const rows = await api.all<ContactRow>('Contacts', conditions, CONTACT_FIELDS)
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
