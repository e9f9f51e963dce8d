/** Escalation policies and escalations as they are stored, and the service’s own work on those of one tenant. */
import { followTenant } from '../../src/areas/escalation/follow.ts'
import { openEscalation } from '../../src/areas/escalation/open.ts'
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import type { Services } from '../../src/gateway/context.ts'
import { serviceContext } from '../../src/jobs/service-context.ts'
import { clock, testApp } from './app.ts'
import { performDue } from './connected.ts'
import { takeOver } from './events.ts'
import type { Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Policy = Partial<Prisma.EscalationPolicyCreateManyInput>
type Escalation = Partial<Prisma.EscalationEventCreateManyInput> & { id: string }
type Notification = Partial<Prisma.EscalationNotificationCreateManyInput> & {
  event_id: string
  target_id: string
}

/** A step that tells technicians by their inbox at once. */
const STEP = {
  wait_minutes: 0,
  target_type: 'TECHNICIANS',
  target_ids: ['1'],
  notify_via: ['INBOX'],
}

/**
 * Policies for executions that fail, of all agents, which are not the default; their ids. The tenant’s events open escalations
 * from now on.
 */
export async function addPolicies(
  { tenant_id, environment, database: { prisma } }: Tenant,
  policies: readonly Policy[],
): Promise<number[]> {
  const now = clock.now()
  const added = await prisma.escalationPolicy.createManyAndReturn({
    data: policies.map((policy, index) => ({
      tenant_id,
      environment,
      name: `Policy ${policy.id ?? index + 1}`,
      is_default: false,
      triggers: ['EXECUTION_FAILED'],
      steps: [STEP],
      created_at: now,
      updated_at: now,
      ...policy,
    })),
  })
  const feed = await prisma.eventFeed.findFirst({ where: { tenant_id, environment } })
  await prisma.escalationCursor.createMany({
    data: [{ tenant_id, environment, sequence: feed?.last_sequence ?? 0 }],
    skipDuplicates: true,
  })
  return added.map(({ id }) => id)
}

/** A policy for agents that give up; its id. */
export async function addPolicy(msp: Tenant, policy: Policy = {}): Promise<number> {
  const [id = 0] = await addPolicies(msp, [{ triggers: ['AGENT_GAVE_UP'], ...policy }])
  return id
}

/** Switches the tenant’s policies off. */
export const disablePolicies = ({ database, tenant_id }: Tenant) =>
  database.prisma.escalationPolicy.updateMany({ where: { tenant_id }, data: { enabled: false } })

/** The tenant’s escalations, as they are stored, the oldest first. */
export const escalationsOf = ({ database, tenant_id }: Tenant) =>
  database.prisma.escalationEvent.findMany({
    where: { tenant_id },
    orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
  })

/** Opens the escalation of an agent that gave up on the ticket. */
export async function giveUpOn(msp: Tenant, ticket_id: string, services?: Services): Promise<string> {
  const { tenant_id, environment } = msp
  const on = services ?? (await testApp()).app.services
  const ctx = serviceContext(on, 'test', 'test', { tenant_id, environment })
  const work = { agent_id: null, execution_id: null, entity_id: ticket_id, entity_number: `#${ticket_id}` }
  const cause = { trigger: 'AGENT_GAVE_UP', subject: `TICKET/${ticket_id}`, reason: null, ...work } as const
  const id = await inTransaction(ctx, 10_000, () => openEscalation(ctx, cause))
  if (id === null) throw new Error('No policy acts')
  return id
}

/** Escalations without an agent, each of its own ticket, whose one step was not taken yet. */
export async function addEscalations(
  { tenant_id, environment, database: { prisma } }: Tenant,
  escalations: readonly Escalation[],
): Promise<void> {
  await prisma.escalationEvent.createMany({
    data: escalations.map((escalation) => {
      const { created_at = clock.now() } = escalation
      return {
        tenant_id,
        environment,
        policy_id: 1,
        policy_name: 'Policy 1',
        trigger: 'EXECUTION_FAILED',
        steps: [STEP],
        respect_business_hours: false,
        subject: `TICKET/${escalation.id}`,
        created_at,
        updated_at: created_at,
        ...escalation,
      }
    }),
  })
}

/** Technicians who were told by the first step. */
export async function addNotifications(
  { tenant_id, environment, database: { prisma } }: Tenant,
  notifications: readonly Notification[],
): Promise<void> {
  await prisma.escalationNotification.createMany({
    data: notifications.map((notification) => ({
      tenant_id,
      environment,
      step: 1,
      target_type: 'TECHNICIANS',
      via: 'INBOX',
      name: `Technician ${notification.target_id}`,
      technician_id: Number(notification.target_id) || null,
      at: clock.now(),
      ...notification,
    })),
  })
}

/** Opens the escalations of what has happened, and does the jobs that are due. */
export async function escalate(msp: Msp): Promise<void> {
  const { services } = (await testApp()).app
  const { tenant_id, environment } = msp
  await takeOver(msp)
  await followTenant(services, { tenant_id, environment })
  await performDue(services, msp)
}

/** Does the jobs that are due so many minutes later. */
export async function later(msp: Msp, minutes: number): Promise<void> {
  clock.advance(minutes * 60_000)
  await performDue((await testApp()).app.services, msp)
}
