import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { MEMORIES, MEMORY } from './queries.ts'
import './create.ts'
import './life.ts'
import './update.ts'

const memories = onTable(area, MEMORY)

memories.list('memories', MEMORIES, {
  description:
    'Lists the memories of agents. Those for agents that the caller does not see are not listed; those that are ' +
    'deleted, replaced or made by tests are listed if they are asked for.',
  rest: { method: 'GET', path: '/memories' },
  access: scope('memories:read'),
})

memories.read('memory', {
  description:
    'Gets a memory, in whatever state. One for agents none of which the caller sees is answered as one that does ' +
    'not exist.',
  rest: { method: 'GET', path: '/memories/{memory_id}' },
  access: scope('memories:read'),
})
