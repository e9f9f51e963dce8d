/** Technician profiles of the demo MSP. */
import { ProfileStatus } from '../db/generated/client/client.ts'
import type { Seeding } from './seeding.ts'
import { list, oneOf, optional, table, text } from './table.ts'

/** Their PSA ids ascend. A STALE or deleted profile is not written anew. */
const TECHNICIANS = table(
  {
    name: text,
    profile_status: oneOf(ProfileStatus),
    schedule: text,
    skills: list,
    profile: optional(text),
    custom_instructions: optional(text),
  },
  `
  Tomasz Zieliński | READY | Day shift | Microsoft 365, Entra ID, Licensing | Service desk lead. Microsoft 365, Entra ID and licensing. |
  Gareth Hughes | READY | Weekend on-call | Networks, Firewalls, VPN | Escalation engineer. Networks, firewalls and VPNs. | Ask before anything that restarts a firewall during business hours.
  Chidi Okafor | READY | Late shift | Windows Server, Backups, Virtualisation | Second line. Windows Server, backups and virtualisation. |
  Aisha Rahman | READY | Day shift | Onboarding, Printers | First line. Onboarding, printers and everyday requests. |
  Ben Whitcombe | STALE | Late shift | Telephony, Meeting rooms | First line. Telephony and meeting rooms. |
  Elin Lindqvist | READY | Day shift | macOS, Mobile devices, Entra ID | Second line. macOS, mobile devices and identity. |
  Vivian Ng | READY | Weekend on-call | Security, Phishing | Security analyst. Alerts, phishing reports and awareness training. | Send me every reported phishing message, even the harmless ones.
  Declan Byrne | STALE | Day shift | Cabling, Hardware | Field engineer for the north-west. Cabling and hardware. | On the road from 08:00 to 15:00: no calls, messages only.
  Hannah Osei | GENERATING | Late shift | | |
  Luca Moretti | PENDING | | | |
  Saoirse Kelly | FAILED | | | |
  Oliver Pryce (left) | PENDING | | | |
`,
)

/** Days since technicians were deleted. */
const DELETED = new Map([['Oliver Pryce (left)', 19]])

const FIRST_PSA_ID = 201

export async function seedTechnicians({ tx, tenancy, ago }: Seeding): Promise<void> {
  const schedules = await tx.technicianSchedule.findMany({ where: tenancy })
  const id_of = new Map(schedules.map(({ name, id }) => [name, id]))
  await tx.technicianProfile.createMany({
    data: TECHNICIANS.map(({ schedule, ...technician }, index) => {
      const { name, profile_status } = technician
      const deleted = DELETED.get(name)
      return {
        ...tenancy,
        ...technician,
        psa_id: FIRST_PSA_ID + index,
        is_ready: profile_status === 'READY' || profile_status === 'STALE',
        update_automatically: profile_status !== 'STALE' && deleted === undefined,
        schedule_id: id_of.get(schedule) ?? null,
        revision: deleted === undefined ? 1 : 2,
        deleted_at: deleted === undefined ? null : ago(deleted),
        created_at: ago(378 - index * 2),
        updated_at: deleted === undefined ? ago(1 + ((index * 7) % 23), index * 13) : ago(deleted),
      }
    }),
  })
}
