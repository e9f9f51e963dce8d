/** Operations that create and change agents by the rules. */
import { scope } from '../../../access/policies/policies.ts'
import type { Context } from '../../../gateway/context.ts'
import { connectedSystems } from '../../integrations/index.ts'
import { Agent, type AgentRow, agentEtag, agentId, LEAN_ANSWER } from '../agent.ts'
import { area } from '../area.ts'
import { type Configuration, lockEditableAgent, reconfigure, storeAgent } from '../resource.ts'
import { AgentDraft, AgentPatch } from './input.ts'
import { CREATE_RULES, UPDATE_RULES, VALIDATOR } from './published-rules.ts'
import { connectionWarnings } from './rules/whole-agent.ts'
import { bodyOf, factsOf, MAX_BODY_BYTES, techniciansIn, toDraft, validFields } from './validation.ts'

area.mutation('create_agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Creates an agent of the caller, as a DRAFT unless `activate` is true. What the body has beyond its fields is ' +
      'ignored, and named in a warning; tools that cannot be requested are left out. Problems of the body are 400 ' +
      '`validation_error`, all of them together, each with the code of a rule of `GET /public-api/schemas/agents`.',
    rest: { method: 'POST', path: '/agents', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: ['validation_error'],
    etag: agentEtag,
    max_body_bytes: MAX_BODY_BYTES,
    args: { input: t.arg({ type: AgentDraft, required: true, own_rules: CREATE_RULES }) },
    resolve: async (_root, { input }, ctx) => {
      const body = bodyOf(ctx, input)
      const facts = { connected: null, technicians: await techniciansIn(ctx, body) }
      const fields = validFields(ctx, VALIDATOR.draft(body, facts))
      // Read in the round trip of the write: what is not connected speaks against nothing.
      const [connected, agent] = await Promise.all([connectedSystems(ctx), storeAgent(ctx, toDraft(fields))])
      ctx.warnings.push(...connectionWarnings(fields, { connected }))
      ctx.location = `/agents/${agent.id}`
      return agent
    },
  }),
)

/** Changes the fields of the agent that the body has. */
async function update(ctx: Context, agent_id: number, input: object): Promise<AgentRow> {
  const body = bodyOf(ctx, input)
  const agent = await lockEditableAgent(ctx, agent_id)
  const facts = await factsOf(ctx, body)
  return await reconfigure(ctx, agent, {
    verb: 'updated',
    decide: (stored) =>
      validFields(ctx, VALIDATOR.patch({ ...stored }, body, facts)) as Partial<Configuration>,
  })
}

const PARTIAL =
  'A field that is left out keeps its value; a config object that is given replaces the stored one; ' +
  '`agent_settings_edits` is merged into the settings last. The answer has no config: read the agent back to see it. '

const UPDATE_ERRORS = ['validation_error', 'agent_not_found', 'agent_not_active', 'version_conflict'] as const

// Contract silent: PUT is as partial as PATCH, so that an agent that was read can be sent back.
area.mutation('replace_agent', (t) =>
  t.field({
    type: Agent,
    description: `Replaces the config objects and fields that are given. ${PARTIAL}An agent that was read and is sent back stays as it is.`,
    rest: { method: 'PUT', path: '/agents/{agent_id}', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: UPDATE_ERRORS,
    etag: agentEtag,
    max_body_bytes: MAX_BODY_BYTES,
    args: {
      agent_id: t.arg(agentId),
      input: t.arg({ type: AgentPatch, required: true, own_rules: UPDATE_RULES }),
    },
    resolve: (_root, { agent_id, input }, ctx) => update(ctx, agent_id, input),
  }),
)

area.mutation('update_agent', (t) =>
  t.field({
    type: Agent,
    description: `Changes the fields that are given. ${PARTIAL}An ARCHIVED agent cannot be changed.`,
    rest: { method: 'PATCH', path: '/agents/{agent_id}', ...LEAN_ANSWER },
    access: scope('agents:write'),
    errors: UPDATE_ERRORS,
    etag: agentEtag,
    max_body_bytes: MAX_BODY_BYTES,
    args: {
      agent_id: t.arg(agentId),
      input: t.arg({ type: AgentPatch, required: true, own_rules: UPDATE_RULES }),
    },
    resolve: (_root, { agent_id, input }, ctx) => update(ctx, agent_id, input),
  }),
)
