/** A worker that is killed between the write of a PSA and its record: the ticket is changed once, and that is recorded. */
import { expect, test } from 'vitest'
import { psaOf } from '../../src/connectors/psa.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import type { Api } from '../setup/api.ts'
import { addPolicy, escalationsOf, giveUpOn } from '../setup/escalations.ts'
import { addPsaTickets } from '../setup/psa.ts'
import type { Msp } from '../setup/world.ts'
import { connectDouble, killAfterWrite, placeOfWorkers, TEST_MS } from './killed-worker.ts'

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
    const double = await connectDouble(msp, api)
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
    const place = await placeOfWorkers()
    const { msp, api, services } = place
    const { ticket_id, change, writes } = await setUp(msp, api)
    await addPolicy(msp, { ticket_change: change })
    const id = await giveUpOn(msp, ticket_id, services)

    await killAfterWrite(place, {
      lock: `select 1 from escalation_event where id = '${id}' for update`,
      isWritten: async () => (await writes()) === 1,
      isRecorded: async () => (await escalationsOf(msp))[0]?.ticket_changed === true,
    })
    expect(await writes()).toBe(1)
    const ticket = await psaOf(serviceContext(services, 'test', 'test', msp)).ticket(ticket_id)
    expect(ticket?.status).toBe(change.status)
  },
)
