/** Rows of escalations, of tickets that they change, and of tickets that nobody touched for long. */

import { addEscalations, addPolicies } from '../../setup/escalations.ts'
import { addEvents } from '../../setup/events.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, at, type Rows } from './rows.ts'

/** An open ticket that nobody touched for a day, and a policy by which it is stalled. */
async function addStalled(msp: Msp, ticket_id: string): Promise<void> {
  const policy = { triggers: ['TICKET_STALLED'] as 'TICKET_STALLED'[], stalled_minutes: 60 }
  await addPolicies(msp, [{ ...policy, is_default: false, stalled_statuses: ['New'] }])
  await addPsaTickets(msp, [{ ticket_id, created_at: ago(2), updated_at: ago(1) }])
  const known = { entity: `TICKET/${ticket_id}`, version: {}, is_announced: true, open_status: 'New' }
  const read = { callback_id: 'read', source: 'POLL' as const, seen_at: ago(1), quiet_since: ago(1) }
  await msp.database.prisma.callbackEntity.create({ data: { ...at(msp), ...known, ...read } })
}

export const ESCALATIONS: Record<string, Rows> = {
  'escalation.take_step': {
    async store(msp) {
      await addEscalations(msp, [{ id: 'esc_step' }])
      return { event_id: 'esc_step', step: 1 }
    },
    todo: `select 1 from escalation_event where environment = $1 and id = 'esc_step' and current_step = 0`,
  },
  'escalation.follow': {
    async store(msp) {
      await addPolicies(msp, [{}])
      await addEvents(msp, [{ type: 'execution.started' }])
    },
    todo: `select 1 from escalation_cursor c join event_feed f using (tenant_id, environment)
      where c.environment = $1 and c.sequence < f.last_sequence`,
  },
  'escalation.change_ticket': {
    async store(msp) {
      const ticket_change = { status: 'In progress', queue: null, remove_assignee: true }
      await addPsaTickets(msp, [{ ticket_id: 'changed' }])
      const by = { policy_id: 1, policy_name: 'Policy', trigger: 'AGENT_GAVE_UP' as const, steps: [] }
      const of = { entity_id: 'changed', subject: 'TICKET/changed', respect_business_hours: false }
      const times = { created_at: new Date(), updated_at: new Date() }
      await msp.database.prisma.escalationEvent.create({
        data: { ...at(msp), id: 'esc_change', ...by, ...of, ticket_change, ...times },
      })
      return { event_id: 'esc_change' }
    },
    todo: `select 1 from escalation_event where environment = $1 and id = 'esc_change' and not ticket_changed`,
  },
  'escalation.queue_stalled': {
    store: (msp) => addStalled(msp, 'queued'),
    todo: `select 1 from callback_entity v where v.environment = $1 and v.entity = 'TICKET/queued' and not exists (
      select from pgboss.job j where j.name = 'escalation.find_stalled'
        and j.data -> 'tenancy' ->> 'environment' = v.environment)`,
  },
  'escalation.find_stalled': {
    async store(msp) {
      await addStalled(msp, 'stalled')
      return {}
    },
    todo: `select 1 from callback_entity v where v.environment = $1 and v.entity = 'TICKET/stalled' and not exists (
      select from escalation_event e where e.environment = v.environment and e.subject = v.entity)`,
  },
}
