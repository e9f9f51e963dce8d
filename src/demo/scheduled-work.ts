/** The scheduled work of the demo MSP: what has run, what went wrong and what is queued. */
import { insertMany, randomOf, type Seeding } from './seeding.ts'

interface Started {
  agent_id: number
  execution_id: string
  trigger: string
  entity_id: string
  entity_number: string | null
  created_at: Date
  /** When an agent first worked on the ticket. */
  opened_at: Date
}

const BY = ['Aisha Rahman', 'Gareth Hughes', 'Maeve Donnelly', 'Tomasz Zieliński']

const INSTRUCTIONS = [
  'Look again once the vendor has answered.',
  'The user is back from leave then.',
  'Ask whether it happened again, and close it if not.',
]

const NOT_STARTED = {
  execution_id: null,
  execution_temporal_run_id: null,
  executed_at: null,
  cancel_reason: null,
  execution_message: null,
}

/** Runs that did not start: days ago, and what the entry says. */
const MISSED = [
  [3, 'FAILED', 1, 'The ticket is gone from the PSA.', null],
  [9, 'FAILED', 1, 'The agent was paused when the time came.', null],
  [16, 'FAILED', 3, 'The PSA did not answer, three times.', null],
  [2, 'CANCELLED', 0, null, 'The customer solved it.'],
  [7, 'CANCELLED', 0, null, 'Closed as a duplicate.'],
  [12, 'CANCELLED', 0, null, null],
] as const

/** Hours until the runs that are queued. */
const AHEAD = [0.7, 2, 3.5, 5, 20, 22, 26, 45, 50, 70, 94, 120, 190, 360, 700]

export async function seedScheduledWork({ tx, tenancy, now, ago }: Seeding): Promise<void> {
  const random = randomOf('scheduled-work')
  const executions = await tx.$queryRaw<Started[]>`
    select agent_id, execution_id, trigger::text, entity_id, entity_number, created_at,
      min(created_at) over (partition by entity_id) as opened_at
    from execution
    where tenant_id = ${tenancy.tenant_id} and environment = ${tenancy.environment}
      and entity_type = 'TICKET' and entity_id is not null
    order by created_at desc, execution_id desc`
  const started = executions.filter(({ trigger }) => trigger === 'SCHEDULED_WORK')
  const known = executions.filter(({ agent_id }) => agent_id === 1 || agent_id === 2)
  /** The next of the latest tickets that were there at the time. */
  const ticketBefore = (at: Date): Started => {
    const index = known.findIndex(({ created_at }) => created_at < at)
    return known.splice(index, 1)[0] as Started
  }
  const common = ({ entity_id, entity_number }: Pick<Started, 'entity_id' | 'entity_number'>) => ({
    ...tenancy,
    ticket_id: entity_id,
    ticket_number: entity_number,
    created_by: random.pick(BY),
    additional_custom_instructions: random.fraction() < 0.5 ? random.pick(INSTRUCTIONS) : null,
  })
  /** An agent that worked on the ticket before may have asked for it. */
  const scheduledAt = ({ opened_at, created_at }: Started, at: Date) =>
    opened_at < created_at && at < opened_at ? opened_at : at
  const days = (at: Date, count: number) => new Date(at.getTime() - count * 86_400_000)

  const done = started.map((execution) => ({
    ...common(execution),
    workflow_id: execution.agent_id,
    status: 'COMPLETED',
    attempt: 1,
    scheduled_for: execution.created_at,
    ...NOT_STARTED,
    execution_id: execution.execution_id,
    execution_temporal_run_id: `run_${execution.execution_id.replace(/^exe_/, '')}_1`,
    executed_at: execution.created_at,
    execution_message: 'The execution was accepted.',
    created_at: scheduledAt(execution, days(execution.created_at, random.int(1, 6))),
    updated_at: execution.created_at,
  }))
  const missed = MISSED.map(([daysAgo, status, attempt, execution_message, cancel_reason], index) => ({
    ...common(ticketBefore(ago(daysAgo + 3))),
    workflow_id: (index % 2) + 1,
    status,
    attempt,
    scheduled_for: ago(daysAgo),
    ...NOT_STARTED,
    execution_message,
    cancel_reason,
    ...(status === 'CANCELLED' && { revision: 2 }),
    created_at: ago(daysAgo + 3),
    updated_at: ago(daysAgo, status === 'FAILED' ? -2 : 300),
  }))
  const queued = AHEAD.map((hours, index) => ({
    ...common(ticketBefore(ago(0, 40 + index * 25))),
    workflow_id: (index % 2) + 1,
    status: 'PENDING',
    attempt: 0,
    scheduled_for: new Date(now.getTime() + hours * 3_600_000),
    ...NOT_STARTED,
    created_at: ago(0, 40 + index * 25),
    updated_at: ago(0, 40 + index * 25),
  }))
  await insertMany(
    tx,
    'scheduled_work',
    [...done, ...missed, ...queued].map((entry) => ({ revision: 1, ...entry })),
  )
}
