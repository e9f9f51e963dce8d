/**
 * `npm run bench:dispatch`: decisions about tickets a second, and the time of each, of a tenant with 200 technicians beside one
 * with two. It needs PostgreSQL (`BENCH_DATABASE_URL`). The PSA answers from memory, so that the time is the service's own.
 */
import { pino } from 'pino'
import { decideArrived } from '../src/areas/dispatch/deciding/arrived.ts'
import { createApp } from '../src/composition/app.ts'
import { readConfig } from '../src/config.ts'
import { localPsa } from '../src/connectors/local/psa.ts'
import type { Psa, PsaTicket } from '../src/connectors/psa.ts'
import { openDatabase } from '../src/db/database.ts'
import { inTransaction } from '../src/db/transaction.ts'
import type { Services } from '../src/gateway/context.ts'
import type { UnboundJobContext } from '../src/jobs/job.ts'
import { serviceContext } from '../src/jobs/service-context.ts'
import { connected, SERVER, urlOf } from './data/databases.ts'
import { median, percentile, ratio } from './figures.ts'
import { table, two } from './markdown.ts'
import { runScript } from './service.ts'

const ROUNDS = 6
const TICKETS = 300
/** As many as one tenant's jobs are at work at once in a process. */
const AT_ONCE = 5
const ENVIRONMENT = 'bench'
const NAME = 'automation_service_bench_dispatch'

interface Tenant {
  tenant_id: string
  technicians: number
}

const TENANTS: readonly Tenant[] = [
  { tenant_id: 'ten_few', technicians: 2 },
  { tenant_id: 'ten_few_again', technicians: 2 },
  { tenant_id: 'ten_many', technicians: 200 },
]

const STORE = [
  `insert into tenant (id, name, psa_type, data_residency, referral_code, created_at)
   values ($1, $1, 'CONNECTWISE_PSA', 'EU', $1, now())`,
  `insert into subscription (tenant_id, environment, first_period_start, updated_at) values ($1, $2, now(), now())`,
  `insert into settings (tenant_id, environment, human_friendly_client_name, updated_at) values ($1, $2, $1, now())`,
  `insert into dispatch_settings (tenant_id, environment, enabled, respect_schedules, updated_at)
   values ($1, $2, true, false, now())`,
  `insert into technician_schedule (tenant_id, environment, name, timezone, windows, updated_by_user, created_at, updated_at)
   select $1, $2, 'Schedule ' || n, 'Europe/Berlin',
     '[{"day": "MONDAY", "start_time": "09:00", "end_time": "17:00"}]', 'Bench', now(), now()
   from generate_series(1, 5) n`,
  `insert into technician_profile (tenant_id, environment, psa_id, name, skills, is_ready, schedule_id, created_at, updated_at)
   select $1, $2, n, 'Technician ' || n, array['exchange', 'azure'], true, (
     select min(s.id) + n % 5 from technician_schedule s where s.tenant_id = $1), now(), now()
   from generate_series(1, $3) n`,
  `insert into dispatch_rule (tenant_id, environment, name, position, conditions, required_skills, created_at, updated_at)
   select $1, $2, 'Rule ' || n, n,
     jsonb_build_object('match', 'ALL', 'rules', jsonb_build_array(
       jsonb_build_object('field', 'board', 'operator', 'equals', 'value', 'Board ' || n))), array['Exchange'], now(), now()
   from generate_series(1, 20) n`,
]

const ticketOf = (ticket_id: string): PsaTicket => ({
  ticket_id,
  number: ticket_id,
  title: 'No mail since this morning',
  description: 'Outlook asks for the password again and again.',
  status: 'New',
  priority: 'High',
  board: 'Board 20',
  type: null,
  category: null,
  psa_company_id: null,
  contact_id: null,
  assignee_psa_id: null,
  url: null,
  created_at: new Date(),
  updated_at: new Date(),
  closed_at: null,
  resolution: null,
  merged_into_ticket_id: null,
})

