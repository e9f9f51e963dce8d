/** Agents as a resource that is changed: locked rows, writes, and the revisions of the configuration. */

import { editableBy, restrictedUser, visibleTo } from '../../access/policies/visibility.ts'
import { callerOf, personIdOf, recordedName, usersBehind } from '../../access/viewer.ts'
import { type DatabaseContext, scopedInsert, sql } from '../../db/db.ts'
import { select } from '../../db/query/fragment.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { insertRecorded, recordedInsert } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { change, defineResource, targetOf } from '../../schema/changes/change.ts'
import { updateOf } from '../../schema/changes/row-update.ts'
import { type AgentRow, agentEtag } from './agent.ts'
import { eventsOfChange, eventsOfNew } from './events.ts'
import { columns, person, RUNNABLE } from './queries.ts'
import {
  CHANGEABLE,
  CONFIGURATION,
  changedFields,
  changedPaths,
  configurationIn,
  type State,
} from './rules.ts'

const LOCK = `select ${columns.select(null)}, $user::text is null or ${editableBy('$user::text')} as can_edit
  from agent a
  where a.tenant_id = $1 and a.environment = $2 and a.id = $id::int
    and ($user::text is null or ${visibleTo('$user::text')})
  for update of a`

type LockedAgent = AgentRow & { can_edit: boolean }

async function lock(ctx: Context, agent_id: number): Promise<LockedAgent> {
  const user = restrictedUser(callerOf(ctx))
  const parameters = { id: agent_id, user, person: person(ctx) }
  const [row] = await select<LockedAgent>(ctx, 'agents.lock', { text: LOCK }, parameters)
  return found(row, 'agent_not_found', agent_id)
}

/** The agent, locked until the transaction ends; 404 if the caller does not see it. */
export async function lockVisibleAgent(ctx: Context, agent_id: number): Promise<AgentRow> {
  const { can_edit: _, ...agent } = await lock(ctx, agent_id)
  return agent
}

/** The agent, locked until the transaction ends; 404 if the caller does not see it, 403 if they may not change it. */
export async function lockEditableAgent(ctx: Context, agent_id: number): Promise<AgentRow> {
  const { can_edit, ...agent } = await lock(ctx, agent_id)
  if (can_edit) return agent
  throw new ApiError('forbidden', {
    message: 'An agent is changed by its creator, by users it is shared with to edit, and by an ADMIN.',
    details: { required_role: 'ADMIN' },
  })
}

const READ_RUNNABLE = `select ${columns.select(RUNNABLE)} from agent a
  where a.tenant_id = $1 and a.environment = $2 and a.id = $id::int
    and ($user::text is null or ${visibleTo('$user::text')})
  for share of a`

/** The agent with the columns that decide whether it runs, locked against changes (`for share`); 404 as above. */
export async function readRunnable(ctx: Context, agent_id: number): Promise<AgentRow> {
  const parameters = { id: agent_id, user: restrictedUser(callerOf(ctx)) }
  const [row] = await select<AgentRow>(ctx, 'agents.runnable', { text: READ_RUNNABLE }, parameters)
  return found(row, 'agent_not_found', agent_id)
}

/** The same for the service itself, without a check of visibility; null if it is gone. */
export async function readForService(ctx: DatabaseContext, id: number): Promise<AgentRow | null> {
  const parameters = { id, user: null }
  const [row] = await select<AgentRow>(ctx, 'agents.runnable', { text: READ_RUNNABLE }, parameters)
  return row ?? null
}

/** 409 with the state that a change or an activation of the agent is refused for. */
function notChangeable({ id }: AgentRow, current_state: State): ApiError {
  return new ApiError('agent_not_active', { details: { id: String(id), current_state } })
}

/** 409 if the agent, being ARCHIVED, is changed no more. */
export function checkChangeable(agent: AgentRow): void {
  const { state } = agent
  if (!CHANGEABLE.some((one) => one === state)) throw notChangeable(agent, state)
}

export const AGENT = defineResource<AgentRow, State>()({
  noun: 'agent',
  etag: agentEtag,
  named: ({ id, name }) => ({ id: String(id), name }),
  write: updateOf('Agent', { key: ['id'], columns: ['state', ...CONFIGURATION] }),
  state: {
    of: ({ state }) => state,
    refusal: notChangeable,
  },
  events: eventsOfChange,
})

