/** A worker that is killed between the write of a PSA and its record: the note is on the ticket once, and that is recorded. */
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { ADD_NOTE } from '../../src/areas/comms/declared.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { psaOf } from '../../src/connectors/psa.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { addOutbound, messagesOf } from '../setup/comms-writing.ts'
import { connectedApp, PUBLIC_URL } from '../setup/connected.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { enqueueFor } from '../setup/escalation-mails.ts'
import { addPsaTickets } from '../setup/psa.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

const ENDED_MS = 120_000
const TEST_MS = 2 * ENDED_MS

/** Makes a PSA with a ticket; its id. */
const PSAS: Record<string, (msp: Msp, api: Api) => Promise<string>> = {
  async 'the PSA of the service'(msp) {
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    return '1'
  },
  async ConnectWise(msp, api) {
    const double = await connectwisePsaDouble()
    onTestFinished(async () => void (await double.close()))
    const input = { ...double.draft, poll_interval_seconds: 0 }
    const connected = await api.call(msp.owner, 'connect_integration', { name: double.name, input })
    expect(connected.status).toBe(200)
    return double.addTicket('Printer')
  },
}

test.runIf(process.env.DATABASE_URL).each(Object.entries(PSAS))(
  'a message is on its ticket in %s once, whose worker is killed after the write',
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
    const ticket_id = await setUp(msp, api)
    const { services } = running.app
    await addOutbound(msp, { id: 'cms_1', medium: 'TICKET_NOTE', ticket_id })
    await enqueueFor(services, msp, ADD_NOTE, { message_id: 'cms_1' })
    const ctx = { ...serviceContext(services, 'test', 'test', msp), fresh: true }
    const notes = () => psaOf(ctx).notesOf(ticket_id)

    // Nobody can record the write while the row is locked.
    await client.query('begin')
    await client.query(`select 1 from comms_message where id = 'cms_1' for update`)
    const workers = startWorkers(url, 'runs', { ALLOW_PRIVATE_ADDRESSES: 'true', PUBLIC_URL }, 1)
    onTestFinished(() => workers.kill())
    await until(async () => (await notes()).length === 1, ENDED_MS)
    workers.replaceOne()
    await client.query('rollback')

    await until(async () => (await messagesOf(msp))[0]?.status === 'DELIVERED', ENDED_MS)
    expect(await notes()).toMatchObject([{ is_internal: false, text: 'It prints again.' }])
  },
)
