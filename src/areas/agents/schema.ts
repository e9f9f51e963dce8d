import { listOperation } from '../../schema/lists/list-operation.ts'
import './states.ts'
import './sharing/shares.ts'
import './revisions/revisions.ts'
import './configuration/write.ts'
import './configuration/validate.ts'
import { scope } from '../../access/policies/policies.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Agent, agentEtag, agentId } from './agent.ts'
import { area } from './area.ts'
import { CONFIG_NAMES } from './configuration/rules/config-objects.ts'
import { AGENTS, readAgent } from './queries.ts'

listOperation(area, 'agents', AGENTS, {
  of: Agent,
  description: 'Lists the agents that the caller sees, without their config objects.',
  rest: { method: 'GET', path: '/agents', omit: CONFIG_NAMES },
  access: scope('agents:read'),
})

area.query('agent', (t) =>
  t.field({
    type: Agent,
    description:
      'Gets an agent with its config objects, in whatever state. One that the caller does not see is answered as ' +
      'one that does not exist.',
    rest: { method: 'GET', path: '/agents/{agent_id}' },
    access: scope('agents:read'),
    errors: ['agent_not_found'],
    etag: agentEtag,
    args: { agent_id: t.arg(agentId) },
    resolve: (_root, { agent_id }, ctx, info) => readAgent(ctx, agent_id, wantedFields(info)),
  }),
)