const REVISION_COLUMNS =
  'agent_id, revision, changed_at, changed_by_name, changed_by_user_ids, changed_paths, snapshot'

/** The most differences in a row: a revision is read with those before it. */
const DIFFERENCES = 15

/** Stores the difference if one of the revisions before has the whole configuration, the last of them all fields. */
const STORE_REVISION = scopedInsert(
  'agents.store_revision',
  `insert into agent_revision (tenant_id, environment, ${REVISION_COLUMNS}, difference)
   select $1, $2, $3::int, $4::int, $5::timestamptz, $6::text, $7::text[], $8::text[],
     case when stored.has_base then null else $9::jsonb end, case when stored.has_base then $10::jsonb end
   from (
     select coalesce((
       select jsonb_exists_all(before.snapshot, array(select jsonb_object_keys($9::jsonb)))
       from (
         select r.revision, r.snapshot from agent_revision r
         where r.tenant_id = $1 and r.environment = $2 and r.agent_id = $3::int
         order by r.revision desc limit ${DIFFERENCES}
       ) before
       where before.snapshot is not null order by before.revision desc limit 1
     ), false) as has_base
   ) stored`,
)

export type Configuration = Pick<AgentRow, (typeof CONFIGURATION)[number]>

/** Stores the configuration that the agent has at its revision. */
async function storeRevision(
  ctx: Context,
  before: Configuration,
  after: Configuration & Pick<AgentRow, 'id' | 'revision'>,
): Promise<void> {
  const { id, revision } = after
  const caller = callerOf(ctx)
  await sql(ctx, STORE_REVISION, [
    id,
    revision,
    ctx.now,
    recordedName(caller),
    usersBehind(caller),
    changedPaths(before, after),
    JSON.stringify(configurationIn(after)),
    JSON.stringify(changedFields(before, after)),
  ])
}

/**
 * Changes the configuration of the agent, which is locked, and stores the revision in the same transaction. An ARCHIVED
 * agent is refused. `decide` throws the refusal of a change that is not possible.
 */
export function reconfigure(
  ctx: Context,
  locking: AgentRow | Promise<AgentRow>,
  { verb, decide }: { verb: string; decide(agent: AgentRow): Partial<Configuration> },
): Promise<AgentRow> {
  let configured: Partial<Configuration> = {}
  return change(ctx, AGENT, locking, {
    verb,
    from: CHANGEABLE,
    decide: (agent) => {
      configured = decide(agent)
      return configured
    },
    beforeWrite: (agent) =>
      storeRevision(ctx, agent, { ...agent, ...configured, revision: agent.revision + 1 }),
  })
}

const DRAFTED = ['state', ...CONFIGURATION] as const

const CREATE = recordedInsert('agents.create', 'Agent', {
  columns: [...DRAFTED, 'created_by_user_id', 'created_by_name', 'created_at', 'updated_at'],
  parameters: ['changed_by_user_ids', 'changed_paths', 'snapshot'],
  returning: 'row',
  also: `insert into agent_revision (tenant_id, environment, ${REVISION_COLUMNS})
    select $1, $2, id, revision, created_at, created_by_name, $changed_by_user_ids::text[], $changed_paths::text[], $snapshot::jsonb from written`,
  makes_id: true,
})

/** Stores a new agent of the caller, with its first revision. Nothing is written after it. */
export async function storeAgent(ctx: Context, draft: Configuration & { state: State }): Promise<AgentRow> {
  const caller = callerOf(ctx)
  const row = {
    ...draft,
    created_by_user_id: personIdOf(caller),
    created_by_name: recordedName(caller),
    created_at: ctx.now,
    updated_at: ctx.now,
    changed_by_user_ids: usersBehind(caller),
    changed_paths: changedPaths(null, draft),
    snapshot: JSON.stringify(configurationIn(draft)),
  }
  const targets = [targetOf(AGENT, { id: '', name: draft.name })]
  const activity = { action: 'agent.created', targets, after: draft, events: eventsOfNew(draft) }
  const stored = await insertRecorded(ctx, CREATE, row, activity, { last: true })
  return { ...stored, shared_with_me: false, last_run_at: null }
}
