/** The history of an agent's configuration, and the way back to an earlier one. */

import { scope } from '../../../access/policies/policies.ts'
import { db, ownKey } from '../../../db/db.ts'
import { found } from '../../../errors/errors.ts'
import { listOperation } from '../../../schema/lists/list-operation.ts'
import { NO_FIELDS } from '../../../schema/selection.ts'
import { Agent, agentEtag, agentId, LEAN_ANSWER } from '../agent.ts'
import { area } from '../area.ts'
import { prepareValidation } from '../configuration/validation.ts'
import { readAgent } from '../queries.ts'
import { lockEditableAgent, reconfigure } from '../resource.ts'
import { configurationIn } from '../rules.ts'
import { AGENT_REVISIONS, REVISION_TYPES, readSnapshot } from './agent-revision.ts'

const revisionNumber = {
  type: 'Int',
  required: true,
  unknown: 'agent_revision_not_found',
  description: 'One of the revisions that the list of them has.',
} as const

listOperation(area, 'agent_revisions', AGENT_REVISIONS, {
  of: REVISION_TYPES.summary,
  page: 'AgentRevision',
  description:
    'Lists the revisions at which the configuration of an agent changed, the latest first. Their numbers have gaps: ' +
    'activating, pausing, archiving and sharing an agent raise its revision too. Each is read singly with its ' +
    'configuration.',
  rest: { method: 'GET', path: '/agents/{agent_id}/revisions' },
  access: scope('agents:read'),
  errors: ['agent_not_found'],
  check: (ctx, { agent_id }) => readAgent(ctx, agent_id as number, NO_FIELDS),
})

area.query('agent_revision', (t) =>
  t.prismaField({
    type: REVISION_TYPES.of,
    description: 'Gets a revision of an agent, with the configuration that the agent had since then.',
    rest: { method: 'GET', path: '/agents/{agent_id}/revisions/{revision}' },
    access: scope('agents:read'),
    errors: ['agent_not_found', 'agent_revision_not_found'],
    args: { agent_id: t.arg(agentId), revision: t.arg(revisionNumber) },
    resolve: async (query, _root, { agent_id, revision }, ctx) => {
      await readAgent(ctx, agent_id, NO_FIELDS)
      const where = { tenant_id_environment_agent_id_revision: ownKey(ctx, { agent_id, revision }) }
      const row = await db(ctx).agentRevision.findUnique({ ...query, where })
      return found(row, 'agent_revision_not_found', revision)
    },
  }),
)

area.mutation('restore_agent_revision', (t) =>
  t.field({
    type: Agent,
    description:
      'Gives an agent the configuration back that it had at a revision, as a change with a new revision. Its state and ' +
      'its shares stay. An agent that has this configuration stays as it is.',
    rest: {
      method: 'POST',
      path: '/agents/{agent_id}/revisions/{revision}/restore',
      ...LEAN_ANSWER,
    },
    access: scope('agents:write'),
    errors: [
      'validation_error',
      'agent_not_found',
      'agent_revision_not_found',
      'agent_not_active',
      'version_conflict',
    ],
    etag: agentEtag,
    args: {
      agent_id: t.arg(agentId),
      revision: t.arg(revisionNumber),
    },
    resolve: async (_root, { agent_id, revision }, ctx) => {
      const agent = await lockEditableAgent(ctx, agent_id)
      const snapshot = await readSnapshot(ctx, agent.id, revision)
      const restored = configurationIn(snapshot)
      const check = await prepareValidation(ctx, { ...agent, ...restored })
      return await reconfigure(ctx, agent, {
        verb: 'restored',
        // Contract silent: what was possible once and is no longer, such as a tool that is gone, is not restored.
        decide: () => {
          check()
          return restored
        },
      })
    },
  }),
)
