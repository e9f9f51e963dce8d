import type { AgentMemory } from '../../../src/db/generated/client/client.ts'
import { addAgents, share } from '../agents.ts'
import { addMemories } from '../memories.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from './sampler.ts'

/** Agents 1 and 3 are seen by a USER. */
const SEEN = [1, 3]

const uses = ({ restricted_agent_ids }: AgentMemory, agents: readonly number[]): boolean =>
  restricted_agent_ids.length === 0 || restricted_agent_ids.some((id) => agents.includes(id))

export const memories: ListSampler<AgentMemory> = {
  async add(msp, numbers) {
    const known = await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) {
      await addAgents(
        msp,
        [1, 2, 3].map((id) => ({ id, created_by_user_id: id === 1 ? msp.user.id : null })),
      )
      await share(msp, 3, msp.user.id)
    }
    await addMemories(
      msp,
      numbers.map((n) => ({
        id: `mem_${String(n).padStart(3, '0')}`,
        content: `${at(['Invoices', 'CAFÉ 100%', 'a_b'], n)} ${n}`,
        state: at(['ACTIVE', 'ACTIVE', 'ACTIVE', 'DELETED', 'SUPERSEDED'] as const, n),
        deleted_at: n % 5 === 3 ? new Date() : null,
        category: at(['SEMANTIC', 'EPISODIC', 'PROCEDURAL'] as const, n),
        audiences: at([['ALL'], ['TECHNICIANS', 'DISPATCH'], ['END_USERS']] as const, n).slice(),
        scope_type: at(['TENANT', 'CLIENT', 'DEVICE'] as const, n),
        scope_id: at([null, 'psa_1', 'psa_2'], n),
        derivation: at(['STATED', 'STRUCTURAL'] as const, n),
        created_by: at(['USER', 'AGENT', 'SYNC_PSA_DISCOVERY', 'API_KEY'] as const, n),
        confidence: at([1, 0.5, 0.75, 0.255], n >> 3),
        restricted_agent_ids: at([[], [1], [2], [2, 3]], n >> 1),
        test_mode: n % 6 === 5,
        pinned_at: n % 4 === 0 ? instant(n) : null,
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.agentMemory.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.agentMemory.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: {
    created_at: newestFirst(({ id }) => id),
    confidence: [
      { value: ({ confidence }) => confidence, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  lists: ({ state, test_mode }, args) =>
    (args.state !== undefined || state === 'ACTIVE') && (args.test_mode !== undefined || !test_mode),
  isSeenBy: (row) => uses(row, SEEN),
  filters: {
    scope_type: isEqual('scope_type', ['TENANT', 'CLIENT']),
    scope_id: isEqual('scope_id', ['psa_1', 'unknown']),
    category: isEqual('category', ['SEMANTIC', 'PROCEDURAL']),
    audience: {
      values: ['DISPATCH', 'ALL', 'END_USERS'],
      meets: ({ audiences }, value: string) =>
        audiences.includes('ALL') || (audiences as string[]).includes(value),
    },
    derivation: isEqual('derivation', ['STRUCTURAL', 'INFERRED']),
    created_by: isEqual('created_by', ['AGENT', 'API_KEY']),
    agent_id: { values: [1, 2, 999], meets: (row, value: number) => uses(row, [value]) },
    pinned: {
      values: [true, false],
      meets: ({ pinned_at }, value: boolean) => (pinned_at !== null) === value,
    },
    min_confidence: {
      values: [0.255, 0.257, 0.505, 1],
      meets: ({ confidence }, value: number) => confidence >= value,
    },
    state: isEqual('state', ['DELETED', ['ACTIVE', 'SUPERSEDED']]),
    test_mode: isEqual('test_mode', [true, false]),
    search: isIn(({ content }) => [content], ['invo', 'é 1', '_', '%']),
  },
}
