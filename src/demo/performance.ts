/** Credits of chat agents and received tickets of the demo MSP. */
import { randomBase62 } from '../lib/base62.ts'
import { insertMany, randomOf, type Seeding } from './seeding.ts'
import { busyTimes, isWeekend, midnight, OFFICE } from './working-hours.ts'

const DAYS = 35
const QUARTER_MS = 900_000
const QUARTERS = 24 * 4
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

/** The tickets that callbacks reported as new, by quarter of an hour, from the first of those on. */
async function reportedTickets({ tx, tenancy }: Seeding): Promise<Map<number, number>> {
  const { tenant_id, environment } = tenancy
  const rows = await tx.$queryRaw<{ quarter: Date; count: number }[]>`
    select date_bin('15 minutes', received_at, '2000-01-01T00:00:00Z') as quarter,
      count(distinct entity_id)::int as count
    from callback
    where tenant_id = ${tenant_id} and environment = ${environment} and change_types @> array['TICKET_CREATED']
    group by 1 order by 1`
  return new Map(rows.map(({ quarter, count }) => [quarter.getTime(), count]))
}

export async function seedTicketsReceived(seeding: Seeding): Promise<void> {
  const { tx, tenancy, now } = seeding
  const reported = await reportedTickets(seeding)
  const [reported_from = Infinity] = reported.keys()
  const random = randomOf('tickets')
  const weight = OFFICE.reduce((sum, one) => sum + one, 0)
  const quarters = Array.from({ length: (DAYS + 1) * QUARTERS }, (_, index) => {
    const day = midnight(now, DAYS - Math.floor(index / QUARTERS))
    const busy = (OFFICE[Math.floor((index % QUARTERS) / 4)] ?? 0) + 1
    const expected = (TICKETS * (isWeekend(day) ? 0.2 : 1) * busy) / (4 * weight)
    const start = day.getTime() + (index % QUARTERS) * QUARTER_MS
    const made_up = Math.floor(expected + random.fraction())
    const count = start < reported_from ? made_up : (reported.get(start) ?? 0)
    return { ...tenancy, quarter: new Date(start), count }
  })
  await insertMany(
    tx,
    'tickets_received',
    quarters.filter(({ quarter }) => quarter <= now),
  )
}
