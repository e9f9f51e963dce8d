/** The SQL of scheduled work, and how changes reach it. */

import { ofVisibleAgents, restrictedUser, visibleAgent } from '../../access/policies/visibility.ts'
import { callerOf, usersBehind } from '../../access/viewer.ts'
import { db, ownKey, scoped, sql, tenancyOf } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import { projection } from '../../db/query/projection.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { insertRecorded, recordedInsert } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { defineResource, targetOf } from '../../schema/changes/change.ts'
import { updateOf } from '../../schema/changes/row-update.ts'
import { contains, defineList, facet, indexed } from '../../schema/lists/list.ts'
import { agentName } from '../agents/index.ts'
import { firstRun, firstRunOf } from '../executions/index.ts'
import { entryEtag, type ScheduledWorkRow, ScheduledWorkStatus } from './scheduled-work.ts'

const workflowName = (row: string): string => agentName(row, 'workflow_id')

const columns = projection('ScheduledWork', 'w', {
  computed: {
    workflow_name: workflowName('w'),
    // An execution that was accepted has its first run once a worker takes it up.
    execution_temporal_run_id: `coalesce(w.execution_temporal_run_id, ${firstRunOf('w')})`,
  },
  always: ['id'],
})

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

const OF_VISIBLE_AGENTS = ofVisibleAgents('w.workflow_id')

const FACETS = { status: 'w.status' }

/** The entries of the agents that the caller sees. */
export const SCHEDULED_WORK = defineList<ScheduledWorkRow>()({
  name: 'scheduled_work',
  from: 'scheduled_work w',
  columns,
  parameters: { user },
  visible: (ctx) => (user(ctx) === null ? null : OF_VISIBLE_AGENTS),
  facets: FACETS,
  facets_of_agents: FACETS,
  page_numbers: true,
  // Contract silent: the latest entries come first.
  order: {
    type: 'ScheduledWorkSort',
    by: {
      latest: {
        description: 'The latest `scheduled_for` first, then by `id` downwards.',
        keys: [descending('scheduled_for', 'timestamptz'), descending('id', 'int')],
      },
      scheduled_for: {
        description: 'The soonest `scheduled_for` first, then by `id`.',
        keys: [ascending('scheduled_for', 'timestamptz'), ascending('id', 'int')],
      },
    },
  },
  filters: {
    status: {
      type: ScheduledWorkStatus,
      description: 'Only entries in this state.',
      where: facet('w.status = ?::text::scheduled_work_status'),
    },
    ticket_id: {
      type: 'ID',
      description: 'Only entries for this ticket, by its id in the PSA.',
      where: indexed('w.ticket_id = ?::text'),
    },
    search: {
      ...SEARCH,
      type: 'String',
      description: 'Only entries with this in `ticket_id` or `ticket_number`.',
      where: (text) => ({ ...contains('w.search_text')(text), custom_plan: true }),
    },
    workflow_id: {
      type: 'Int',
      min: 1,
      description: 'Only entries of this agent, by its `id`.',
      where: 'w.workflow_id = ?::int',
    },
  },
})

const OF_SEEN_AGENT = `w.tenant_id = $1 and w.environment = $2 and w.id = $id::int
  and ($user::text is null or ${OF_VISIBLE_AGENTS.text})`

const LOCK = `select ${columns.select(null)} from scheduled_work w where ${OF_SEEN_AGENT} for update of w`

/** The entry, or 404, locked until the transaction ends. */
export async function lockEntry(ctx: Context, id: number): Promise<ScheduledWorkRow> {
  const [row] = await select<ScheduledWorkRow>(
    ctx,
    'scheduled_work.lock',
    { text: LOCK },
    { id, user: user(ctx) },
  )
  return found(row, 'scheduled_work_not_found', id)
}

/** The entry; 404 if the caller does not see its agent. `query` is of the field that answers with it. */
export async function readEntry(ctx: Context, id: number, query: object): Promise<ScheduledWorkRow> {
  const where = { tenant_id_environment_id: ownKey(ctx, { id }), agent: visibleAgent(callerOf(ctx)) }
  const include = { agent: { select: { name: true } } }
  const row = found(
    await db(ctx).scheduledWork.findUnique({ ...query, include, where }),
    'scheduled_work_not_found',
    id,
  )
  const { execution_id, execution_temporal_run_id: kept, agent } = row
  const execution_temporal_run_id = kept ?? (execution_id === null ? null : await firstRun(ctx, execution_id))
  return { ...row, workflow_name: agent.name, execution_temporal_run_id }
}

