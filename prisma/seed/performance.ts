/** What the demo MSP's figures are made of beside executions: credits for chats, and tickets that came in. */
import { randomBase62 } from '../../src/lib/base62.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { busyTimes, isWeekend, midnight, OFFICE } from './working-hours.ts'

const DAYS = 35
const HOUR_MS = 3_600_000
const CHAT_AGENT = 6

export async function seedCredits({ tx, tenancy, now }: Seeding): Promise<void> {
  const random = randomOf('credits')
  const chats = busyTimes(now, DAYS, { a_day: 9, weekend: 0.1, hours: OFFICE }, random)
  await tx.creditEntry.createMany({
    data: chats
      .filter((at) => at < now)
      .map((at) => ({
        ...tenancy,
        id: `crd_${randomBase62(22, (size) => random.bytes(size))}`,
        agent_id: CHAT_AGENT,
        at,
        credits: random.int(5, 90) / 100,
      })),
  })
}

/** Tickets on a working day. */
const TICKETS = 74

export async function seedTicketsReceived({ tx, tenancy, now }: Seeding): Promise<void> {
  const random = randomOf('tickets')
  const weight = OFFICE.reduce((sum, one) => sum + one, 0)
  const hours = Array.from({ length: (DAYS + 1) * 24 }, (_, index) => {
    const day = midnight(now, DAYS - Math.floor(index / 24))
    const expected = (TICKETS * (isWeekend(day) ? 0.2 : 1) * ((OFFICE[index % 24] ?? 0) + 1)) / weight
    return {
      ...tenancy,
      hour: new Date(day.getTime() + (index % 24) * HOUR_MS),
      count: Math.round(expected * (0.6 + 0.8 * random.fraction())),
    }
  })
  await insertMany(
    tx,
    'tickets_received',
    hours.filter(({ hour }) => hour <= now),
  )
}
