/** The documents in the documentation system of the demo MSP: its own, and some of every customer. */
import { CUSTOMERS, psaIdOf } from './end-companies.ts'
import { insertMany, type Seeding } from './seeding.ts'
import { table, text } from './table.ts'

/** Documents of the MSP itself. */
const OWN = table(
  { title: text, text },
  `
  Confirming who calls | Call back on the number in the PSA, never on the one in the ticket. Nobody resets a password without it.
  Priorities | P1: nobody at a site can work. P2: one team cannot. P3: one person. P4: a question or a wish.
  Agreements | Work for managed customers is under “Managed services”. Quotes and moves are under “Projects”.
`,
)

/** Documents of a customer: NAME and DOMAIN are the customer's. */
const OF_CUSTOMERS = table(
  { title: text, text },
  `
  Site and network | NAME has one firewall, FW-HEADOFFICE, and a file server, SRV-FILE01. Guests have a Wi-Fi of their own. Changes are made after 18:00.
  Backup | SRV-FILE01 and SRV-SQL02: nightly images to the NAS, copied off site at four, kept for 90 days. The service desk mailbox gets the reports.
  Printers and scanners | The copier sends scans from scanner@DOMAIN. “Authentication failed” means that the password of this mailbox has expired: set a new one, and enter it at the copier under Settings, E-mail.
  New starters | Accounts at NAME are first name, dot, last name. Everybody is in All staff; the form says who needs VPN.
`,
)

export async function seedDocuments({ tx, tenancy, ago }: Seeding): Promise<void> {
  const own = OWN.map(({ title, text }, index) => ({
    document_id: `kb_${index + 1}`,
    psa_company_id: null,
    title,
    text,
    updated_at: ago(30 + index * 17),
  }))
  const customers = CUSTOMERS.flatMap(({ name, domains: [domain], status }, index) =>
    status === 'INACTIVE' || domain === undefined
      ? []
      : OF_CUSTOMERS.map(({ title, text }, number) => ({
          document_id: `kb_${psaIdOf(index)}_${number + 1}`,
          psa_company_id: psaIdOf(index),
          title: `${name} – ${title}`,
          text: text.replace('NAME', name).replace('DOMAIN', domain),
          updated_at: ago(12 + index * 3 + number * 40, index * 7),
        })),
  )
  await insertMany(
    tx,
    'local_document',
    [...own, ...customers].map((document) => ({ ...tenancy, ...document })),
  )
}
