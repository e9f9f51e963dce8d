import type { Agent } from '../../../src/db/generated/client/client.ts'
import { addAgents, shareAll } from '../agents.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from './sampler.ts'

type Row = Agent & { shared_with: string[] }

export const agents: ListSampler<Row> = {
  async add(msp, numbers) {
    await addAgents(
      msp,
      numbers.map((n) => ({
        id: n + 1,
        name: `${at(['Triage', 'CAFÉ 100%', 'a_b', 'mail'], n)} ${n % 7}`,
        state: at(['ACTIVE', 'DRAFT', 'ARCHIVED', 'PAUSED', 'ACTIVE'] as const, n),
        autonomy_type: at(['AGENTIC', 'CHAINED_ACTIONS'] as const, n),
        trigger_type: at(['TRIGGERED', 'SCHEDULED', 'ON_DEMAND'] as const, n),
        entity_type: at(['TICKET', 'NONE'] as const, n >> 1),
        supervised: n % 3 === 0,
        created_by_user_id: n % 4 === 0 ? msp.user.id : null,
        created_at: instant(n),
      })),
    )
    const shared = numbers.filter((n) => n % 4 === 1)
    await shareAll(
      msp,
      shared.map((n) => n + 1),
      msp.user.id,
    )
  },
  async rows({ database: { prisma }, tenant_id }) {
    const rows = await prisma.agent.findMany({ where: { tenant_id }, include: { shares: true } })
    return rows.map(({ shares, ...row }) => ({ ...row, shared_with: shares.map(({ user_id }) => user_id) }))
  },
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.agent.deleteMany({ where: { tenant_id, id: Number(id) } })
  },
  id: 'id',
  orders: {
    created_at: newestFirst(({ id }) => id),
    name: [{ value: ({ name }) => name.toLowerCase() }, { value: ({ id }) => id }],
  },
  lists: ({ state }, args) => args.state !== undefined || state !== 'ARCHIVED',
  isSeenBy: (row, user_id) => row.created_by_user_id === user_id || row.shared_with.includes(user_id),
  filters: {
    state: isEqual('state', ['ACTIVE', ['DRAFT', 'ARCHIVED']]),
    autonomy_type: isEqual('autonomy_type', ['AGENTIC', 'CONVERSATIONAL']),
    trigger_type: isEqual('trigger_type', ['SCHEDULED', 'CHAT']),
    entity_type: isEqual('entity_type', ['NONE', 'TICKET']),
    supervised: isEqual('supervised', [true, false]),
    search: isIn(({ name }) => [name], ['é 1', '%', '_', 'TRI']),
  },
}
