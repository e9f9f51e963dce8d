/** Rows of mails. The service of these tests has no mail server. */
import { addSupportRequests } from '../../setup/support-rows.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, at, type Rows } from './rows.ts'

/** An escalation that mails a technician. */
async function addMail(msp: Msp, event_id: string): Promise<object> {
  const { escalationEvent, escalationNotification } = msp.database.prisma
  const policy = { policy_id: 1, policy_name: 'Nights', trigger: 'AGENT_GAVE_UP', steps: [] } as const
  const times = { created_at: ago(0), updated_at: ago(0) }
  const rest = { respect_business_hours: false, current_step: 1, subject: `TICKET/${event_id}` }
  await escalationEvent.create({ data: { ...at(msp), id: event_id, ...policy, ...rest, ...times } })
  const key = { event_id, step: 1, target_id: '1' }
  const target = { target_type: 'TECHNICIANS', via: 'EMAIL', name: 'Ada', technician_id: 1 } as const
  await escalationNotification.create({ data: { ...at(msp), ...key, ...target } })
  return key
}

export const MAILS: Record<string, Rows> = {
  'escalation.send_mail': {
    store: (msp) => addMail(msp, 'esc_mail'),
    todo: `select 1 from escalation_notification where environment = $1 and event_id = 'esc_mail' and at is null
      and error_code is null`,
  },
  'escalation.mail_support_request': {
    async store(msp) {
      const id = `sup_mail_${msp.environment}`
      // A worker was lost once the mail had begun.
      await addSupportRequests(msp, [{ id, began_at: ago(1) }])
      return { support_request_id: id }
    },
    todo: `select 1 from support_request where environment = $1 and id like 'sup_mail_%' and sent_at is null`,
  },
  'escalation.delete_old_support_requests': {
    store: (msp) =>
      addSupportRequests(msp, [
        { id: `sup_old_${msp.environment}`, status: 'CLOSED', created_at: ago(401) },
        { id: `sup_open_${msp.environment}`, created_at: ago(401) },
        { id: `sup_young_${msp.environment}`, status: 'CLOSED', created_at: ago(399) },
      ]),
    todo: `select 1 from support_request where environment = $1 and id like 'sup_old_%' and (
      select count(*) from support_request where environment = $1 and id ~ '^sup_(open|young)_') = 2`,
  },
}
