/** The end users of the demo MSP, as a sync has read them from its PSA. */
import { demoContacts } from './people.ts'
import { insertMany, type Seeding } from './seeding.ts'

export async function seedEndUsers({ tx, tenancy, ago }: Seeding): Promise<void> {
  const latest = await tx.psaTicket.groupBy({
    by: ['contact_id'],
    where: tenancy,
    _max: { created_at: true },
  })
  const last_ticket_at = new Map(latest.map(({ contact_id, _max }) => [contact_id, _max.created_at]))
  const synced = ago(0, 12)
  await insertMany(
    tx,
    'end_user',
    demoContacts().map((contact, index) => {
      const { contact_id, name, email, phone, title, end_company_id, is_vip, is_active } = contact
      const created_at = ago(365 - (index % 320))
      return {
        ...tenancy,
        id: `eus_${contact_id}`,
        psa_contact_id: contact_id,
        name,
        email,
        phone,
        title,
        end_company_id,
        is_vip,
        status: is_active ? 'ACTIVE' : 'INACTIVE',
        workplace_user_id: contact.workplace_user_id,
        last_ticket_at: last_ticket_at.get(contact_id) ?? null,
        last_synced_at: synced,
        created_at,
        updated_at: created_at,
      }
    }),
  )
}
