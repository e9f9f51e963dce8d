/** A job that is given up leaves nothing behind that waits for it. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { renewWebhooksHourly } from '../../src/areas/integrations/jobs.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { contextOf, giveUp, type StoredAttempt } from '../../src/jobs/attempt.ts'
import { createBoss } from '../../src/jobs/boss.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import type { Msp } from '../setup/world.ts'
import { COMMS } from './rows/comms.ts'
import { CONNECTIONS } from './rows/connections.ts'
import { DISPATCH } from './rows/dispatch.ts'
import { ESCALATIONS } from './rows/escalations.ts'
import { INBOXES } from './rows/inboxes.ts'
import { MAILS } from './rows/mails.ts'
import { RMM_SCRIPTS } from './rows/rmm-scripts.ts'
import { LONG_AGO } from './rows/rows.ts'
import { WORK } from './rows/work.ts'
import { type JobService, jobService, TENANCY } from './service.ts'

const ROWS = {
  ...WORK,
  ...CONNECTIONS,
  ...INBOXES,
  ...MAILS,
  ...ESCALATIONS,
  ...DISPATCH,
  ...RMM_SCRIPTS,
  ...COMMS,
}

/** By job: finds the row of the job once it has ended. */
const ENDED: Record<string, string> = {
  'executions.run': `select 1 from execution where execution_id = 'exe_1' and status = 'FAILED'
    and failure_kind = 'PLATFORM' and error like 'worker_lost: %'`,
  'channels.answer': `select 1 from channel_message where id = 'asked' and status = 'FAILED' and error_code = 'internal_error'`,
  'channels.send': `select 1 from channel_message where id = 'answer' and status = 'FAILED' and error_code = 'internal_error'`,
  'callbacks.process': `select 1 from callback where id = 'queued' and status = 'FAILED' and error like 'PLATFORM: %'`,
  'callbacks.process_group': `select 1 from callback where id = 'grouped' and status = 'FAILED' and error like 'PLATFORM: %'`,
  'integrations.read_page': `select 1 from integration_sync s join integration_connection c using (tenant_id, environment, name)
    where s.id = 'read' and s.status = 'FAILED' and s.error = 'The service itself failed.' and s.finished_at is not null
      and c.last_sync_status = 'FAILED'`,
  'integrations.register_webhooks': `select 1 from integration_connection where connected and health_message is not null`,
  'integrations.remove_webhooks': `select 1 where not exists (select from webhook_removal where id = 'whr_now')`,
  'inbox.mail_item': `select 1 from inbox_item where id like 'inb_mail_%' and last_mailed_at is not null and mail_began_at is null`,
  'escalation.take_step': `select 1 from escalation_event where id = 'esc_step' and current_step = 1 and status = 'OPEN'`,
  'escalation.send_mail': `select 1 from escalation_notification where event_id = 'esc_mail' and error_code = 'internal_error'`,
  'dispatch.assign': `select 1 from dispatch_decision where id = 'dsp_assign' and status = 'SUGGESTED' and not is_automatic`,
  'rmm-scripts.work': `select 1 from rmm_script_run where id = 'rsr_work' and status = 'FAILED' and error_code = 'internal_error'`,
  'comms.send_mail': `select 1 from comms_message where id = 'cms_mail' and status = 'FAILED' and error = 'internal_error'`,
  'comms.add_note': `select 1 from comms_message where id = 'cms_note' and status = 'FAILED' and error = 'internal_error'`,
  'callbacks.poll': 'select 1 from psa_poll where due_at > now() and leased_until is null',
}

/** Jobs of tenants that no row waits for, or whose row ends by itself once they are lost. */
const WITHOUT_END: Record<string, string> = {
  'agents.run_occurrence': 'the next occurrence comes by itself',
  'scheduled-work.start': 'an entry counts its own lost starts',
  'dispatch.decide': 'people dispatch the ticket, and can still have a preview of it',
  'company-links.resolve': 'a sync resolves links again',
  'escalation.change_ticket': 'the escalation goes on, and says that its ticket was not changed',
  'escalation.find_stalled': 'another job looks again within two minutes',
  'escalation.mail_support_request': 'the operator retries the dead letter',
  'webhooks.send': 'a loop enqueues another one for what is due',
  'webhooks.send_slowly': 'a loop enqueues another one for what is due',
}

const name = 'connectwise-psa'

