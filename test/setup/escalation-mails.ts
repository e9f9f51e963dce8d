/** Escalations whose steps mail technicians. */
import { randomUUID } from 'node:crypto'
import { onTestFinished } from 'vitest'
import { SEND_MAIL } from '../../src/areas/escalation/declared.ts'
import { openBy } from '../../src/areas/escalation/open.ts'
import type { PolicyRow } from '../../src/areas/escalation/policies/policy.ts'
import { takeStep } from '../../src/areas/escalation/step.ts'
import { createMailer } from '../../src/connectors/smtp/mailer.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Services } from '../../src/gateway/context.ts'
import { enqueue } from '../../src/jobs/enqueue.ts'
import type { JobContext } from '../../src/jobs/job.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { mailServerOf } from '../../src/lib/mail-server.ts'
import { clock, testApp } from './app.ts'
import { type MailServer, startMailServer } from './smtp.ts'
import type { Msp } from './world.ts'

export const MAIL_FROM = 'service@mail.example'

type Times = NonNullable<Parameters<typeof createMailer>[0]['times']>

const TIMES = { connect: 5_000, greeting: 5_000, silence: 5_000, whole: 20_000 }

/** The service with the mail server at the URL, which has these times, or those of most tests; null: it has none. */
export async function servicesWith(url: string | null, times: Times = {}): Promise<Services> {
  const { services } = (await testApp()).app
  if (url === null) return { ...services, mail: null }
  const server = mailServerOf(url)
  if (typeof server === 'string') throw new Error(server)
  return {
    ...services,
    mail: createMailer({ server, from: MAIL_FROM, now: clock.now, times: { ...TIMES, ...times } }),
  }
}

/** The service mails by this server until the test ends. */
export async function useMailServer(): Promise<MailServer> {
  const server = await startMailServer()
  const { services } = (await testApp()).app
  const before = services.mail
  services.mail = (await servicesWith(server.url)).mail
  onTestFinished(() => {
    services.mail = before
  })
  return server
}

/** The context of work for the tenant. */
const contextFor = (services: Services, { tenant_id, environment }: Msp) =>
  serviceContext(services, 'test', 'test', { tenant_id, environment })

/** Opens an escalation whose one step mails the technicians at once. Its id. */
export async function openMailing(
  services: Services,
  msp: Msp,
  technicians: readonly number[],
): Promise<string> {
  const { tenant_id, environment } = msp
  const now = clock.now()
  const step = {
    wait_minutes: 0,
    target_type: 'TECHNICIANS',
    target_ids: technicians.map(String),
    notify_via: ['EMAIL'],
  }
  const is_default = (await msp.database.prisma.escalationPolicy.count({ where: { tenant_id } })) === 0
  const policy = await msp.database.prisma.escalationPolicy.create({
    data: {
      tenant_id,
      environment,
      name: 'Nights',
      is_default,
      triggers: ['AGENT_GAVE_UP'],
      steps: [step],
      created_at: now,
      updated_at: now,
    },
  })
  const ctx = contextFor(services, msp)
  const id = randomUUID()
  const cause = {
    trigger: 'AGENT_GAVE_UP',
    agent_id: null,
    execution_id: null,
    entity_id: id,
    entity_number: 'T-7',
    subject: `TICKET/${id}`,
    reason: 'The printer is on fire',
  } as const
  return await inTransaction(ctx, 10_000, () => openBy(ctx, policy as unknown as PolicyRow, cause))
}

/** Takes the step of the escalation: its mails wait for their jobs. */
export async function takeMailingStep(services: Services, msp: Msp, event_id: string): Promise<void> {
  const ctx = contextFor(services, msp) as JobContext
  await inTransaction(ctx, 10_000, () => takeStep(ctx, { event_id, step: 1 }))
}

/** Enqueues the job for the tenant. */
export async function enqueueFor(
  services: Services,
  msp: Msp,
  job: Parameters<typeof enqueue>[1],
  payload: object,
): Promise<void> {
  const ctx = contextFor(services, msp)
  await inTransaction(ctx, 10_000, () => enqueue(ctx, job, payload))
}

/** Enqueues the mail to the technician once more, as after a lost attempt. */
export const mailAgain = (services: Services, msp: Msp, event_id: string, technician: number) =>
  enqueueFor(services, msp, SEND_MAIL, { event_id, step: 1, target_id: String(technician) })

/** The notifications of the escalation, by their targets. */
export const notificationsOf = ({ database, tenant_id }: Msp, event_id: string) =>
  database.prisma.escalationNotification.findMany({
    where: { tenant_id, event_id },
    orderBy: { target_id: 'asc' },
  })
