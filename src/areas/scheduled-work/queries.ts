/** The SQL of scheduled work, and how changes reach it. */

import { ofVisibleAgents, restrictedUser, visibleAgent } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { scoped, sql, tenancyOf } from '../../db/db.ts'
import { ascending, descending } from '../../db/query/keyset.ts'
import { lockTenant } from '../../db/transaction.ts'
import { ApiError } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { searchFor } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { agentName } from '../agents/index.ts'
import { firstRun, firstRunOf } from '../executions/index.ts'
import { entryEvent } from './events.ts'
import { entryEtag, ScheduledWork, type ScheduledWorkRow, TAGGED } from './scheduled-work.ts'

const user = (ctx: Context): string | null => restrictedUser(callerOf(ctx))

const OF_VISIBLE_AGENTS = ofVisibleAgents('w.workflow_id')

type Status = ScheduledWorkRow['status']

const stateWith = (code: 'scheduled_work_not_cancellable' | 'scheduled_work_not_editable') => ({
  of: ({ status }: ScheduledWorkRow): Status => status,
  refusal: ({ execution_id }: ScheduledWorkRow, current_status: Status) =>
    new ApiError(code, { details: { current_status, execution_id } }),
})

type WithAgent = ScheduledWorkRow & { agent: { name: string } }

/** An entry, whose time or instructions change. Entries are seen by the callers who see their agents. */
export const SCHEDULED_WORK = defineTable<ScheduledWorkRow, Status>()('ScheduledWork', {
  alias: 'w',
  noun: 'scheduled_work',
  type: ScheduledWork,
  argument: 'entry_id',
  description: 'The `id` of the entry.',
  not_found: 'scheduled_work_not_found',
  title: ({ ticket_id, ticket_number }) => ticket_number ?? ticket_id,
  etag: entryEtag,
  visible: (ctx) => (user(ctx) === null ? null : OF_VISIBLE_AGENTS),
  seen: (ctx) => ({ agent: visibleAgent(callerOf(ctx)) }),
  parameters: { user },
  constant: [
    'workflow_id',
    'ticket_id',
    'ticket_number',
    'created_by',
    'attempt',
    'held_until',
    'execution_message',
    'execution_id',
    'execution_temporal_run_id',
    'executed_at',
    'search_text',
  ],
  computed: {
    workflow_name: agentName('w', 'workflow_id'),
    // An execution that was accepted has its first run once a worker takes it up.
    execution_temporal_run_id: `coalesce(w.execution_temporal_run_id, ${firstRunOf('w')})`,
  },
  computed_by_prisma: {
    workflow_name: {
      include: { agent: { select: { name: true } } },
      of: ({ agent }: WithAgent) => agent.name,
    },
    execution_temporal_run_id: {
      of: ({ execution_id, execution_temporal_run_id }: WithAgent, ctx) =>
        execution_temporal_run_id ?? (execution_id === null ? null : firstRun(ctx, execution_id)),
    },
  },
  tagged: TAGGED,
  events: (verb, entry) => (verb === 'created' || verb === 'cancelled' ? [entryEvent(verb, entry)] : []),
  state: stateWith('scheduled_work_not_editable'),
})

/** An entry that is cancelled. */
export const CANCELLED_WORK = { ...SCHEDULED_WORK, state: stateWith('scheduled_work_not_cancellable') }

const FACETS = { status: 'w.status' }

/** The entries of the agents that the caller sees. */
export const SCHEDULED_WORK_LIST = SCHEDULED_WORK.list({
  name: 'scheduled_work',
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
    status: SCHEDULED_WORK.by.is('status', 'Only entries in this state.', 'facet'),
    ticket_id: SCHEDULED_WORK.by.is(
      'ticket_id',
      'Only entries for this ticket, by its id in the PSA.',
      'indexed',
    ),
    search: searchFor('w.search_text', 'Only entries with this in `ticket_id` or `ticket_number`.'),
    workflow_id: SCHEDULED_WORK.by.is('workflow_id', 'Only entries of this agent, by its `id`.'),
  },
})

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
