/** Rows of work that waits for a job or a loop. */
import { addAgents } from '../../setup/agents.ts'
import { addEntries } from '../../setup/audit-log.ts'
import { addCallbacks } from '../../setup/callbacks.ts'
import { addChannels, addMessages } from '../../setup/channels.ts'
import { addScheduledWork } from '../../setup/scheduled-work.ts'
import { addTilRequests } from '../../setup/til-requests.ts'
import type { Msp } from '../../setup/world.ts'
import { addRun, addSync, ago, at, LONG_AGO, type Rows } from './rows.ts'

const HOURLY = { schedule: { cron: '0 * * * *', timezone: 'UTC' }, entity_type: 'NONE' as const }
const SCHEDULED = { ...HOURLY, trigger_type: 'SCHEDULED' as const }

const ACCEPTED = { status: 'NEW', finished_at: null, request_id: 'request', created_at: ago(1) } as const

async function addChat(msp: Msp, id: number): Promise<string> {
  const channel_id = `chn_${id}`
  await addAgents(msp, [{ id, autonomy_type: 'CONVERSATIONAL', trigger_type: 'CHAT', entity_type: 'NONE' }])
  await addChannels(msp, [{ id: channel_id, agent_id: id, workspace_id: channel_id, transport: 'SLACK' }])
  return channel_id
}

const isPending = (id: string) =>
  `select 1 from channel_message where environment = $1 and id = '${id}' and status = 'PENDING'`

