/** The devices in the RMM of the demo MSP, with their alerts. */
import { CUSTOMERS, psaIdOf } from './end-companies.ts'
import { type Contact, demoContacts } from './people.ts'
import { insertMany, type Random, randomOf, type Seeding } from './seeding.ts'

/** The devices that alert tickets name, and the copier of the office. */
const SHARED = [
  { name: 'SRV-FILE01', platform: 'WINDOWS', gigabytes: 41 },
  { name: 'SRV-SQL02', platform: 'WINDOWS', gigabytes: 18 },
  { name: 'FW-HEADOFFICE', platform: 'OTHER', gigabytes: null },
  { name: 'COPIER-OFFICE', platform: 'OTHER', gigabytes: null },
] as const

/** People of each customer whose computers are managed. */
const PEOPLE = 5

const SOFTWARE = [
  { name: 'LibreOffice', version: '25.8.2' },
  { name: 'Mozilla Firefox', version: '145.0' },
  { name: 'VLC media player', version: '3.0.21' },
]

const deviceIdOf = (psa_company_id: string, number: number): string => `dev_${psa_company_id}_${number}`

interface Device {
  device_id: string
  name: string
  platform: string
  last_user: string | null
  gigabytes: number | null
  software: readonly object[]
}

const computerOf = ({ name, email }: Contact, number: number, random: Random) => ({
  name: `${random.fraction() < 0.7 ? 'LT' : 'PC'}-${String(number).padStart(3, '0')}`,
  platform: random.fraction() < 0.85 ? 'WINDOWS' : 'MACOS',
  last_user: email?.split('@')[0] ?? name,
  gigabytes: random.int(12, 380),
  software: SOFTWARE.filter(() => random.fraction() < 0.7),
})

function devicesOf(psa_company_id: string, people: readonly Contact[], random: Random): Device[] {
  const shared = SHARED.map((device) => ({ ...device, last_user: null, software: [] }))
  const computers = people.slice(0, PEOPLE).map((person, index) => computerOf(person, index + 1, random))
  return [...shared, ...computers].map((device, index) => ({
    ...device,
    device_id: deviceIdOf(psa_company_id, index + 1),
  }))
}

/** A laptop that is switched off. */
const OFFLINE = deviceIdOf(psaIdOf(0), SHARED.length + 1)

const BYTES = 1_000_000_000

/** Alerts that have cleared by themselves, or that a technician has closed. */
const EARLIER = [
  { text: 'Restart pending for 14 days', severity: 'INFO' },
  { text: 'Backup job finished with warnings', severity: 'WARNING' },
] as const

interface AlertTicket {
  ticket_id: string
  title: string
  priority: string | null
  psa_company_id: string
  created_at: Date
}

/** The alerts that open tickets report, by the number of the ticket, and earlier ones. */
async function seedAlerts({ tx, tenancy, ago }: Seeding): Promise<void> {
  const { tenant_id, environment } = tenancy
  const tickets = await tx.$queryRaw<AlertTicket[]>`
    select ticket_id, title, priority, psa_company_id, created_at from psa_ticket
    where tenant_id = ${tenant_id} and environment = ${environment} and board = 'Alerts' and closed_at is null
    order by ticket_id`
  const open = tickets.map(({ ticket_id, title, priority, psa_company_id, created_at }) => {
    const place = SHARED.findIndex(({ name }) => title.endsWith(name))
    return {
      alert_id: `alr_${ticket_id}`,
      device_id: deviceIdOf(psa_company_id, Math.max(place, 0) + 1),
      severity: priority === 'P3' ? 'CRITICAL' : 'WARNING',
      text: title,
      raised_at: created_at,
      cleared_at: null,
    }
  })
  const earlier = CUSTOMERS.flatMap(({ status }, index) => {
    const alert = EARLIER[index % EARLIER.length]
    if (status === 'INACTIVE' || !alert) return []
    const device_id = deviceIdOf(psaIdOf(index), 1)
    const times = { raised_at: ago(9 + index), cleared_at: ago(9 + index, -180) }
    return [{ alert_id: `alr_${device_id}`, device_id, ...alert, ...times }]
  })
  await insertMany(
    tx,
    'local_rmm_alert',
    [...open, ...earlier].map((alert) => ({ ...tenancy, ...alert })),
  )
}

export async function seedDevices(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const random = randomOf('devices')
  const people = Map.groupBy(
    demoContacts().filter(({ is_active }) => is_active),
    ({ psa_company_id }) => psa_company_id,
  )
  const devices = [...people].flatMap(([psa_company_id, own]) =>
    devicesOf(psa_company_id, own, random).map(({ gigabytes, ...device }) => ({
      ...tenancy,
      ...device,
      psa_company_id,
      serial_number: `HL${random.int(100_000, 999_999)}`,
      free_disk_bytes: gigabytes === null ? null : gigabytes * BYTES,
      missing_patches: random.fraction() < 0.3 ? random.int(1, 9) : 0,
      is_online: device.device_id !== OFFLINE,
      last_seen_at: ago(device.device_id === OFFLINE ? 3 : 0, random.int(1, 900)),
    })),
  )
  await insertMany(tx, 'local_rmm_device', devices)
  await seedAlerts(seeding)
}
