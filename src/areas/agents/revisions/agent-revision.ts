/** The revisions at which the configuration of an agent changed. */
import { scoped, sql } from '../../../db/db.ts'
import { descending } from '../../../db/query/keyset.ts'
import { projection } from '../../../db/query/projection.ts'
import { found } from '../../../errors/errors.ts'
import type { Context } from '../../../gateway/context.ts'
import { defineList } from '../../../schema/lists/list.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowTypes } from '../../../schema/row-type.ts'
import { rowId } from '../../../schema/scalars/entity-id.ts'
import { agentId } from '../agent.ts'
import type { Configuration } from '../resource.ts'

type AgentRevisionRow = Row<'AgentRevision'>

const from = madeOf<AgentRevisionRow>()

/** Lists have no snapshots: of large agents, their configurations would be a hundred megabytes. */
export const REVISION_TYPES = rowTypes('AgentRevision', {
  without: ['snapshot'],
  summary: 'A change of the configuration of an agent.',
  fields: (t) => ({
    id: t.id(rowId<AgentRevisionRow>('agent_id', 'revision')),
    revision: t.exposeInt('revision'),
    ...t.columns('changed_at', 'changed_by_name', 'changed_paths'),
    snapshot: t.field({
      type: 'JSON',
      description: 'The whole configuration since the change: the fields of a body that changes an agent.',
      ...from(['agent_id', 'revision'], ({ agent_id, revision }, _args, ctx) =>
        readSnapshot(ctx, agent_id, revision),
      ),
    }),
  }),
})

/** The revisions of one agent, the latest first. The caller must see the agent. */
export const AGENT_REVISIONS = defineList<AgentRevisionRow>()({
  name: 'agent_revisions',
  from: 'agent_revision r',
  columns: projection('AgentRevision', 'r', { always: ['agent_id', 'revision'] }),
  order: [descending('revision', 'int')],
  filters: {
    agent_id: {
      ...agentId,
      where: 'r.agent_id = ?::int',
    },
  },
})

/** The fields of the last whole configuration, in whose place come those of the differences since. */
const SNAPSHOT = `(
    select jsonb_object_agg(field.key, field.value order by c.revision) from agent_revision c
    cross join lateral jsonb_each(coalesce(c.snapshot, c.difference)) field
    where c.tenant_id = $1 and c.environment = $2 and c.agent_id = r.agent_id and c.revision <= r.revision
      and c.revision >= (
        select b.revision from agent_revision b
        where b.tenant_id = $1 and b.environment = $2 and b.agent_id = r.agent_id and b.revision <= r.revision
          and b.snapshot is not null
        order by b.revision desc limit 1))`

const READ_SNAPSHOT = scoped(
  'agents.snapshot',
  `select ${SNAPSHOT} as snapshot from agent_revision r
   where r.tenant_id = $1 and r.environment = $2 and r.agent_id = $3::int and r.revision = $4::int`,
)

/** The configuration that the agent had at the revision, or 404. Another release may have stored it with fewer fields. */
export async function readSnapshot(
  ctx: Context,
  agent_id: number,
  revision: number,
): Promise<Partial<Configuration>> {
  const [row] = await sql<{ snapshot: Partial<Configuration> }>(ctx, READ_SNAPSHOT, [agent_id, revision])
  return found(row, 'agent_revision_not_found', revision).snapshot
}