export const WORK: Record<string, Rows> = {
  'audit-log.anchor_days': {
    async store(msp) {
      const over = { ...at(msp), day: ago(3), entries: 0, last_hash: 'end' }
      await msp.database.prisma.auditDay.create({ data: over })
    },
    todo: `select 1 from audit_day where environment = $1 and last_hash = 'end' and anchored_at is null`,
  },
  'database.analyze': {
    // The tenant's row is in a table that nobody has analyzed.
    store: async () => {},
    todo: `select 1 from pg_class where oid = 'tenant'::regclass and reltuples < 0 and $1 <> ''`,
    everywhere: true,
  },
  'api-keys.expiring': {
    async store(msp) {
      const name = `expiring ${msp.environment}`
      const key = { id: 'key_expiring', name, key_hash: Buffer.from(name), prefix: 'p', last_four: '0000' }
      const by = { created_by_user_id: 'usr_1', created_by_name: 'Owner' }
      const times = { created_at: ago(1), updated_at: ago(1), expires_at: ago(-2) }
      await msp.database.prisma.apiKey.create({ data: { ...at(msp), ...key, ...by, ...times } })
    },
    todo: `select 1 from api_key k where environment = $1 and id = 'key_expiring' and not exists (
      select from live_event e where e.environment = $1 and e.type = 'api_key.expiring' and e.entity_id = k.id)`,
  },
  'billing.reach_thresholds': {
    async store(msp) {
      const question = { ...at(msp), id: 'mqu_900', at: new Date(), credits: 900 }
      await msp.database.prisma.modelQuestion.create({ data: question })
    },
    todo: `select 1 from model_question where environment = $1 and id = 'mqu_900' and not exists (
      select from live_event e where e.environment = $1 and e.type = 'billing.threshold_reached')`,
  },
  'executions.run': {
    store: async (msp) => ({ execution_id: await addRun(msp, 1, ACCEPTED) }),
    todo: `select 1 from execution where environment = $1 and execution_id = 'exe_1' and status = 'NEW'`,
  },
  'executions.sweep': {
    store: async (msp) => void (await addRun(msp, 2, { ...ACCEPTED, updated_at: ago(1) })),
    todo: `select 1 from execution e where e.environment = $1 and e.execution_id = 'exe_2' and not exists (
      select from pgboss.job where data -> 'tenancy' ->> 'environment' = e.environment
        and data -> 'payload' ->> 'execution_id' = e.execution_id)`,
  },
  'agents.run_occurrence': {
    async store(msp) {
      await addAgents(msp, [{ ...SCHEDULED, id: 3 }])
      return { agent_id: 3, occurrence_at: ago(0).toISOString(), since: ago(1).toISOString() }
    },
    todo: `select 1 from agent a where a.environment = $1 and a.id = 3 and not exists (
      select from execution e where e.environment = a.environment and e.agent_id = a.id)`,
  },
  'channels.answer': {
    async store(msp) {
      const channel_id = await addChat(msp, 4)
      await addMessages(msp, [{ id: 'asked', channel_id, status: 'PENDING' }])
      return { message_id: 'asked' }
    },
    todo: isPending('asked'),
  },
  'channels.send': {
    async store(msp) {
      const channel_id = await addChat(msp, 5)
      await addMessages(msp, [{ id: 'question', channel_id }])
      const answer = { author: 'AGENT', status: 'PENDING', reply_to_message_id: 'question' } as const
      await addMessages(msp, [{ id: 'answer', channel_id, ...answer }])
      return { message_id: 'answer' }
    },
    todo: isPending('answer'),
  },
  'rollups.fold': {
    async store(msp) {
      await addAgents(msp, [{ id: 6 }])
      const day = { ...at(msp), agent_id: 6, day: new Date('2026-01-01'), credits_consumed: 1 }
      await msp.database.prisma.executionDaily.createMany({ data: [day, day] })
    },
    todo: `select 1 from execution_daily where environment = $1 and agent_id = 6
      group by agent_id having count(*) > 1`,
    everywhere: true,
  },
  'rollups.check': {
    async store(msp) {
      await addAgents(msp, [{ id: 7 }])
      const day = { ...at(msp), agent_id: 7, day: new Date('2026-01-01'), total_executions: 7 }
      await msp.database.prisma.executionDaily.create({ data: day })
    },
    todo: 'select 1 from execution_daily where environment = $1 and agent_id = 7 and total_executions <> 0',
    everywhere: true,
  },
  'audit-log.close_chains': {
    async store(msp) {
      const execution_id = await addRun(msp, 8, { created_at: ago(1) })
      await addEntries(msp, [{ id: 'unclosed', agent_id: 8, execution_id, occurred_at: ago(1) }])
    },
    todo: `select 1 from audit_entry where environment = $1 and id = 'unclosed' and hash is null`,
  },
  'callbacks.process': {
    async store(msp) {
      await addCallbacks(msp, [{ id: 'queued', status: 'QUEUED', entity_id: 'nothing', looks: 4 }])
      return { callback_id: 'queued' }
    },
    todo: `select 1 from callback where environment = $1 and id = 'queued' and status = 'QUEUED'`,
  },
  'callbacks.process_group': {
    async store(msp) {
      await addCallbacks(msp, [{ id: 'grouped', status: 'PROCESSING', entity_id: 'nothing' }])
      return { callback_ids: ['grouped'], prepaid: null }
    },
    todo: `select 1 from callback where environment = $1 and id = 'grouped' and status = 'PROCESSING'`,
  },
  'callbacks.admit': {
    async store(msp) {
      await addCallbacks(msp, [
        { id: 'waiting', status: 'QUEUED', entity_id: 'else', waits_since: ago(1), waits_for: 'QUEUE' },
      ])
      await msp.database.prisma.callbackGate.create({
        data: {
          tenant_id: msp.tenant_id,
          environment: msp.environment,
          opens_at: ago(1),
          short_since: ago(1),
        },
      })
    },
    todo: `select 1 from callback where environment = $1 and id = 'waiting' and status = 'QUEUED'`,
  },
  'callbacks.sweep': {
    store: (msp) => addCallbacks(msp, [{ id: 'lost', status: 'QUEUED', has_job: true, received_at: ago(1) }]),
    todo: `select 1 from callback c where c.environment = $1 and c.id = 'lost' and not exists (
      select from pgboss.job j where j.data -> 'payload' ->> 'callback_id' = c.id
        and j.data -> 'tenancy' ->> 'environment' = c.environment)`,
  },
  'integrations.read_page': {
    async store(msp) {
      await addSync(msp, 'read', new Date())
      return { sync_id: 'read', stage: 0, after: null }
    },
    todo: `select 1 from integration_sync where environment = $1 and id = 'read' and status = 'QUEUED'`,
  },
  'company-links.resolve': {
    async store(msp) {
      const customer = { ...at(msp), system: 'HUDU', external_id: 'customer', name: 'Customer' }
      const stamps = { last_synced_at: ago(1), created_at: ago(1), updated_at: ago(1) }
      await msp.database.prisma.integrationCustomer.create({ data: { ...customer, ...stamps } })
      return { after: null }
    },
    todo: `select 1 from integration_customer c where c.environment = $1 and not exists (
      select from company_link l where l.environment = c.environment and l.external_id = c.external_id)`,
  },
  'integrations.fail_stalled_syncs': {
    store: (msp) => addSync(msp, 'stalled', ago(1)),
    todo: `select 1 from integration_sync where environment = $1 and id = 'stalled' and status = 'QUEUED'`,
  },
  'scheduled-work.start': {
    async store(msp) {
      await addAgents(msp, [{ id: 11 }])
      await addScheduledWork(msp, [{ workflow_id: 11, scheduled_for: ago(1), held_until: ago(-1) }])
      const { id: entry_id } = await msp.database.prisma.scheduledWork.findFirstOrThrow({
        where: { ...at(msp), workflow_id: 11 },
      })
      return { entry_id, attempt: 0 }
    },
    todo: `select 1 from scheduled_work where environment = $1 and workflow_id = 11 and status = 'PENDING'`,
  },
  'scheduled-work.queue': {
    async store(msp) {
      await addAgents(msp, [{ id: 9 }])
      await addScheduledWork(msp, [{ workflow_id: 9, scheduled_for: ago(1) }])
    },
    todo: `select 1 from scheduled_work where environment = $1 and workflow_id = 9 and held_until is null`,
  },
  'agents.schedule': {
    async store(msp) {
      await addAgents(msp, [{ ...SCHEDULED, id: 10 }])
      await msp.database.prisma.agentSchedule.updateMany({
        where: { ...at(msp), agent_id: 10 },
        data: { since: ago(1), next_at: ago(0.5) },
      })
    },
    todo: 'select 1 from agent_schedule where environment = $1 and agent_id = 10 and next_at < now()',
  },
  'events.take_over': {
    async store(msp) {
      const event = {
        type: 'settings.updated',
        event_id: 'evt_raised',
        transaction_id: 1,
        entity_id: 'settings',
      }
      await msp.database.prisma.liveEvent.create({ data: { ...at(msp), ...event, data: {}, at: new Date() } })
    },
    todo: `select 1 from live_event where environment = $1 and event_id = 'evt_raised' and sequence is null`,
  },
  'skills.give_built_in': {
    async store(msp) {
      const skill = { id: 'skl_built_in_ticket_triage', slug: 'ticket-triage', name: '', description: '' }
      const times = { created_at: LONG_AGO, updated_at: LONG_AGO }
      const built_in = { files: [], source: 'BUILT_IN', version: 0, created_by_name: '' } as const
      await msp.database.prisma.skill.create({ data: { ...at(msp), ...skill, ...times, ...built_in } })
    },
    todo: `select 1 from skill where environment = $1 and id = 'skl_built_in_ticket_triage' and version = 0`,
  },
  'til-requests.expire': {
    async store(msp) {
      const request = { kind: 'API_REQUEST', expires_at: ago(1), created_at: ago(2) } as const
      await addTilRequests(msp, [{ id: 'til_late', ...request }])
    },
    todo: `select 1 from til_request where environment = $1 and id = 'til_late' and status = 'PENDING'`,
  },
}
