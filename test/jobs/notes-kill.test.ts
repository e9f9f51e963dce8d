/** A worker that is killed between the write of a PSA and its record: the note is on the ticket once, and that is recorded. */
import { expect, test } from 'vitest'
import { ADD_NOTE } from '../../src/areas/comms/declared.ts'
import { psaOf } from '../../src/connectors/psa.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import type { Api } from '../setup/api.ts'
import { addOutbound, messagesOf } from '../setup/comms-writing.ts'
import { enqueueFor } from '../setup/escalation-mails.ts'
import { addPsaTickets } from '../setup/psa.ts'
import type { Msp } from '../setup/world.ts'
import { connectDouble, killAfterWrite, placeOfWorkers, TEST_MS } from './killed-worker.ts'

/** Makes a PSA with a ticket; its id. */
const PSAS: Record<string, (msp: Msp, api: Api) => Promise<string>> = {
  async 'the PSA of the service'(msp) {
    await addPsaTickets(msp, [{ ticket_id: '1' }])
    return '1'
  },
  ConnectWise: async (msp, api) => (await connectDouble(msp, api)).addTicket('Printer'),
}

test.runIf(process.env.DATABASE_URL).each(Object.entries(PSAS))(
  'a message is on its ticket in %s once, whose worker is killed after the write',
  { timeout: TEST_MS },
  async (_name, setUp) => {
    const place = await placeOfWorkers()
    const { msp, api, services } = place
    const ticket_id = await setUp(msp, api)
    await addOutbound(msp, { id: 'cms_1', medium: 'TICKET_NOTE', ticket_id })
    await enqueueFor(services, msp, ADD_NOTE, { message_id: 'cms_1' })
    const ctx = { ...serviceContext(services, 'test', 'test', msp), fresh: true }
    const notes = () => psaOf(ctx).notesOf(ticket_id)

    await killAfterWrite(place, {
      lock: `select 1 from comms_message where id = 'cms_1' for update`,
      isWritten: async () => (await notes()).length === 1,
      isRecorded: async () => (await messagesOf(msp))[0]?.status === 'DELIVERED',
    })
    expect(await notes()).toMatchObject([{ is_internal: false, text: 'It prints again.' }])
  },
)