let made: JobService

beforeAll(async () => {
  made = await jobService(JOBS, {
    env: {
      PUBLIC_URL: 'https://automation.example',
      ALLOW_PRIVATE_ADDRESSES: 'true',
    },
  })
  const { prisma } = made.database
  const tenant = { name: 'Jobs', psa_type: 'HALO_PSA', data_residency: 'EU', referral_code: 'j' } as const
  await prisma.tenant.create({ data: { id: TENANCY.tenant_id, ...tenant, created_at: LONG_AGO } })
  const row = { ...TENANCY, name, connected: true, updated_at: LONG_AGO }
  await prisma.integrationConnection.create({ data: row })
})
afterAll(() => made.app.close(1000))

async function storedRow(job_name: string) {
  const job = JOBS.find((one) => one.name === job_name)
  const rows = ROWS[job_name]
  if (!job || !rows) throw new Error(`There is no job, or no row, of ${job_name}`)
  return { job, payload: await rows.store({ ...TENANCY, database: made.database } as Msp) }
}

test.each(Object.entries(ENDED))('%s', async (job_name, ended) => {
  const { job, payload } = await storedRow(job_name)
  expect(await made.rows(ended)).toEqual([])
  const { signal } = new AbortController()
  const stored: StoredAttempt = {
    id: randomUUID(),
    retryCount: 3,
    lost: 3,
    signal,
    data: { tenancy: TENANCY, payload },
  }
  const ctx = contextOf(made.app.services, undefined as never, job, stored)
  await inTransaction(ctx, 60_000, async () => await job.onGivenUp?.(ctx, job.payload.parse(payload)))
  expect(await made.rows(ended)).toHaveLength(1)
})

test('every job of a tenant has its end, or needs none', () => {
  const ofTenants = JOBS.filter(({ tenancy }) => tenancy === 'tenant')
  const withEnd = ofTenants.filter(({ onGivenUp }) => onGivenUp)
  expect(withEnd.map((job) => job.name).toSorted()).toEqual(Object.keys(ENDED).toSorted())
  const others = ofTenants.filter(({ onGivenUp }) => !onGivenUp)
  expect(others.map((job) => job.name).toSorted()).toEqual(Object.keys(WITHOUT_END).toSorted())
})

/** Stores the row of the job. Each call makes a job of it a dead letter, as a worker does after three lost ones. */
async function repeatedly(job_name: string): Promise<() => Promise<void>> {
  const { job, payload } = await storedRow(job_name)
  const boss = await createBoss({ database: made.database, migrate: false, works: false })
  await boss.start()
  onTestFinished(async () => {
    await boss.stop({ graceful: false })
    await made.rows("delete from pgboss.job where name = 'dead_letters'")
  })
  return async () => {
    const id = await made.call((ctx) => enqueue(ctx, job, payload))
    await made.rows(
      "update pgboss.job set state = 'active', started_on = now(), retry_count = 3 where id = $1::uuid",
      [id],
    )
    const { signal } = new AbortController()
    const stored = { id, retryCount: 3, lost: 3, signal, data: { tenancy: TENANCY, payload } }
    await giveUp(job, contextOf(made.app.services, boss, job, stored), boss, stored)
  }
}

test('a registration of webhooks that is given up is tried again after a day', async () => {
  const giveUpNext = await repeatedly('integrations.register_webhooks')
  const renew = async () => {
    const { services } = made.app
    const request = { id: 'renew', ip: null, user_agent: null }
    await renewWebhooksHourly.handler({ services, now: services.now(), request } as never, {})
    return await made.rows(
      "select 1 from pgboss.job where name = 'integrations.register_webhooks' and state < 'active'",
    )
  }
  await giveUpNext()
  expect(await renew()).toEqual([])
  await made.rows(
    "update pgboss.job set created_on = created_on - interval '1 day' where name = 'dead_letters'",
  )
  expect(await renew()).toHaveLength(1)
})

test('a poll that is given up is made again after an hour, and then once a day', async () => {
  const giveUpNext = await repeatedly('callbacks.poll')
  const hours = async () => {
    await giveUpNext()
    const [row] = await made.rows<{ hours: number }>(
      'select round(extract(epoch from due_at - now()) / 3600)::int as hours from psa_poll',
    )
    return row?.hours
  }
  expect([await hours(), await hours(), await hours()]).toEqual([1, 24, 24])
})
