/** Technician profiles of the demo MSP. */
import type { Seeding } from './seeding.ts'

const READY = { profile_status: 'READY', is_ready: true } as const
const STALE = { profile_status: 'STALE', is_ready: true, update_automatically: false } as const

interface Technician {
  name: string
  profile: string | null
  profile_status: 'PENDING' | 'GENERATING' | 'READY' | 'STALE' | 'FAILED'
  is_ready?: boolean
  update_automatically?: boolean
  skills?: string[]
  /** The name of their schedule. */
  schedule?: string
  /** Days since they were deleted. */
  deleted?: number
}

const TECHNICIANS: readonly Technician[] = [
  {
    ...READY,
    name: 'Tomasz Zieliński',
    profile: 'Service desk lead. Microsoft 365, Entra ID and licensing.',
    skills: ['Microsoft 365', 'Entra ID', 'Licensing'],
    schedule: 'Day shift',
  },
  {
    ...READY,
    name: 'Gareth Hughes',
    profile: 'Escalation engineer. Networks, firewalls and VPNs.',
    skills: ['Networks', 'Firewalls', 'VPN'],
    schedule: 'Weekend on-call',
  },
  {
    ...READY,
    name: 'Chidi Okafor',
    profile: 'Second line. Windows Server, backups and virtualisation.',
    skills: ['Windows Server', 'Backups', 'Virtualisation'],
    schedule: 'Late shift',
  },
  {
    ...READY,
    name: 'Aisha Rahman',
    profile: 'First line. Onboarding, printers and everyday requests.',
    skills: ['Onboarding', 'Printers'],
    schedule: 'Day shift',
  },
  {
    ...STALE,
    name: 'Ben Whitcombe',
    profile: 'First line. Telephony and meeting rooms.',
    skills: ['Telephony', 'Meeting rooms'],
    schedule: 'Late shift',
  },
  {
    ...READY,
    name: 'Elin Lindqvist',
    profile: 'Second line. macOS, mobile devices and identity.',
    skills: ['macOS', 'Mobile devices', 'Entra ID'],
    schedule: 'Day shift',
  },
  {
    ...READY,
    name: 'Vivian Ng',
    profile: 'Security analyst. Alerts, phishing reports and awareness training.',
    skills: ['Security', 'Phishing'],
    schedule: 'Weekend on-call',
  },
  {
    ...STALE,
    name: 'Declan Byrne',
    profile: 'Field engineer for the north-west. Cabling and hardware.',
    skills: ['Cabling', 'Hardware'],
    schedule: 'Day shift',
  },
  { profile_status: 'GENERATING', name: 'Hannah Osei', profile: null, schedule: 'Late shift' },
  { profile_status: 'PENDING', name: 'Luca Moretti', profile: null },
  { profile_status: 'FAILED', name: 'Saoirse Kelly', profile: null },
  {
    profile_status: 'PENDING',
    name: 'Oliver Pryce (left)',
    profile: null,
    update_automatically: false,
    deleted: 19,
  },
]

const INSTRUCTIONS = new Map<string, string>([
  ['Gareth Hughes', 'Ask before anything that restarts a firewall during business hours.'],
  ['Vivian Ng', 'Send me every reported phishing message, even the harmless ones.'],
  ['Declan Byrne', 'On the road from 08:00 to 15:00: no calls, messages only.'],
])

const FIRST_PSA_ID = 201

export async function seedTechnicians({ tx, tenancy, ago }: Seeding): Promise<void> {
  const schedules = await tx.technicianSchedule.findMany({ where: tenancy })
  const id_of = new Map(schedules.map(({ name, id }) => [name, id]))
  await tx.technicianProfile.createMany({
    data: TECHNICIANS.map(({ schedule, deleted, ...technician }, index) => {
      const changed = ago(1 + ((index * 7) % 23), index * 13)
      return {
        ...tenancy,
        ...technician,
        psa_id: FIRST_PSA_ID + index,
        custom_instructions: INSTRUCTIONS.get(technician.name) ?? null,
        schedule_id: id_of.get(schedule ?? '') ?? null,
        revision: deleted === undefined ? 1 : 2,
        deleted_at: deleted === undefined ? null : ago(deleted),
        created_at: ago(378 - index * 2),
        updated_at: deleted === undefined ? changed : ago(deleted),
      }
    }),
  })
}
