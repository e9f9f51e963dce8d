/** Rows of messages that callers send. The service of these tests has no mail server. */
import { addOutbound } from '../../setup/comms-writing.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { ago, at, type Rows } from './rows.ts'

export const COMMS: Record<string, Rows> = {
  'comms.send_mail': {
    async store(msp) {
      await addOutbound(msp, { id: 'cms_mail', address: 'ada@msp.example' })
      return { message_id: 'cms_mail' }
    },
    todo: `select 1 from comms_message where environment = $1 and id = 'cms_mail' and status = 'QUEUED'`,
  },
  'comms.add_note': {
    async store(msp) {
      await addPsaTickets(msp, [{ ticket_id: 'noted' }])
      await addOutbound(msp, { id: 'cms_note', medium: 'TICKET_NOTE', ticket_id: 'noted' })
      return { message_id: 'cms_note' }
    },
    todo: `select 1 from comms_message where environment = $1 and id = 'cms_note' and status = 'QUEUED'`,
  },
  'comms.delete_old_bounces': {
    store: (msp) =>
      msp.database.prisma.commsBounce.createMany({
        data: [
          { ...at(msp), address: 'old@a.example', at: ago(31) },
          { ...at(msp), address: 'young@a.example', at: ago(29) },
        ],
      }),
    todo: `select 1 from comms_bounce where environment = $1 and address = 'old@a.example' and (
      select count(*) from comms_bounce where environment = $1 and address = 'young@a.example') = 1`,
  },
}
