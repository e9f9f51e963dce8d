/** Mails while workers are killed: each is sent once. */
import { expect, onTestFinished, test } from 'vitest'
import { SEND_MAIL as SEND_COMMS_MAIL } from '../../src/areas/comms/declared.ts'
import { followTenant } from '../../src/areas/inbox/follow.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { addAgents } from '../setup/agents.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { startApp } from '../setup/app.ts'
import { addOutbound, messagesOf } from '../setup/comms-writing.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { enqueueFor, MAIL_FROM, notificationsOf, openMailing } from '../setup/escalation-mails.ts'
import { addEvents } from '../setup/events.ts'
import { failure, itemsOf, prefer } from '../setup/inboxes.ts'
import { addPsaTechnicians } from '../setup/psa.ts'
import { startMailServer } from '../setup/smtp.ts'
import { SUPPORT_EMAIL } from '../setup/support.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { until } from '../setup/until.ts'
import { world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

const SENT_MS = 240_000

/** The moments at which the worker is killed: the server has nothing, has the mail, or has answered that it has the mail. */
const MOMENTS = ['BEFORE_CONTENT', 'BEFORE_ANSWER', 'AFTER_ANSWER'] as const

/** A tenant, and a worker that is killed at the moment, once; another worker takes its place. */
async function killedAt(moment: (typeof MOMENTS)[number]) {
  const url = (await cloneUrl()) ?? ''
  const database = await openTestDatabase(url)
  await installJobs(database, 'test', JOBS)
  const server = await startMailServer()
  const variables = { SMTP_URL: server.url, MAIL_FROM, SUPPORT_EMAIL }
  const { app, base } = await startApp(database, variables)
  const workers = startWorkers(url, 'runs', variables, 1)
  onTestFinished(async () => {
    workers.kill()
    await app.close(1000)
    await database.close()
  })
  const killed: number[] = []
  const kill = () => {
    server.behaves({})
    killed.push(workers.replaceOne())
  }
  server.behaves({
    ...(moment === 'BEFORE_CONTENT' && { onRecipient: kill }),
    ...(moment === 'BEFORE_ANSWER' && { onMail: kill }),
    // The answer is on its way at the end of the worker, which may have read it and has had no time to store it.
    ...(moment === 'AFTER_ANSWER' && { onMail: () => void setImmediate(kill) }),
  })
  /** Resolves once the one mail has come to its end, and no job is left. */
  async function sentOnce(hasEnded: () => Promise<boolean>): Promise<void> {
    await until(hasEnded, SENT_MS)
    const left = () =>
      database.prisma.$queryRaw<unknown[]>`
        select 1 from pgboss.job where name ~ '(escalation|comms|inbox)[.].*mail' and state <> 'completed'`
    await until(async () => (await left()).length === 0, SENT_MS)
    expect(killed).toHaveLength(1)
    expect(server.mails).toHaveLength(1)
  }
  return { msp: await world(database), api: apisAt(async () => base)[1] as Api, app, database, sentOnce }
}

const onPostgresql = test.runIf(process.env.DATABASE_URL)

onPostgresql.each(MOMENTS)(
  'a technician gets one mail of a step whose worker is killed %s',
  { timeout: 2 * SENT_MS },
  async (moment) => {
    const { msp, app, sentOnce } = await killedAt(moment)
    const [technician = 0] = await addTechnicians(msp, [{ psa_id: 31, name: 'Ada' }])
    await addPsaTechnicians(msp, [{ psa_id: 31, email: 'ada@psa.example' }])
    const id = await openMailing(app.services, msp, [technician])
    await sentOnce(async () =>
      (await notificationsOf(msp, id)).some(({ at, error_code }) => at ?? error_code),
    )
    expect(await notificationsOf(msp, id)).toMatchObject([{ at: expect.any(Date), error_code: null }])
  },
)

onPostgresql.each(MOMENTS)(
  'the operator gets one mail of a support request whose worker is killed %s',
  { timeout: 2 * SENT_MS },
  async (moment) => {
    const { msp, api, database, sentOnce } = await killedAt(moment)
    const input = { summary: 'The agent stops', details: 'At each ticket.' }
    const { data } = await api.call(msp.owner, 'create_support_request', { input })
    const where = { id: data.id, sent_at: { not: null } }
    await sentOnce(async () => (await database.prisma.supportRequest.count({ where })) === 1)
  },
)

onPostgresql.each([
  ['BEFORE_CONTENT', ['SENT', null], ['SENT', null]],
  // Nobody knows whether the server has the mail.
  ['BEFORE_ANSWER', ['FAILED', 'outcome_unknown'], ['FAILED', 'outcome_unknown']],
  ['AFTER_ANSWER', ['FAILED', 'outcome_unknown'], ['SENT', null]],
] as const)(
  'a message is mailed once whose worker is killed %s, and is known to be sent or not known',
  { timeout: 2 * SENT_MS },
  async (moment, end, or_end) => {
    const { msp, app, sentOnce } = await killedAt(moment)
    await addOutbound(msp, { id: 'cms_1', address: 'ada@msp.example' })
    await enqueueFor(app.services, msp, SEND_COMMS_MAIL, { message_id: 'cms_1' })
    await sentOnce(async () => (await messagesOf(msp)).every(({ status }) => status !== 'QUEUED'))
    const [message] = await messagesOf(msp)
    expect([end, or_end]).toContainEqual([message?.status, message?.error])
  },
)

onPostgresql.each(MOMENTS)(
  'a user gets one mail of an item whose worker is killed %s',
  { timeout: 2 * SENT_MS },
  async (moment) => {
    const { msp, app, sentOnce } = await killedAt(moment)
    const { tenant_id, environment, owner } = msp
    await addAgents(msp, [{ id: 1 }])
    await prefer(msp, owner.id, { mail_kinds: ['EXECUTION_FAILED'] })
    await addEvents(msp, [failure('exe_1')])
    await followTenant(app.services, { tenant_id, environment })
    await sentOnce(async () => (await itemsOf(msp, owner.id)).every((item) => item.last_mailed_at !== null))
    expect(await itemsOf(msp, owner.id)).toMatchObject([{ mail_began_at: null }])
  },
)
