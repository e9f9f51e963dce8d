/** The subscription, billing alerts and stored documentation of the demo MSP. */
import { randomBase62 } from '../lib/base62.ts'
import { CUSTOMERS } from './end-companies.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { midnight } from './working-hours.ts'

export async function seedBilling({ tx, tenancy, now, ago }: Seeding): Promise<void> {
  await tx.subscription.create({
    data: {
      ...tenancy,
      plan_name: 'Growth',
      first_period_start: midnight(now, 380),
      credits_included: 2500,
      seats: 15,
      updated_at: ago(96),
    },
  })
  await tx.billingAlerts.create({
    data: { ...tenancy, thresholds_pct: [50, 80, 100], revision: 3, updated_at: ago(61) },
  })
}

/** The documents of a customer, with their usual sizes in kilobytes. */
const DOCUMENTS: readonly [name: string, kilobytes: number][] = [
  ['Network diagram.pdf', 2_400],
  ['Onboarding checklist.docx', 180],
  ['Server room photographs.zip', 48_000],
  ['Line-of-business applications.docx', 320],
  ['Backup and recovery runbook.pdf', 950],
  ['Printer and scanner guide.pdf', 5_600],
  ['Escalation contacts.xlsx', 60],
]

export async function seedDocumentation({ tx, tenancy, ago }: Seeding): Promise<void> {
  const random = randomOf('documentation')
  const files = CUSTOMERS.flatMap((customer, index) =>
    DOCUMENTS.filter(() => random.fraction() < 0.8).map(([name, kilobytes]) => ({
      ...tenancy,
      id: `doc_${randomBase62(22, (size) => random.bytes(size))}`,
      name: `${customer.name} - ${name}`,
      size_bytes: Math.round(kilobytes * 1000 * (0.6 + random.fraction())),
      created_at: ago(380 - index * 4 - random.int(0, 200), random.int(0, 600)),
    })),
  )
  await insertMany(tx, 'documentation_file', files)
}
