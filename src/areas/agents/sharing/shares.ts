/** Sharing an agent with users who did not create it. */
import { scope } from '../../../access/policies/policies.ts'
import { scoped, sql } from '../../../db/db.ts'
import { invalid } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { builder } from '../../../schema/builder.ts'
import { change } from '../../../schema/changes/change.ts'
import { namesOfUsers } from '../../tenant/index.ts'
import { agentId } from '../agent.ts'
import { area } from '../area.ts'
import { readAgent } from '../queries.ts'
import { lockVisibleAgent } from '../resource.ts'
import { type GivenShare, replacedShares, type Share, shareProblems } from '../rules.ts'
import {
  AGENT_SHARES,
  AgentShares,
  checkMaySetShares,
  type SharedAgent,
  sharesEtag,
  withShares,
} from './agent-shares.ts'

const READ_FOR_SHARES = new Set(['created_by_user_id'])

area.query('agent_shares', (t) =>
  t.field({
    type: AgentShares,
    description:
      'Gets the users with whom an agent is shared. It is for the agent’s creator, for OWNER and ADMIN, and for API ' +
      'keys with no acting user.',
    rest: { method: 'GET', path: '/agents/{agent_id}/shares' },
    access: scope('agents:read'),
    errors: ['agent_not_found'],
    etag: sharesEtag,
    args: { agent_id: t.arg(agentId) },
    resolve: async (_root, { agent_id }, ctx) => {
      const agent = await readAgent(ctx, agent_id, READ_FOR_SHARES)
      checkMaySetShares(ctx, agent)
      return await withShares(ctx, agent)
    },
  }),
)

const AgentShareInput = builder.inputType('AgentShareInput', {
  description: 'A user with whom the agent is to be shared.',
  fields: (t) => ({
    user_id: t.field({ type: 'ID', required: true, description: 'The id of the user.' }),
    can_edit: t.boolean({
      defaultValue: false,
      description: 'true: the user may change the agent too, if their role allows it.',
    }),
  }),
})

const AgentSharesReplacement = builder.inputType('AgentSharesReplacement', {
  description: 'The users with whom the agent is shared from now on.',
  fields: (t) => ({
    shares: t.field({
      type: [AgentShareInput],
      required: true,
      max_items: 200,
      description: 'All of them: who is left out loses the agent.',
    }),
  }),
})

const REPLACE = scoped(
  'agents.replace_shares',
  `with removed as (
     delete from agent_share
     where tenant_id = $1 and environment = $2 and agent_id = $3 and user_id <> all($4::text[])
   )
   insert into agent_share (tenant_id, environment, agent_id, user_id, can_edit, created_at)
   select $1, $2, $3, user_id, can_edit, $6 from unnest($4::text[], $5::boolean[]) as given (user_id, can_edit)
   on conflict (tenant_id, environment, agent_id, user_id) do update set can_edit = excluded.can_edit
   where agent_share.can_edit <> excluded.can_edit`,
)

async function storeShares(ctx: Context, agent_id: number, shares: readonly Share[]): Promise<void> {
  const users = shares.map(({ user_id }) => user_id)
  await sql(ctx, REPLACE, [agent_id, users, shares.map(({ can_edit }) => can_edit), ctx.now])
}

/** Replaces the shares of the agent; 422 for users with whom it cannot be shared. */
async function replaceShares(
  ctx: Context,
  agent_id: number,
  given: readonly GivenShare[],
): Promise<SharedAgent> {
  const agent = await lockVisibleAgent(ctx, agent_id)
  checkMaySetShares(ctx, agent)
  const names = await namesOfUsers(
    ctx,
    given.map(({ user_id }) => user_id),
  )
  let shares: Share[] = []
  return await change(ctx, AGENT_SHARES, withShares(ctx, agent), {
    verb: 'shared',
    decide: (stored) => {
      const problems = shareProblems(given, names, stored.created_by_user_id)
      if (problems.length > 0) throw invalid(problems)
      shares = replacedShares(stored.shares, given, names, ctx.now)
      return { shares }
    },
    beforeWrite: ({ id }) => storeShares(ctx, id, shares),
  })
}

area.mutation('set_agent_shares', (t) =>
  t.field({
    type: AgentShares,
    description:
      'Replaces the users with whom an agent is shared: all of them or, on an error, none. They see the agent and its ' +
      'executions, and may run it if their role allows it. It is for the agent’s creator, for OWNER and ADMIN, and ' +
      'for API keys with no acting user. A user who was among them keeps `shared_at`.',
    rest: { method: 'PUT', path: '/agents/{agent_id}/shares' },
    access: scope('agents:write'),
    errors: ['agent_not_found', 'version_conflict'],
    etag: sharesEtag,
    args: {
      agent_id: t.arg(agentId),
      input: t.arg({ type: AgentSharesReplacement, required: true }),
    },
    resolve: (_root, { agent_id, input }, ctx) =>
      replaceShares(
        ctx,
        agent_id,
        input.shares.map(({ user_id, can_edit }) => ({ user_id, can_edit: can_edit ?? false })),
      ),
  }),
)
