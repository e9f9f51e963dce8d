/** Rows that are no longer kept. */
import { addAgents } from '../../setup/agents.ts'
import { addActivities, addEntries } from '../../setup/audit-log.ts'
import { addCallbacks, addCalls } from '../../setup/callbacks.ts'
import { addChannels, addMessages } from '../../setup/channels.ts'
import { addMessages as addComms } from '../../setup/comms.ts'
import { addEscalations } from '../../setup/escalations.ts'
import { addItems } from '../../setup/inbox.ts'
import { addMemories } from '../../setup/memories.ts'
import { addEvents, addRuns, addTilRequests } from '../../setup/til-requests.ts'
import { addDeliveries } from '../../setup/webhook-rows.ts'
import type { Msp } from '../../setup/world.ts'
import { addRun, addSync, ago, at, DAY, LONG_AGO, type Rows } from './rows.ts'

const CALL = {
  tool_name: 'ticket.read',
  arguments: { ticket_id: '1' },
  arguments_hash: 'x',
  result: { a: 1 },
}

/** An execution with all that hangs off it, and a younger one that is another attempt at it. */
async function addWholeRun(msp: Msp, id: number, ended: Date): Promise<void> {
  const execution_id = await addRun(msp, id, { created_at: ended, finished_at: ended })
  const { prisma } = msp.database
  const temporal_run_id = `run_${execution_id}_1`
  const of = { ...at(msp), execution_id, temporal_run_id, sequence: 1 }
  await addTilRequests(msp, [
    { id: `til_${id}`, execution_id, agent_id: id, status: 'APPROVED', closed_at: ended, created_at: ended },
  ])
  await addRuns(msp, [
    { execution_id, sequence: 1 },
    { execution_id, sequence: 2, resumed_by_til_request_id: `til_${id}` },
  ])
  await addEvents(msp, [{ execution_id, sequence: 1, til_request_id: `til_${id}` }])
  await prisma.storedToolCall.create({ data: { ...of, ...CALL, id: `call_${id}`, status: 'SUCCEEDED' } })
  await prisma.executionTurn.create({ data: { ...of, calls: [], ended: 'DONE', created_at: ended } })
  const work = { arrived_at: ended, agent_name: 'A', autonomy_type: 'AGENTIC', entity_type: 'NONE' } as const
  const config = { agent_settings: {}, actions: [], toolbox: {}, integrations: {} }
  await prisma.executionWork.create({ data: { ...at(msp), execution_id, ...work, ...config } })
  await addRun(msp, id + 1, { created_at: ago(1), finished_at: ago(1), retry_of_execution_id: execution_id })
}

const REST = [
  'execution_run',
  'execution_turn',
  'execution_work',
  'timeline_event',
  'tool_call',
  'til_request',
]

