/** The revisions at which the configuration of an agent changed. */
import { scoped, sql } from '../../db/db.ts'
import { descending } from '../../db/keyset.ts'
import { projection } from '../../db/projection.ts'
import { found } from '../../errors.ts'
import type { Context } from '../../gateway/context.ts'
import { numberOf } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { entityId } from '../../schema/entity-id.ts'
import { defineList } from '../../schema/list.ts'
import type { Row } from '../../schema/models.ts'
import { pageType } from '../../schema/page.ts'
import { agentId } from './agent.ts'
import type { Configuration } from './resource.ts'

type AgentRevisionRow = Row<'AgentRevision'>

const AgentRevision = builder.prismaObject('AgentRevision', {
  fields: (t) => ({
    id: t.string(entityId(({ agent_id, revision }) => `${agent_id}/${revision}`)),
    revision: t.exposeInt('revision'),
    changed_at: t.expose('changed_at', { type: 'DateTime' }),
    changed_by_name: t.exposeString('changed_by_name'),
    changed_paths: t.exposeStringList('changed_paths'),
    snapshot: t.expose('snapshot', { type: 'JSON' }),
  }),
})

export const AgentRevisionPage = pageType<AgentRevisionRow>('AgentRevision', AgentRevision)

/** The revisions of one agent, the latest first. The caller must see the agent. */
export const AGENT_REVISIONS = defineList<AgentRevisionRow>()({
  name: 'agent_revisions',
  from: 'agent_revision r',
  columns: projection('AgentRevision', 'r', { always: ['agent_id', 'revision'] }),
  order: [descending('revision', 'int')],
  filters: {
    agent_id: {
      ...agentId,
      where: (id) => ({ text: 'r.agent_id = ?::int', values: [numberOf(id)] }),
    },
  },
})

const SNAPSHOT = scoped(
  'agents.snapshot',
  `select snapshot from agent_revision
   where tenant_id = $1 and environment = $2 and agent_id = $3 and revision = $4::int`,
)

/** The configuration that the agent had at the revision, or 404. Another release may have stored it with fewer fields. */
export async function readSnapshot(
  ctx: Context,
  agent_id: number,
  revision: string,
): Promise<Partial<Configuration>> {
  const rows = await sql<{ snapshot: Partial<Configuration> }>(ctx, SNAPSHOT, [agent_id, numberOf(revision)])
  return found(rows[0], 'agent_revision_not_found', revision).snapshot
}
