import fc from 'fast-check'
import type { AgentMemory } from '../../../src/db/generated/client/client.ts'
import { addAgents, share } from '../../setup/agents.ts'
import { addMemories } from '../../setup/memories.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some, textOrNone } from '../../setup/suites/sent-back.ts'
import { AGENTS, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'

const FACT = { content: 'Invoices go out on Thursdays.', category: 'PROCEDURAL', scope_type: 'TENANT' }

const memory_id = from('memories', 'id')

/** Agents 1 and 3 are seen by a USER. */
const SEEN = [1, 3]

const uses = ({ restricted_agent_ids }: AgentMemory, agents: readonly number[]): boolean =>
  restricted_agent_ids.length === 0 || restricted_agent_ids.some((id) => agents.includes(id))

const memories: ListSampler<AgentMemory> = {
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
  indexed: ['state', 'test_mode'],
  grows: { scope_id: ['7', '-'], agent_id: [1, 200, 301, 9999], min_confidence: [0.4, 0.505, 0.9, 1] },
}

export const SUITES: AreaSuites = {
  who_may: {
    memories: { scope: 'memories:read' },
    memory: { scope: 'memories:read' },
    create_memory: { scope: 'memories:write' },
    update_memory: { scope: 'memories:write' },
    pin_memory: { scope: 'memories:write' },
    unpin_memory: { scope: 'memories:write' },
    confirm_memory: { scope: 'memories:write' },
    delete_memory: { scope: 'memories:write' },
    restore_memory: { scope: 'memories:write' },
  },
  examples: {
    reads: {
      memories: { scope_type: 'CLIENT', page_size },
      memory: { memory_id: from('memories', 'id') },
    },
    writes: {
      create_memory: {
        input: {
          content: 'The reception of Alder & Finch is closed on Friday afternoons.',
          category: 'SEMANTIC',
          scope_type: 'CLIENT',
          scope_id: '1041',
          audiences: ['TECHNICIANS'],
          evidence: 'Said on the phone by the office manager.',
        },
      },
      update_memory: {
        memory_id: from('memories', 'id', 1),
        input: { audiences: ['TECHNICIANS', 'DISPATCH'] },
      },
      confirm_memory: { memory_id },
      pin_memory: { memory_id },
      unpin_memory: { memory_id },
      delete_memory: { memory_id },
      restore_memory: { memory_id },
    },
  },
  async own_rows(msp, { id, mark }) {
    const memory_id = `mem_${id}`
    await addMemories(msp, [{ id: memory_id, content: mark, evidence: mark }])
    return { memory_id }
  },
  events: {
    'memory.created': ({ call }) => call('create_memory', { input: FACT }),
    async 'memory.superseded'({ call }) {
      const { id } = await call('create_memory', { input: FACT })
      await call('update_memory', { memory_id: id, input: { content: 'Invoices go out on Fridays.' } })
    },
  },
  lists: { memories },
  skewed_rows: {
    agent_memory: {
      id: `'mem_' || lpad(n::text, 7, '0')`,
      state: ofEnum('memory_state', 'ACTIVE'),
      content: `'A memory'`,
      category: ofEnum('memory_category', 'SEMANTIC', 2),
      audiences: mostly(
        `array['TECHNICIANS']::memory_audience[]`,
        `array[(array['ALL', 'END_USERS', 'DISPATCH'])[1 + ? % 3]]::memory_audience[]`,
        3,
      ),
      scope_type: ofEnum('memory_scope_type', 'CLIENT', 5),
      scope_id: `(n % 50000)::text`,
      derivation: ofEnum('memory_derivation', 'OBSERVED', 7),
      confidence: mostly('0.5', '(? % 2)::float8'),
      created_by: ofEnum('memory_creator', 'AGENT', 11),
      // Rows that a USER sees are rare.
      restricted_agent_ids: mostly('array[1]', `array[1 + ? % ${AGENTS}]`, 2),
      test_mode: mostly('false', '? % 2 = 0', 13),
      pinned_at: mostly('null', `(case ? % 2 when 0 then ${at_row} end)`, 17),
      created_at: at_row,
      updated_at: at_row,
    },
  },
  channel_writes: {
    create_memory: 'runs at once',
    update_memory: 'runs at once',
    pin_memory: 'runs at once',
    unpin_memory: 'runs at once',
    confirm_memory: 'runs at once',
    delete_memory: 'runs at once',
    restore_memory: 'runs at once',
  },
  fetched_again: {
    create_memory: ['memories'],
    delete_memory: ['memories'],
    restore_memory: ['memories'],
  },
  sent_back: {
    update_memory: {
      bodies: () =>
        some({
          category: fc.constantFrom('SEMANTIC', 'EPISODIC', 'PROCEDURAL'),
          audiences: fc.constantFrom(['ALL'], ['TECHNICIANS', 'DISPATCH']),
          confidence: fc.constantFrom(0, 0.1, 0.7, 1),
          evidence: textOrNone,
        }),
    },
  },
  error_codes: {
    404: 'memory_not_found',
    409: 'memory_pinned memory_superseded memory_deleted',
    422: 'secret_in_content',
  },
}
