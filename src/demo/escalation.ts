/** The escalations of executions of the demo MSP that failed, and its requests to the operator. */
import { createHash } from 'node:crypto'
import type { Step } from '../areas/escalation/rules.ts'
import type { Prisma } from '../db/generated/client/client.ts'
import { type DemoPolicy, LEAD, policiesOf, RESETS_AGENT, type Staff } from './escalation-policies.ts'
import { randomOf, type Seeding } from './seeding.ts'
import { PEOPLE } from './tenant.ts'

const idOf = (prefix: string, ...parts: string[]): string =>
  `${prefix}_${createHash('md5').update(parts.join('\0')).digest('hex').slice(0, 22)}`

const minutesAfter = (at: Date, minutes: number): Date => new Date(at.getTime() + minutes * 60_000)

const SHOWN_DAYS = 25
const SHOWN = 18
/** By then the last step of each policy was taken. */
const OVER_MINUTES = 60

const COMMENTS = [
  'The licence had run out. It is renewed, and the agent ran again.',
  'Reset by hand, and called the customer.',
  'A passing outage of the vendor. Nothing left to do.',
  'The mailbox was on hold for legal reasons: not a case for the agent.',
  null,
]

type Failed = Prisma.ExecutionGetPayload<object>

interface Told {
  step: Step
  number: number
  at: Date
}

/** The steps that were taken until the instant. */
function takenUntil({ steps }: DemoPolicy, opened: Date, until: Date): Told[] {
  let at = opened
  return steps
    .map((step, index) => {
      at = minutesAfter(at, step.wait_minutes)
      return { step, number: index + 1, at }
    })
    .filter((told) => told.at <= until)
}

interface Demo extends Staff {
  policies: readonly DemoPolicy[]
  names: ReadonlyMap<string, string>
}

/** The failure of an execution, or the bad rating of its work. */
interface Cause {
  trigger: 'EXECUTION_FAILED' | 'NEGATIVE_FEEDBACK'
  at: Date
}

const failureOf = ({ finished_at, updated_at }: Failed): Cause => ({
  trigger: 'EXECUTION_FAILED',
  at: finished_at ?? updated_at,
})

/** The escalation of an execution: the first one is open, the next one taken, and the others resolved. */
function escalationOf(
  execution: Failed,
  { trigger, at }: Cause,
  index: number,
  demo: Demo,
  { tenancy, now }: Seeding,
) {
  const { execution_id, agent_id, entity_id, entity_number, entity_type } = execution
  const names = trigger === 'EXECUTION_FAILED' ? [execution_id] : [execution_id, trigger]
  const id = idOf('esc', tenancy.environment, ...names)
  const random = randomOf(`escalation ${names.join(' ')}`)
  const policy = demo.policies.find(({ agent_ids }) => agent_ids.includes(agent_id)) ?? demo.policies[0]
  if (!policy) throw new Error('The demo has no policy')
  const opened = minutesAfter(at, 0.05)
  const claimed = minutesAfter(opened, 2 + 34 * random.fraction() ** 2)
  const resolved = minutesAfter(claimed, 6 + 110 * random.fraction())
  const status =
    index === 0 || claimed > now ? 'OPEN' : index === 1 || resolved > now ? 'ACKNOWLEDGED' : 'RESOLVED'
  const taken = takenUntil(policy, opened, status === 'OPEN' ? now : claimed)
  const next = status === 'OPEN' ? policy.steps[taken.length] : undefined
  const by = random.pick(PEOPLE.filter(({ technician }) => technician !== null))
  const is_claimed = status !== 'OPEN'
  const is_resolved = status === 'RESOLVED'
  const is_ticket = entity_type === 'TICKET' && entity_id !== null
  const event = {
    ...tenancy,
    id,
    policy_id: policy.id,
    policy_name: policy.name,
    trigger,
    status: status as 'OPEN' | 'ACKNOWLEDGED' | 'RESOLVED',
    steps: policy.steps,
    respect_business_hours: policy.respect_business_hours,
    current_step: taken.length,
    next_step_at: next ? minutesAfter(taken.at(-1)?.at ?? opened, next.wait_minutes) : null,
    agent_id,
    execution_id,
    entity_id,
    entity_number,
    subject: is_ticket ? `TICKET/${entity_id}` : `EXECUTION/${execution_id}`,
    ticket_changed: is_ticket && policy.ticket_change !== undefined,
    acknowledged_by_id: is_claimed ? by.id : null,
    acknowledged_by_name: is_claimed ? by.name : null,
    acknowledged_at: is_claimed ? claimed : null,
    resolved_by_name: is_resolved ? by.name : null,
    resolved_at: is_resolved ? resolved : null,
    comment: is_resolved ? random.pick(COMMENTS) : null,
    revision: 1 + Number(is_claimed) + Number(is_resolved),
    created_at: opened,
    updated_at: is_resolved ? resolved : is_claimed ? claimed : (taken.at(-1)?.at ?? opened),
  }
  return { event, notifications: taken.flatMap((told) => notificationsOf(id, told, demo, tenancy)) }
}

