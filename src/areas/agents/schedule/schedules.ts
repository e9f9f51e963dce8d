/** Takes the occurrences of schedules that are due: one process takes each, and stores the job that starts the agent. */
import { randomUUID } from 'node:crypto'
import { scoped, sql } from '../../../db/db.ts'
import { statement } from '../../../db/sql.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { enqueue } from '../../../jobs/enqueue.ts'
import type { LoopContext } from '../../../jobs/loop.ts'
import { type ServiceContext, serviceContext } from '../../../jobs/service-context.ts'
import type { Row } from '../../../schema/models.ts'
import { isSuspendedTenant } from '../../tenant/index.ts'
import { RUN_OCCURRENCE } from './occurrence.ts'
import { latestOccurrence, nextOccurrence, type Schedule, scheduleIn } from './rules.ts'

type Progress = Row<'AgentSchedule'>
type Key = Pick<Progress, 'tenant_id' | 'environment' | 'agent_id'>

const AT_ONCE = 100

// Contract silent: what is due while the tenant is suspended is missed, like what is due during downtime.
const DUE = statement(
  'agents.due_schedules',
  `select s.tenant_id, s.environment, s.agent_id from agent_schedule s
   where s.next_at <= $1::timestamptz and s.environment = $2 and ($3::text is null or s.tenant_id = $3)
     and not ${isSuspendedTenant('s.tenant_id')}
   order by s.next_at limit ${AT_ONCE}`,
)

// The agent is not locked: who changes it locks it first, and then the progress of its schedule.
const TAKE = scoped(
  'agents.take_schedule',
  `select s.since, s.next_at, a.schedule from agent_schedule s
   join agent a on a.tenant_id = s.tenant_id and a.environment = s.environment and a.id = s.agent_id
   where s.tenant_id = $1 and s.environment = $2 and s.agent_id = $3 and s.next_at <= $4::timestamptz
   for update of s skip locked`,
)

const MOVE = scoped(
  'agents.move_schedule',
  `update agent_schedule s set since = $4, next_at = $5
   where s.tenant_id = $1 and s.environment = $2 and s.agent_id = $3`,
)

/** A schedule that another release stored and this one cannot read has no occurrences. */
function readable<Result>(read: () => Result): Result | null {
  try {
    return read()
  } catch {
    return null
  }
}

interface Taken {
  since: Date
  next_at: Date
  schedule: unknown
}

/** The occurrence that starts now, if one does, and the progress after it. */
// Contract silent: of the occurrences that were missed, the latest is made up.
function progressOf({ since, next_at }: Taken, schedule: Schedule | null, now: Date) {
  if (!schedule) return { occurrence: null, since, next_at: null }
  // The schedule is new: nothing was due before.
  const is_new = next_at.getTime() === since.getTime()
  const occurrence = is_new ? null : latestOccurrence(schedule, next_at, now)
  const from = occurrence ?? since
  return { occurrence, since: from, next_at: nextOccurrence(schedule, from) }
}

const TAKE_MS = 10_000

/** Takes what is due of one schedule; false if another process does, or nothing is due any more. */
async function take(ctx: ServiceContext, agent_id: number): Promise<boolean> {
  return await inTransaction(ctx, TAKE_MS, async () => {
    const [taken] = await sql<Taken>(ctx, TAKE, [agent_id, ctx.now])
    if (!taken) return false
    const progress = readable(() => progressOf(taken, scheduleIn(taken.schedule), ctx.now))
    const { occurrence, since, next_at } = progress ?? { ...taken, occurrence: null, next_at: null }
    await sql(ctx, MOVE, [agent_id, since, next_at])
    if (occurrence)
      await enqueue(ctx, RUN_OCCURRENCE, {
        agent_id,
        occurrence_at: occurrence.toISOString(),
        since: taken.since.toISOString(),
      })
    return true
  })
}

interface Options {
  /** Only the schedules of this tenant. */
  tenant_id?: string | null
}

/** Takes every occurrence that is due, the one that has been due for longest first. */
export async function takeDueSchedules(
  { services, log, signal }: LoopContext,
  { tenant_id = null }: Options = {},
): Promise<void> {
  const { rows } = services.database.sql
  // After downtime the next occurrence may be due at once.
  for (let taken = 1; taken > 0 && !signal.aborted; ) {
    const due = await rows<Key>(DUE, [services.now(), services.environment, tenant_id])
    taken = 0
    for (const { agent_id, ...tenancy } of due) {
      const ctx = serviceContext(services, 'agents.schedule', randomUUID(), tenancy)
      try {
        if (await take(ctx, agent_id)) taken++
      } catch (error) {
        log.error({ err: error, ...tenancy, agent_id }, 'an occurrence could not be taken')
      }
    }
  }
}
