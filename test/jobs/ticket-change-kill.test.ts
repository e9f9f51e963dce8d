/** A worker that is killed between the write of a PSA and its record: the ticket is changed once, and that is recorded. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import { psaOf } from '../../src/connectors/psa.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { connectedApp, PUBLIC_URL } from '../setup/connected.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { addPolicy, escalationsOf, giveUpOn } from '../setup/escalations.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

const ENDED_MS = 120_000
const TEST_MS = 2 * ENDED_MS

interface Changed {
  ticket_id: string
  /** The change that the policy makes. */
  change: { status: string; queue: null; remove_assignee: boolean }
  /** The writes that the PSA has taken of it. */
  writes(): Promise<number>
}

type SetUp = (msp: Msp, api: Api) => Promise<Changed>

const toStatus = (status: string) => ({ status, queue: null, remove_assignee: false })

const PSAS: Record<string, SetUp> = {
  async 'the PSA of the service'(msp) {
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    const where = { tenant_id: msp.tenant_id }
    const { psaWrite } = msp.database.prisma
    return {
      ticket_id: '1',
      change: toStatus('In progress'),
      writes: () => psaWrite.count({ where }),
    }
  },
  async ConnectWise(msp, api) {
    const double = await connectwisePsaDouble()
    onTestFinished(async () => void (await double.close()))
    const input = { ...double.draft, poll_interval_seconds: 0 }
    const connected = await api.call(msp.owner, 'connect_integration', { name: double.name, input })
    expect(connected.status).toBe(200)
    const ticket_id = double.addTicket('Printer')
    return {
      ticket_id,
      change: toStatus('In progress'),
      writes: async () =>
        double.requests.filter((line) => line.startsWith('PATCH') && line.endsWith(`/tickets/${ticket_id}`))
          .length,
    }
  },
}

test.runIf(process.env.DATABASE_URL).each(Object.entries(PSAS))(
  'a ticket in %s is changed once, whose worker is killed after the write',
  { timeout: TEST_MS },
  async (_name, setUp) => {
    const url = (await cloneUrl()) ?? ''
    const database = await openTestDatabase(url)
    await installJobs(database, 'test', JOBS)
    const running = await connectedApp(database)
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    onTestFinished(async () => {
      await client.end()
      await running.app.close(1000)
      await database.close()
    })
    const msp = await world(database)
    const api = apisAt(async () => running.base)[1] as Api
    const { ticket_id, change, writes } = await setUp(msp, api)
    await addPolicy(msp, { ticket_change: change })
    const id = await giveUpOn(msp, ticket_id, running.app.services)

    // Nobody can record the write while the row is locked.
    await client.query('begin')
    await client.query('select 1 from escalation_event where id = $1 for update', [id])
    const workers = startWorkers(url, 'runs', { ALLOW_PRIVATE_ADDRESSES: 'true', PUBLIC_URL }, 1)
    onTestFinished(() => workers.kill())
    await until(async () => (await writes()) === 1, ENDED_MS)
    workers.replaceOne()
    await client.query('rollback')

    await until(async () => (await escalationsOf(msp))[0]?.ticket_changed === true, ENDED_MS)
    expect(await writes()).toBe(1)
    const ticket = await psaOf(serviceContext(running.app.services, 'test', 'test', msp)).ticket(ticket_id)
    expect(ticket?.status).toBe(change.status)
  },
)
