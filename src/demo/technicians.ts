/** Technician profiles of the demo MSP. */
import type { Seeding } from './seeding.ts'

const READY = { profile_status: 'READY', is_ready: true } as const
const STALE = { profile_status: 'STALE', is_ready: true, update_automatically: false } as const

const TECHNICIANS = [
  {
    ...READY,
    name: 'Tomasz Zieliński',
    profile: 'Service desk lead. Microsoft 365, Entra ID and licensing.',
  },
  { ...READY, name: 'Gareth Hughes', profile: 'Escalation engineer. Networks, firewalls and VPNs.' },
  { ...READY, name: 'Chidi Okafor', profile: 'Second line. Windows Server, backups and virtualisation.' },
  { ...READY, name: 'Aisha Rahman', profile: 'First line. Onboarding, printers and everyday requests.' },
  { ...STALE, name: 'Ben Whitcombe', profile: 'First line. Telephony and meeting rooms.' },
  { ...READY, name: 'Elin Lindqvist', profile: 'Second line. macOS, mobile devices and identity.' },
  {
    ...READY,
    name: 'Vivian Ng',
    profile: 'Security analyst. Alerts, phishing reports and awareness training.',
  },
  { ...STALE, name: 'Declan Byrne', profile: 'Field engineer for the north-west. Cabling and hardware.' },
  { profile_status: 'GENERATING', name: 'Hannah Osei', profile: null },
  { profile_status: 'PENDING', name: 'Luca Moretti', profile: null },
  { profile_status: 'FAILED', name: 'Saoirse Kelly', profile: null },
  { profile_status: 'PENDING', name: 'Oliver Pryce (left)', profile: null, update_automatically: false },
] as const

const INSTRUCTIONS = new Map<string, string>([
  ['Gareth Hughes', 'Ask before anything that restarts a firewall during business hours.'],
  ['Vivian Ng', 'Send me every reported phishing message, even the harmless ones.'],
  ['Declan Byrne', 'On the road from 08:00 to 15:00: no calls, messages only.'],
])

const FIRST_PSA_ID = 201

export async function seedTechnicians({ tx, tenancy, ago }: Seeding): Promise<void> {
  await tx.technicianProfile.createMany({
    data: TECHNICIANS.map((technician, index) => ({
      ...tenancy,
      ...technician,
      psa_id: FIRST_PSA_ID + index,
      custom_instructions: INSTRUCTIONS.get(technician.name) ?? null,
      created_at: ago(395 - index * 17),
      updated_at: ago(1 + ((index * 7) % 23), index * 13),
    })),
  })
}