export const RETENTION: Record<string, Rows> = {
  'executions.delete_old': {
    store: (msp) => addWholeRun(msp, 100, ago(402)),
    todo: ['execution', ...REST]
      .map((table) => `select 1 from ${table} where environment = $1 and execution_id = 'exe_100'`)
      .join(' union all '),
  },
  'executions.forget_calls': {
    store: (msp) => addWholeRun(msp, 110, ago(31)),
    todo: `select 1 from tool_call where environment = $1 and id = 'call_110'
      and (arguments <> '{}' or result is not null)`,
  },
  'til-requests.delete_old': {
    store: (msp) =>
      addTilRequests(msp, [
        { id: 'til_old', kind: 'API_REQUEST', status: 'REJECTED', closed_at: ago(401), created_at: ago(402) },
      ]),
    todo: `select 1 from til_request where environment = $1 and id = 'til_old'`,
  },
  'callbacks.delete_old_versions': {
    async store(msp) {
      await msp.database.prisma.callbackEntity.create({
        data: {
          ...at(msp),
          entity: 'TICKET/old',
          version: {},
          is_announced: true,
          callback_id: 'old',
          source: 'POLL',
          seen_at: ago(181),
        },
      })
    },
    todo: `select 1 from callback_entity where environment = $1 and entity = 'TICKET/old'`,
  },
  'billing.delete_old_questions': {
    store: (msp) =>
      msp.database.prisma.modelQuestion.createMany({
        data: [ago(402), ago(399)].map((asked_at, n) => ({ ...at(msp), id: `mqu_${n}`, at: asked_at })),
      }),
    todo: `select 1 from model_question where environment = $1 and id = 'mqu_0'`,
  },
  'integrations.delete_old_syncs': {
    store: (msp) => addSync(msp, 'old', ago(91), 'SUCCEEDED'),
    todo: `select 1 from integration_sync where environment = $1 and id = 'old'`,
  },
  'channels.delete_old_messages': {
    async store(msp) {
      await addAgents(msp, [{ id: 120, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE' }])
      await addChannels(msp, [{ id: 'chn_old', agent_id: 120, workspace_id: 'old' }])
      await addMessages(msp, [{ id: 'old', channel_id: 'chn_old', created_at: LONG_AGO }])
    },
    todo: `select 1 from channel_message where environment = $1 and id = 'old'`,
  },
  'channels.delete_old_conversations': {
    async store(msp) {
      await addAgents(msp, [{ id: 121, autonomy_type: 'CONVERSATIONAL', entity_type: 'NONE' }])
      await addChannels(msp, [{ id: 'chn_silent', agent_id: 121, workspace_id: 'silent' }])
      const conversations = ['silent', 'alive'].map((id) => ({
        id,
        channel_id: 'chn_silent',
        created_at: LONG_AGO,
      }))
      await msp.database.prisma.channelConversation.createMany({
        data: conversations.map((one) => ({ ...at(msp), ...one })),
      })
      await addMessages(msp, [{ id: 'new', channel_id: 'chn_silent', conversation_id: 'alive' }])
    },
    todo: `select 1 from channel_conversation where environment = $1 and id = 'silent'
      union all select 1 from channel_message where environment = $1 and id = 'new' having count(*) = 0`,
  },
  'webhooks.delete_old_deliveries': {
    store: (msp) =>
      addDeliveries(msp, [
        { id: 'whd_old', endpoint_id: 'whe_old', event_id: 'evt_old', created_at: ago(31) },
      ]),
    todo: `select 1 from webhook_delivery where environment = $1 and id = 'whd_old'`,
  },
  'inbox.delete_old_items': {
    async store(msp) {
      const user = { id: 'usr_inbox', subject: 'inbox', name: 'User', email: 'inbox@test.example' }
      const times = { created_at: LONG_AGO, updated_at: LONG_AGO }
      await msp.database.prisma.tenantUser.create({ data: { ...at(msp), ...user, ...times, role: 'USER' } })
      await addItems(msp, [{ id: 'inb_old', user_id: user.id, last_at: LONG_AGO }])
    },
    todo: `select 1 from inbox_item where environment = $1 and id = 'inb_old'`,
  },
  'escalation.delete_old_events': {
    store: (msp) => addEscalations(msp, [{ id: 'esc_old', created_at: LONG_AGO }]),
    todo: `select 1 from escalation_event where environment = $1 and id = 'esc_old'`,
  },
  'comms.delete_old_messages': {
    store: (msp) => addComms(msp, [{ id: 'cms_aged', created_at: LONG_AGO }]),
    todo: `select 1 from comms_message where environment = $1 and id = 'cms_aged'`,
  },
  'callbacks.delete_old': {
    store: (msp) => addCallbacks(msp, [{ id: 'old', received_at: ago(31) }]),
    todo: `select 1 from callback where environment = $1 and id = 'old'`,
  },
  'observability.delete_old_calls': {
    store: (msp) => addCalls(msp, [{ at: ago(31) }]),
    todo: `select 1 from upstream_call where environment = $1 and at < now() - interval '30 days'`,
  },
  'audit-log.delete_old_activities': {
    store: (msp) => addActivities(msp, [{ id: 'old', occurred_at: LONG_AGO }]),
    todo: `select 1 from activity_entry where environment = $1 and id = 'old'`,
  },
  'audit-log.delete_old_calls': {
    async store(msp) {
      const occurred_at = ago(40)
      const day = occurred_at.toISOString().slice(0, 10)
      const execution_id = await addRun(msp, 130, { created_at: occurred_at })
      const link = { hash: 'h', previous_hash: 'p', chain_day: new Date(day), chain_position: 1 }
      await addEntries(msp, [{ id: 'old', agent_id: 130, execution_id, occurred_at, ...link }])
      await msp.database.prisma.auditDay.create({
        data: { ...at(msp), day: new Date(day), entries: 1, last_hash: 'h' },
      })
    },
    todo: `select 1 from audit_entry where environment = $1 and id = 'old'
      union all select 1 from audit_day where environment = $1 and deleted_at is null`,
  },
  'memories.purge': {
    store: (msp) => addMemories(msp, [{ id: 'gone', state: 'DELETED', deleted_at: ago(31) }]),
    todo: `select 1 from agent_memory where environment = $1 and id = 'gone'`,
  },
  'tools.delete_old_results': {
    async store(msp) {
      const result = { ...at(msp), call_id: 'call_old', text: '{}', created_at: ago(31) }
      await msp.database.prisma.toolResult.create({ data: result })
    },
    todo: `select 1 from tool_result where environment = $1 and call_id = 'call_old'`,
  },
  'gateway.delete_old_live_events': {
    async store(msp) {
      const event = { kind: 'EXECUTION', transaction_id: 1, entity_id: 'of_old_event', at: LONG_AGO } as const
      await msp.database.prisma.liveEvent.create({ data: { ...at(msp), ...event } })
    },
    todo: `select 1 from live_event where environment = $1 and entity_id = 'of_old_event'`,
  },
  'gateway.delete_old_events': {
    async store(msp) {
      const event = {
        type: 'agent.updated',
        event_id: 'evt_old',
        transaction_id: 1,
        entity_id: 'of_old_event',
      }
      await msp.database.prisma.liveEvent.create({ data: { ...at(msp), ...event, data: {}, at: ago(31) } })
    },
    todo: `select 1 from live_event where environment = $1 and event_id = 'evt_old'`,
  },
  'gateway.delete_lost_live_followers': {
    async store(msp) {
      await msp.database.prisma.liveFollower.create({ data: { ...at(msp), id: 'lost', expires_at: ago(2) } })
    },
    todo: 'select 1 from live_follower where environment = $1',
  },
  'gateway.sweep_kept_answers': {
    async store(msp) {
      const record = { credential_id: 'k', operation: 'x', fingerprint: 'x', request_id: 'x', key: 'old' }
      await msp.database.prisma.idempotencyRecord.create({
        data: { ...at(msp), ...record, created_at: ago(2), status: 200 },
      })
    },
    todo: 'select 1 from idempotency_record where environment = $1',
  },
  'gateway.sweep_rate_limits': {
    async store({ environment, database }) {
      const bucket = { tokens: 1, burst_tokens: 1, granted: 1, refilled_at: new Date(Date.now() - DAY) }
      await database.prisma.rateBucket.create({ data: { key: `service_key:${environment}`, ...bucket } })
    },
    todo: `select 1 from rate_bucket where key = 'service_key:' || $1`,
    everywhere: true,
  },
  'end-users.sweep_calls': {
    async store({ environment, database }) {
      const caller = { environment, workplace_tenant_id: 'wt', workplace_user_id: 'wu' }
      await database.prisma.chatTabCalls.create({
        data: { ...caller, calls: [ago(1)], allowed: true, last_at: ago(1) },
      })
    },
    todo: 'select 1 from chat_tab_calls where environment = $1',
  },
}