/** The targets that a step told: of a schedule, everybody. */
function notificationsOf(
  event_id: string,
  { step, number, at }: Told,
  demo: Demo,
  tenancy: Seeding['tenancy'],
): Prisma.EscalationNotificationCreateManyInput[] {
  const { target_type, target_ids, notify_via } = step
  const row = { ...tenancy, event_id, step: number, at }
  if (target_type === 'CHANNEL' || target_type === 'WEBHOOK_ENDPOINT')
    return target_ids.map((target_id) => ({
      ...row,
      target_type,
      target_id,
      via: target_type === 'CHANNEL' ? ('CHANNEL' as const) : ('WEBHOOK' as const),
      name: target_type === 'CHANNEL' ? 'Service desk' : 'events.opsbridge.example',
    }))
  const ids = target_type === 'SCHEDULE' ? [...demo.names.keys()] : target_ids
  return ids.flatMap((target_id) =>
    notify_via.map((via) => ({
      ...row,
      target_type: 'TECHNICIANS' as const,
      target_id,
      technician_id: Number(target_id),
      via,
      name:
        demo.names.get(target_id) ??
        [...demo.technicians].find(([, id]) => String(id) === target_id)?.[0] ??
        '',
    })),
  )
}

const REQUESTS = [
  {
    made: 1.3,
    summary: 'Runs of the backup agent fail with “model_unavailable”',
    details:
      'Since this morning every third run of the backup agent fails after about a minute. Is the model away?',
    by: LEAD,
    status: 'OPEN' as const,
  },
  {
    made: 19,
    summary: 'Two agents share one permission group: is that intended?',
    details:
      'We want onboarding to write to Entra ID and the report agent only to read. Both seem to need the group IDENTITY.',
    by: 'Maeve Donnelly',
    status: 'CLOSED' as const,
  },
]

const LETTERS = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

/** The latest work of which a policy tells people that an end user was discontent with it. */
async function badlyRated({
  tx,
  tenancy,
  ago,
}: Seeding): Promise<{ execution: Failed; cause: Cause } | null> {
  const feedback = await tx.feedbackEntry.findFirst({
    where: {
      ...tenancy,
      rating: 'NEGATIVE',
      agent_id: RESETS_AGENT,
      submitted_at: { lte: ago(0, OVER_MINUTES) },
    },
    orderBy: [{ submitted_at: 'desc' }, { id: 'asc' }],
  })
  const { execution_id, submitted_at: at } = feedback ?? {}
  if (!execution_id || !at) return null
  const execution = await tx.execution.findFirstOrThrow({ where: { ...tenancy, execution_id } })
  return { execution, cause: { trigger: 'NEGATIVE_FEEDBACK', at } }
}

export async function seedEscalation(seeding: Seeding): Promise<void> {
  const { tx, tenancy, ago } = seeding
  const { tenant_id, environment } = tenancy
  const [technicians, schedules] = await Promise.all([
    tx.technicianProfile.findMany({ where: tenancy, orderBy: { id: 'asc' } }),
    tx.technicianSchedule.findMany({ where: tenancy }),
  ])
  const staff = {
    technicians: new Map(technicians.map(({ id, name }) => [name, id])),
    schedules: new Map(schedules.map(({ id, name }) => [name, id])),
  }
  const policies = policiesOf(staff)
  await tx.escalationPolicy.createMany({
    data: policies.map(({ made, ...policy }) => ({
      ...tenancy,
      ...policy,
      created_at: ago(made),
      updated_at: ago(made),
    })),
  })
  // The sequence continues after the ids inserted here, unless it is further already.
  await tx.$queryRaw`select nextval(pg_get_serial_sequence('escalation_policy', 'id'))
    from generate_series(1, ${policies.length}::int)`
  const day_shift = staff.schedules.get('Day shift')
  const on_shift = technicians.filter(
    ({ schedule_id, deleted_at }) => schedule_id === day_shift && deleted_at === null,
  )
  const names = new Map(on_shift.map(({ id, name }) => [String(id), name]))
  const failed = await tx.execution.findMany({
    where: {
      ...tenancy,
      status: { in: ['FAILED', 'TIMED_OUT'] },
      created_at: { gte: ago(SHOWN_DAYS) },
      finished_at: { lte: ago(0, OVER_MINUTES) },
    },
    orderBy: [{ created_at: 'desc' }, { execution_id: 'asc' }],
    take: SHOWN,
  })
  const demo = { ...staff, policies, names }
  const made = failed.map((execution, index) =>
    escalationOf(execution, failureOf(execution), index, demo, seeding),
  )
  const rated = await badlyRated(seeding)
  if (rated) made.push(escalationOf(rated.execution, rated.cause, failed.length, demo, seeding))
  await tx.escalationEvent.createMany({ data: made.map(({ event }) => event) })
  await tx.escalationNotification.createMany({ data: made.flatMap(({ notifications }) => notifications) })
  const feed = await tx.eventFeed.findFirst({ where: { tenant_id, environment } })
  await tx.escalationCursor.create({ data: { ...tenancy, sequence: feed?.last_sequence ?? 0 } })
  await seedSupportRequests(seeding)
}

async function seedSupportRequests({ tx, tenancy, ago }: Seeding): Promise<void> {
  const random = randomOf(`support ${tenancy.environment}`)
  await tx.supportRequest.createMany({
    data: REQUESTS.map(({ made, by, ...request }) => ({
      ...tenancy,
      ...request,
      id: idOf('sup', tenancy.environment, request.summary),
      reference: `SR-${Array.from({ length: 8 }, () => random.pick([...LETTERS])).join('')}`,
      request_id: random.uuid(),
      began_at: ago(made),
      sent_at: ago(made),
      created_by_name: by,
      created_at: ago(made),
      updated_at: request.status === 'CLOSED' ? ago(made - 1.4) : ago(made),
      revision: request.status === 'CLOSED' ? 2 : 1,
    })),
  })
}
