/** The shares of an agent, as they are stored and as callers see them. */
import { scope } from '../../../access/policies/policies.ts'
import { maySetShares } from '../../../access/policies/visibility.ts'
import { callerOf } from '../../../access/viewer.ts'
import { ownKey, scoped, sql } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { etagOf, REVISION } from '../../../gateway/entity-tags.ts'
import { builder } from '../../../schema/builder.ts'
import { defineResource } from '../../../schema/changes/change.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import { entityId, rowId } from '../../../schema/scalars/entity-id.ts'
import { wantedFields } from '../../../schema/selection.ts'
import { joinUser } from '../../tenant/index.ts'
import { Agent, type AgentRow } from '../agent.ts'
import { agentOf } from '../queries.ts'
import { AGENT } from '../resource.ts'
import { inOrder, type Share, type State } from '../rules.ts'

/** An agent with its shares, which are part of its revision. */
export interface SharedAgent extends AgentRow {
  shares: Share[]
}

/** A share with the name of its user. */
interface NamedShare extends Row<'AgentShare'> {
  name?: string
}

const from = madeOf<NamedShare>()

const AgentShare = rowType('AgentShare', {
  fields: (t) => ({
    id: t.id(rowId<NamedShare>('agent_id', 'user_id')),
    ...t.columns('user_id'),
    name: t.string({ description: 'The name that the user has now.', ...from('name') }),
    ...t.columns('can_edit'),
    shared_at: t.expose('created_at', { type: 'DateTime' }),
  }),
})

export const AgentShares = builder.objectRef<SharedAgent>('AgentShares').implement({
  description: 'The users with whom an agent is shared.',
  fields: (t) => ({
    id: t.id(entityId(({ id }) => String(id))),
    agent_id: t.int({ description: 'The number of the agent.', resolve: ({ id }) => id }),
    shares: t.field({
      type: [AgentShare],
      max_items: 200,
      description: 'By the name of the user, then by `user_id`. The creator is not among them.',
      resolve: ({ id, shares }, _args, ctx) =>
        shares.map((share) => ({ ...ownKey(ctx, { agent_id: id }), ...share })),
    }),
    revision: t.exposeInt('revision', { description: `The revision of the agent. ${REVISION}` }),
    agent: t.field({
      type: Agent,
      graph_only: true,
      access: scope('agents:read'),
      description: 'The agent.',
      resolve: ({ id }, _args, ctx, info) => agentOf(ctx, { id, fields: wantedFields(info) }),
    }),
  }),
})

// Contract silent: shares are part of the agent, whose revision a change of them raises.
/** People's names are not changed through this API. */
export const sharesEtag = ({ revision, shares }: SharedAgent): string =>
  etagOf(
    revision,
    shares.map(({ name }) => name),
  )

export const AGENT_SHARES = defineResource<SharedAgent, State>()({
  ...AGENT,
  etag: sharesEtag,
  written_apart: ['shares'],
})

/** 403 for a caller who sees the agent and does not decide with whom it is shared. */
export function checkMaySetShares(ctx: Context, agent: Pick<AgentRow, 'created_by_user_id'>): void {
  if (maySetShares(callerOf(ctx), agent)) return
  throw new ApiError('forbidden', {
    message: 'The shares of an agent are for its creator and for an ADMIN.',
    details: { required_role: 'ADMIN' },
  })
}

const SHARES = scoped(
  'agents.shares',
  `select s.user_id, u.name, s.can_edit, s.created_at from agent_share s
   ${joinUser('s')}
   where s.tenant_id = $1 and s.environment = $2 and s.agent_id = $3`,
)

/** The agent with its shares. */
export async function withShares(ctx: Context, agent: AgentRow): Promise<SharedAgent> {
  const rows = await sql<Share>(ctx, SHARES, [agent.id])
  return { ...agent, shares: inOrder(rows.map((row) => ({ ...row }))) }
}
