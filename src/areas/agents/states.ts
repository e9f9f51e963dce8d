/** The life of an agent: it is activated, paused and, at last, archived. */
import { scope } from '../../access/policies/policies.ts'
import { change } from '../../schema/changes/change.ts'
import { Agent, agentEtag, agentId, LEAN_ANSWER } from './agent.ts'
import { AGENT_ARCHIVED } from './archived.ts'
import { area } from './area.ts'
import { prepareValidation } from './configuration/validation.ts'
import { AGENT, lockEditableAgent } from './resource.ts'
import { CHANGEABLE, STATES } from './rules.ts'

area.mutation('activate_agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Activates an agent that is a DRAFT or PAUSED, so that it runs from now on. It is validated by every rule ' +
      'again: 400 `validation_error` has all problems. One that is ACTIVE already stays as it is.',
    rest: { method: 'POST', path: '/agents/{agent_id}/activate', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: ['validation_error', 'agent_not_found', 'agent_not_active', 'version_conflict'],
    etag: agentEtag,
    args: { agent_id: t.arg(agentId) },
    resolve: async (_root, { agent_id }, ctx) => {
      const agent = await lockEditableAgent(ctx, agent_id)
      const check = await prepareValidation(ctx, agent)
      return await change(ctx, AGENT, agent, {
        verb: 'activated',
        from: CHANGEABLE,
        to: 'ACTIVE',
        decide: () => {
          check()
          return { state: 'ACTIVE' as const }
        },
      })
    },
  }),
)

area.mutation('pause_agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Pauses an ACTIVE agent: it starts nothing until it is activated again. What it has started goes on. One that ' +
      'is PAUSED already stays as it is.',
    rest: { method: 'POST', path: '/agents/{agent_id}/pause', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: ['agent_not_found', 'agent_not_active', 'version_conflict'],
    etag: agentEtag,
    args: { agent_id: t.arg(agentId) },
    resolve: (_root, { agent_id }, ctx) =>
      change(ctx, AGENT, lockEditableAgent(ctx, agent_id), {
        verb: 'paused',
        from: ['ACTIVE', 'PAUSED'],
        to: 'PAUSED',
        decide: () => ({ state: 'PAUSED' as const }),
      }),
  }),
)

area.mutation('archive_agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Archives an agent, in whatever state. That is final: it never runs again, and is listed only if ARCHIVED ' +
      'agents are asked for. Its executions stay, and those that are live come to their end. One that is ARCHIVED ' +
      'already stays as it is.',
    rest: { method: 'DELETE', path: '/agents/{agent_id}', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: ['agent_not_found', 'version_conflict'],
    etag: agentEtag,
    args: { agent_id: t.arg(agentId) },
    resolve: (_root, { agent_id }, ctx) =>
      change(ctx, AGENT, lockEditableAgent(ctx, agent_id), {
        verb: 'archived',
        from: STATES,
        to: 'ARCHIVED',
        decide: () => ({ state: 'ARCHIVED' as const }),
        // Contract silent: a live execution goes on with the agent as it was, and can be cancelled.
        beforeWrite: ({ id }) => AGENT_ARCHIVED.get()(ctx, id),
      }),
  }),
)
