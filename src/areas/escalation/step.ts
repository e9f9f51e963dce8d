/** Taking the steps of an escalation: each at its time, once, and none after a person has acknowledged it. */
import { scoped, scopedInsert, sql } from '../../db/db.ts'
import { raise } from '../../db/live/raise.ts'
import { enqueue, enqueueAll } from '../../jobs/enqueue.ts'
import type { JobContext } from '../../jobs/job.ts'
import { agentName } from '../agents/index.ts'
import { SETTINGS } from '../settings/index.ts'
import { SEND_MAIL, TAKE_STEP } from './declared.ts'
import type { EscalationRow } from './escalation-event.ts'
import { escalationEvent, type Told } from './events.ts'
import { messageOf } from './message.ts'
import { stepAt } from './rules.ts'
import { type Target, targetsOf } from './targets.ts'

interface Open extends EscalationRow {
  agent_name: string | null
}

const LOCK = scoped(
  'escalation.lock_for_step',
  `select v.*, ${agentName('v')} as agent_name from escalation_event v
   where v.tenant_id = $1 and v.environment = $2 and v.id = $3::text and v.status = 'OPEN' and v.current_step = $4::int
   for update of v`,
)

const STORE_TARGETS = scopedInsert(
  'escalation.store_targets',
  `insert into escalation_notification (tenant_id, environment, event_id, step, target_type, target_id, via, name,
     technician_id, message_id, at)
   select $1, $2, $3::text, $4::int, t.target_type::escalation_target_type, t.target_id, t.via::escalation_via, t.name,
     t.technician_id, t.message_id, t.at
   from jsonb_to_recordset($5::jsonb) as t (target_type text, target_id text, via text, name text, technician_id int,
     message_id text, at timestamptz)`,
)

const MOVE = scoped(
  'escalation.move',
  `update escalation_event v set current_step = $4::int, next_step_at = $5::timestamptz, updated_at = $6::timestamptz
   where v.tenant_id = $1 and v.environment = $2 and v.id = $3::text`,
)

const idsOf = (targets: readonly Target[], type: Target['target_type']): string[] => [
  ...new Set(targets.flatMap(({ target_type, target_id }) => (target_type === type ? [target_id] : []))),
]

const toldBy = (targets: readonly Target[]): Told => ({
  technician_ids: idsOf(targets, 'TECHNICIANS').map(Number),
  channel_ids: idsOf(targets, 'CHANNEL'),
  webhook_endpoint_ids: idsOf(targets, 'WEBHOOK_ENDPOINT'),
})

interface StepPayload {
  event_id: string
  step: number
}

/** The escalation that waits for the step, locked as an acknowledgement locks it; null if it has moved on meanwhile. */
async function waitingFor(ctx: JobContext, { event_id, step }: StepPayload): Promise<Open | null> {
  const [open] = await sql<Open>(ctx, LOCK, [event_id, step - 1])
  return open ?? null
}

// Contract silent: a step that finds nobody to tell is followed by the next one at once, since the wait is for people.
/** Leaves the step, with the job of the next one, which comes at once if this one has told nobody. */
async function moveOn(
  ctx: JobContext,
  open: Open,
  { event_id, step }: StepPayload,
  has_told: boolean,
): Promise<void> {
  const next = open.steps[step]
  const hours = open.respect_business_hours && next ? await SETTINGS.read(ctx) : null
  const wait_minutes = has_told ? (next?.wait_minutes ?? 0) : 0
  const next_step_at = next ? stepAt({ wait_minutes }, ctx.now, hours) : null
  if (!has_told) ctx.log.warn({ event_id, step }, 'a step of an escalation tells nobody')
  await sql(ctx, MOVE, [event_id, step, next_step_at, ctx.now])
  if (next_step_at) await enqueue(ctx, TAKE_STEP, { event_id, step: step + 1 }, { start_after: next_step_at })
}

/** Takes the step, with all that it tells, unless a person has acknowledged the escalation. */
export async function takeStep(ctx: JobContext, payload: StepPayload): Promise<void> {
  const { event_id, step } = payload
  const open = await waitingFor(ctx, payload)
  const taken = open?.steps[step - 1]
  if (!open || !taken) return
  const { subject, text } = messageOf(open)
  const targets = await targetsOf(ctx, taken, {
    conversation_id: `escalation/${event_id}`,
    text: `${subject}\n\n${text}`,
  })
  await sql(ctx, STORE_TARGETS, [event_id, step, JSON.stringify(targets)])
  const mails = targets.filter(({ via }) => via === 'EMAIL')
  await enqueueAll(
    ctx,
    SEND_MAIL,
    mails.map(({ target_id }) => ({ payload: { event_id, step, target_id } })),
  )
  await moveOn(ctx, open, payload, targets.length > 0)
  await raise(ctx, [escalationEvent('notified', { ...open, current_step: step }, toldBy(targets))])
}

/** Leaves a step that cannot be taken, so that the next one tells somebody. */
export async function leaveStep(ctx: JobContext, payload: StepPayload): Promise<void> {
  const open = await waitingFor(ctx, payload)
  if (open) await moveOn(ctx, open, payload, false)
}
