import { scope } from '../../access/policies/policies.ts'
import { wantedFields } from '../../schema/selection.ts'
import { area } from './area.ts'
import { AgentMemory, MemoryPage, memoryEtag, memoryId } from './memory.ts'
import { MEMORIES, readMemory } from './queries.ts'
import './create.ts'
import './life.ts'
import './update.ts'

area.query('memories', (t) =>
  t.field({
    type: MemoryPage,
    description:
      'Lists the memories of agents. Those for agents that the caller does not see are not listed; those that are ' +
      'deleted, replaced or made by tests are listed if they are asked for.',
    rest: { method: 'GET', path: '/memories' },
    access: scope('memories:read'),
    args: MEMORIES.args,
    resolve: MEMORIES.resolve,
  }),
)

area.query('memory', (t) =>
  t.field({
    type: AgentMemory,
    description:
      'Gets a memory, in whatever state. One for agents none of which the caller sees is answered as one that does ' +
      'not exist.',
    rest: { method: 'GET', path: '/memories/{memory_id}' },
    access: scope('memories:read'),
    errors: ['memory_not_found'],
    etag: memoryEtag,
    args: { memory_id: t.arg(memoryId) },
    resolve: (_root, { memory_id }, ctx, info) => readMemory(ctx, memory_id, wantedFields(info)),
  }),
)
