import fc from 'fast-check'
import type {
  EscalationEvent,
  EscalationPolicy,
  SupportRequest,
} from '../../../src/db/generated/client/client.ts'
import { addAgents } from '../../setup/agents.ts'
import { addEscalations, addNotifications, addPolicies, escalate } from '../../setup/escalations.ts'
import type { AreaSuites, EventScene } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some, text } from '../../setup/suites/sent-back.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { addSupportRequests } from '../../setup/support-rows.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { makeTechnician } from '../../setup/til-requests.ts'
import { installQueues } from '../agents/runnable.ts'
import { addFailing, failAll } from './failing.ts'

const numbered = (n: number): string => `esc_${String(n).padStart(4, '0')}`

const escalation_policies: ListSampler<EscalationPolicy> = {
  async add(msp, numbers) {
    await addPolicies(
      msp,
      numbers.map((n) => ({ id: n + 1, created_at: instant(n) })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.escalationPolicy.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.escalationPolicy.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {},
  steady: 'a tenant has a policy for each way in which it works',
}

const AGENTS = [1, 2, 3]
/** The technician who the USER is. */
const USERS = 8

const numberOf = (id: string): number => Number(id.slice('esc_'.length))
const isNamed = (n: number): boolean => n % 7 === 3

const escalation_events: ListSampler<EscalationEvent> = {
  async add(msp, numbers) {
    if (await addSharedAgents(msp, AGENTS)) await makeTechnician(msp, msp.user.id, USERS)
    await addEscalations(
      msp,
      numbers.map((n) => ({
        id: numbered(n),
        policy_id: at([1, 2, 1], n),
        agent_id: at([1, 2, 3, null], n >> 1),
        trigger: at(['EXECUTION_FAILED', 'AGENT_GAVE_UP', 'EXECUTION_FAILED'] as const, n >> 2),
        status: at(['RESOLVED', 'OPEN', 'ACKNOWLEDGED', 'RESOLVED'] as const, n),
        execution_id: at(['exe_1', 'exe_2', null], n >> 1),
        entity_id: at(['4711', '4712', null], n >> 2),
        created_at: instant(n),
      })),
    )
    await addNotifications(
      msp,
      numbers.filter(isNamed).map((n) => ({ event_id: numbered(n), target_id: String(USERS) })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.escalationEvent.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.escalationEvent.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ id, agent_id }) => agent_id !== 2 || isNamed(numberOf(id)),
  filters: {
    status: isEqual('status', ['OPEN', ['ACKNOWLEDGED', 'RESOLVED']]),
    policy_id: isEqual('policy_id', [1, 2, 999]),
    trigger: isEqual('trigger', ['AGENT_GAVE_UP', ['EXECUTION_FAILED', 'TICKET_STALLED']]),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    entity_id: isEqual('entity_id', ['4711', 'unknown']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [instant(9).toISOString(), instant(18).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
  indexed: ['status', 'policy_id', 'trigger', 'execution_id', 'entity_id', 'from'],
  grows: { policy_id: [1, 2, 999], execution_id: ['exe_0000007', '-'], entity_id: ['7', '-'] },
}

const support_requests: ListSampler<SupportRequest> = {
  add: (msp, numbers) =>
    addSupportRequests(
      msp,
      numbers.map((n) => ({
        id: `sup_${String(n).padStart(4, '0')}`,
        status: at(['OPEN', 'CLOSED', 'CLOSED'] as const, n),
        summary: at(['Größe 9', 'a_b%'], n),
        created_at: instant(n),
      })),
    ),
  rows: ({ database: { prisma }, tenant_id }) => prisma.supportRequest.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.supportRequest.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    status: isEqual('status', ['OPEN', ['OPEN', 'CLOSED']]),
    search: isIn((row) => [row.reference, row.summary], ['größe', '_B%', 'sr-', 'nothing']),
    from: {
      values: [instant(4).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [instant(9).toISOString()],
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
  steady: 'people write each by hand',
}

const policy_id = from('escalation_policies', 'id')
const event_id = from('escalation_events', 'id')

/** The first policy, which tells a technician. */
async function addPolicy({ msp, call }: EventScene): Promise<void> {
  await installQueues()
  await addTechnicians(msp, [{ id: 1, psa_id: 1 }])
  await call('create_escalation_policy', {
    input: {
      name: 'Failures',
      triggers: ['EXECUTION_FAILED'],
      steps: [{ target_type: 'TECHNICIANS', target_ids: ['1'] }],
    },
  })
}

/** An execution fails, which opens an escalation. Its id. */
async function fail({ msp, ...scene }: EventScene): Promise<string> {
  await addPolicy({ msp, ...scene })
  const { tenant_id, database } = msp
  await addAgents(msp, [{ id: 1 }])
  await addFailing(msp, [{ execution_id: 'exe_1', entity_id: '4711', entity_number: 'T-4711' }])
  await failAll(msp)
  await escalate(msp)
  const [escalation] = await database.prisma.escalationEvent.findMany({ where: { tenant_id } })
  return escalation?.id ?? ''
}

export const SUITES: AreaSuites = {
  who_may: {
    escalation_policies: { scope: 'escalation:read' },
    escalation_policy: { scope: 'escalation:read' },
    escalation_events: { scope: 'escalation:read' },
    escalation_event: { scope: 'escalation:read' },
    create_escalation_policy: { scope: 'escalation:write' },
    update_escalation_policy: { scope: 'escalation:write' },
    delete_escalation_policy: { scope: 'escalation:write' },
    acknowledge_escalation: { scope: 'escalation:read' },
    resolve_escalation: { scope: 'escalation:read' },
    support_requests: { scope: 'escalation:read' },
    support_request: { scope: 'escalation:read' },
    create_support_request: { scope: 'escalation:write' },
  },
  examples: {
    reads: {
      escalation_policies: { page_size },
      escalation_policy: { policy_id },
      escalation_events: { status: ['OPEN'], page_size },
      escalation_event: { event_id },
      support_requests: { page_size },
      support_request: { support_request_id: from('support_requests', 'id') },
    },
    writes: {
      create_escalation_policy: {
        input: {
          name: 'Stalled tickets',
          triggers: ['TICKET_STALLED'],
          stalled_minutes: 240,
          stalled_statuses: ['Waiting on vendor'],
          steps: [{ target_type: 'TECHNICIANS', target_ids: ['1'], notify_via: ['INBOX', 'EMAIL'] }],
        },
      },
      update_escalation_policy: {
        policy_id,
        input: { stalled_minutes: 1440, respect_business_hours: false },
      },
      delete_escalation_policy: { policy_id },
      create_support_request: {
        input: {
          summary: 'Runs of the backup agent fail',
          details: 'Since this morning every third run of the backup agent fails after about a minute.',
          execution_id: from('escalation_events', 'execution_id'),
        },
      },
      acknowledge_escalation: { event_id },
      resolve_escalation: {
        event_id,
        input: { comment: 'The licence is renewed, and the mailbox works again.' },
      },
    },
  },
  // The argument `event_id` names events of the feed too: theirs is the same id.
  async own_rows(msp, { id, id_number, mark, of }) {
    const { agent_id, execution_id } = { ...(await of('agents')), ...(await of('executions')) }
    const { event_id } = await of('events')
    await addPolicies(msp, [{ id: id_number, name: mark }])
    const texts = { policy_name: mark, reason: mark, comment: mark, subject: `TICKET/${mark}` }
    await addEscalations(msp, [
      {
        id: String(event_id),
        policy_id: id_number,
        agent_id: Number(agent_id),
        execution_id: String(execution_id),
        ...texts,
      },
    ])
    const support_request_id = `sup_${id}`
    await addSupportRequests(msp, [{ id: support_request_id, summary: mark, created_by_name: mark }])
    return { policy_id: id_number, support_request_id }
  },
  events: {
    'escalation.opened': fail,
    'escalation.notified': fail,
    async 'escalation.acknowledged'(scene) {
      await scene.call('acknowledge_escalation', { event_id: await fail(scene) })
    },
    async 'escalation.resolved'(scene) {
      await scene.call('resolve_escalation', { event_id: await fail(scene), input: { comment: 'Done.' } })
    },
  },
  lists: { escalation_policies, escalation_events, support_requests },
  skewed_rows: {
    escalation_event: {
      id: `'esc_' || lpad(n::text, 7, '0')`,
      policy_id: mostly('1', '2'),
      policy_name: `'Policy'`,
      trigger: ofEnum('escalation_trigger', 'EXECUTION_FAILED'),
      status: ofEnum('escalation_event_status', 'RESOLVED', 2),
      steps: `'[]'::jsonb`,
      respect_business_hours: 'false',
      agent_id: agent,
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      entity_id: `(n % 50000)::text`,
      subject: `'TICKET/' || n`,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  channel_writes: {
    create_escalation_policy: 'runs at once',
    update_escalation_policy: 'runs at once',
    delete_escalation_policy: 'runs at once',
    acknowledge_escalation: 'runs at once',
    resolve_escalation: 'runs at once',
    create_support_request: 'runs at once',
  },
  fetched_again: {
    create_escalation_policy: ['escalation_policies'],
    delete_escalation_policy: ['escalation_policies'],
    create_support_request: ['support_requests'],
  },
  sent_back: {
    update_escalation_policy: {
      bodies: (_msp, { ids }) =>
        some({
          name: text,
          enabled: fc.boolean(),
          agent_ids: fc.constantFrom([], [Number(ids.agent_id)]),
          triggers: fc.constantFrom(['AGENT_GAVE_UP'], ['EXECUTION_FAILED', 'TIL_REQUEST_EXPIRED']),
          ticket_change: fc.constantFrom(null, { status: 'Open', queue: null, remove_assignee: false }),
          respect_business_hours: fc.boolean(),
        }),
    },
  },
  foreign_tables: {
    live_event: 'escalations follow the events of the feed',
  },
  single_rows: {
    'escalation.stalled_policies': 'it reads the policies of all tenants',
    'escalation.support_request_by_reference': 'the operator names no tenant',
    'escalation.present': 'it is found by its id, or else by its subject, in one statement',
  },
  error_codes: {
    404: 'escalation_policy_not_found escalation_event_not_found support_request_not_found',
    409: 'default_policy_required already_acknowledged escalation_event_closed support_not_configured',
  },
}
