/** The calls of the demo MSP to other systems, as well as those answer. */
import type { System } from '../areas/integrations/registry.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { busyTimes, OFFICE } from './working-hours.ts'

const DAYS = 14

/** Calls on a working day, the usual seconds until an answer, and the share of failures. */
const SYSTEMS: readonly [system: System, a_day: number, seconds: number, failures: number][] = [
  ['HALO_PSA', 240, 0.35, 0.012],
  ['NINJAONE', 9, 0.6, 0.01],
  ['HUDU', 8, 0.25, 0.005],
  ['SHAREPOINT', 7, 0.9, 0.12],
  ['CONFLUENCE', 3, 0.4, 0.01],
  ['HUNTRESS', 3, 0.5, 0],
  ['SENTINELONE', 3, 0.7, 0.03],
  ['MIMECAST', 3, 0.8, 0.01],
  ['CISCO_MERAKI', 5, 0.5, 0.02],
  ['UNIFI', 3, 0.3, 0.02],
  ['PAX8', 3, 0.6, 0],
  ['TD_SYNNEX', 2, 1.4, 0.04],
  ['MICROSOFT_TEAMS', 6, 0.3, 0.004],
  ['MICROSOFT_ENTRA_ID', 45, 0.4, 0.006],
]

const GIVEN_UP_SECONDS = 30

export async function seedUpstreamCalls({ tx, tenancy, now, ago }: Seeding): Promise<void> {
  const random = randomOf('upstream calls')
  // Its API key was revoked four hours ago.
  const isDown = (system: System, at: Date) => system === 'CISCO_MERAKI' && at > ago(0, 240)
  // Since then the service asks every half an hour, at night too.
  const probes = Array.from({ length: 8 }, (_, index) => ({
    ...tenancy,
    system: 'CISCO_MERAKI' as const,
    at: ago(0, 5 + index * 30),
    wait_seconds: 0.3,
    ok: false,
  }))
  const calls = SYSTEMS.flatMap(([system, a_day, seconds, failures]) =>
    busyTimes(now, DAYS, { a_day, weekend: 0.3, hours: OFFICE }, random)
      .filter((at) => at < now)
      .map((at) => {
        const ok = random.fraction() >= failures && !isDown(system, at)
        const answered = seconds * (0.5 + random.fraction() + 6 * random.fraction() ** 12)
        const gave_up = !ok && !isDown(system, at) && random.fraction() < 0.4
        const wait_seconds = gave_up ? GIVEN_UP_SECONDS : Math.round(answered * 1000) / 1000
        return { ...tenancy, system, at, wait_seconds, ok }
      }),
  )
  await insertMany(
    tx,
    'upstream_call',
    [...calls, ...probes].sort((a, b) => a.at.getTime() - b.at.getTime()),
  )
}