async function makeDatabase(): Promise<string> {
  const url = urlOf(NAME)
  await connected(SERVER, async (client) => {
    await client.query(`drop database if exists ${NAME} with (force)`)
    await client.query(`create database ${NAME}`)
  })
  runScript('migrate', url, ENVIRONMENT)
  await connected(url, async (client) => {
    for (const { tenant_id, technicians } of TENANTS)
      for (const text of STORE) {
        const values = [tenant_id, ENVIRONMENT, technicians]
        await client.query(text, values.slice(0, text.includes('$3') ? 3 : text.includes('$2') ? 2 : 1))
      }
  })
  return url
}

let arrived = 0

/** Decides about one new ticket, as the job does; the milliseconds. */
async function decideOne(services: Services, { tenant_id }: Tenant): Promise<number> {
  const ctx = serviceContext(services, 'dispatch.decide', 'bench', { tenant_id, environment: ENVIRONMENT })
  const job = Object.assign(ctx, {
    commit: <Result>(work: () => Promise<Result>) => inTransaction(ctx, 60_000, work),
  }) as unknown as UnboundJobContext
  const began = performance.now()
  await decideArrived(job, { ticket_id: `t${++arrived}` })
  return performance.now() - began
}

interface Round {
  rate: number
  times: number[]
}

async function measure(services: Services, tenant: Tenant): Promise<Round> {
  const times: number[] = []
  let left = TICKETS
  const began = performance.now()
  const work = async (): Promise<void> => {
    while (left-- > 0) times.push(await decideOne(services, tenant))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return { rate: (TICKETS / (performance.now() - began)) * 1000, times }
}

const url = await makeDatabase()
const database = await openDatabase({
  database_url: url,
  data_dir: '',
  pool_size: AT_ONCE + 2,
  timeout_ms: 30_000,
})
const psa = (ctx: Parameters<typeof localPsa>[0]): Psa => ({
  ...localPsa(ctx),
  ticket: async (ticket_id) => ticketOf(ticket_id),
  openTicketCounts: async (psa_ids) => psa_ids.map((psa_id) => psa_id % 7),
})
const app = await createApp({
  config: readConfig({ DATABASE_URL: url, ENVIRONMENT, ROLE: 'worker' }),
  database,
  log: pino({ level: 'warn' }),
  secrets: {
    key_peppers: ['the pepper of the benchmark'],
    signing_secrets: ['the signing secret of the benchmark'],
    encryption_keys: [{ id: 'bench', key: Buffer.alloc(32, 1) }],
  },
  issuer: null,
  connectors: { psa },
})

const found = new Map<string, Round[]>(TENANTS.map(({ tenant_id }) => [tenant_id, []]))
for (let round = -1; round < ROUNDS; round++)
  for (const tenant of round % 2 ? TENANTS.toReversed() : TENANTS) {
    const measured = await measure(app.services, tenant)
    if (round >= 0) found.get(tenant.tenant_id)?.push(measured)
    // Suggestions of a day are open at once, and not those of every round.
    await database.prisma.dispatchDecision.updateMany({
      where: { status: 'SUGGESTED' },
      data: { status: 'EXPIRED' },
    })
  }

const few = found.get('ten_few')?.map(({ rate }) => rate) ?? []
console.log(
  `\n${ROUNDS} rounds of ${TICKETS} tickets, ${AT_ONCE} at once, on PostgreSQL; 20 rules, of which the last one holds\n`,
)
console.log(
  table(
    ['technicians', 'decisions/s', 'of the first', 'least', 'most', 'median ms', 'p99 ms'],
    TENANTS.map(({ tenant_id, technicians }) => {
      const rounds = found.get(tenant_id) ?? []
      const rates = rounds.map(({ rate }) => rate)
      const times = rounds.flatMap((round) => round.times)
      const { median: middle, min, max } = ratio(rates, few)
      const share = [middle, min, max].map(two)
      return [
        String(technicians),
        median(rates).toFixed(0),
        ...share,
        two(median(times)),
        two(percentile(times, 0.99)),
      ]
    }),
  ),
)
process.exit(0)