type Status = ScheduledWorkRow['status']

const blocked =
  (code: 'scheduled_work_not_cancellable' | 'scheduled_work_not_editable') =>
  ({ execution_id }: ScheduledWorkRow, current_status: Status): ApiError =>
    new ApiError(code, { details: { current_status, execution_id } })

const WRITE = updateOf('ScheduledWork', {
  key: ['id'],
  columns: [
    ...(['scheduled_for', 'additional_custom_instructions', 'status', 'cancel_reason'] as const),
    'asked_by_user_ids' as const,
  ],
})

const entry = (refusal: ReturnType<typeof blocked>) =>
  defineResource<ScheduledWorkRow, Status>()({
    noun: 'scheduled_work',
    etag: entryEtag,
    named: ({ id, ticket_id, ticket_number }) => ({ id: String(id), name: ticket_number ?? ticket_id }),
    write: WRITE,
    state: { of: ({ status }) => status, refusal },
  })

/** An entry that is cancelled, and one whose time or instructions change. */
export const CANCELLABLE = entry(blocked('scheduled_work_not_cancellable'))
export const EDITABLE = entry(blocked('scheduled_work_not_editable'))

const MINUTE = `date_bin('1 minute', scheduled_for, timestamptz '2000-01-01 00:00:00+00')`

const DUPLICATE = scoped(
  'scheduled_work.duplicate',
  `select id from scheduled_work
   where tenant_id = $1 and environment = $2 and workflow_id = $3 and ticket_id = $4 and status = 'PENDING'
     and ${MINUTE} = date_bin('1 minute', $5::timestamptz, timestamptz '2000-01-01 00:00:00+00') and id is distinct from $6::int`,
)

type Queued = Pick<ScheduledWorkRow, 'workflow_id' | 'ticket_id' | 'scheduled_for'>

/** 409 if the agent is queued for the ticket at that minute, by another entry than `own_id`; serialised per ticket. */
export async function checkIsNoDuplicate(ctx: Context, queued: Queued, own_id: number | null): Promise<void> {
  const { workflow_id, ticket_id, scheduled_for } = queued
  await lockTenant(ctx, `${tenancyOf(ctx).environment} scheduled_work ${workflow_id} ${ticket_id}`)
  const values = [workflow_id, ticket_id, scheduled_for, own_id]
  const [duplicate] = await sql<{ id: number }>(ctx, DUPLICATE, values)
  if (duplicate)
    throw new ApiError('scheduled_work_duplicate', {
      details: { current_status: 'PENDING', entry_id: duplicate.id },
    })
}

const CREATE = recordedInsert('scheduled_work.create', 'ScheduledWork', {
  columns: [
    ...(['scheduled_for', 'workflow_id', 'ticket_id', 'ticket_number'] as const),
    ...(['additional_custom_instructions', 'created_by', 'created_at', 'updated_at'] as const),
    'asked_by_user_ids' as const,
  ],
  returning: 'row',
  also_returning: `${workflowName('scheduled_work')} as workflow_name`,
  makes_id: true,
})

export interface Draft extends Queued {
  ticket_number: string | null
  additional_custom_instructions: string | null
  created_by: string
}

/** Stores an entry; 409 if the agent is queued for the ticket at that minute already. Nothing is written after it. */
export async function createEntry(ctx: Context, draft: Draft): Promise<ScheduledWorkRow> {
  const { ticket_id, ticket_number } = draft
  await checkIsNoDuplicate(ctx, draft, null)
  const targets = [targetOf(EDITABLE, { id: '', name: ticket_number ?? ticket_id })]
  const activity = { action: 'scheduled_work.created', targets, after: draft }
  const asked_by_user_ids = usersBehind(callerOf(ctx))
  const row = { ...draft, asked_by_user_ids, created_at: ctx.now, updated_at: ctx.now }
  return await insertRecorded(ctx, CREATE, row, activity, { last: true })
}
