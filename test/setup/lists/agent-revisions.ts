import type { AgentRevision } from '../../../src/db/generated/client/client.ts'
import { addAgents, addRevisions } from '../agents.ts'
import { instant, type ListSampler } from './sampler.ts'

/** Every fifth revision is of another agent. */
const agentOf = (n: number): number => (n % 5 === 0 ? 2 : 1)

export const agent_revisions: ListSampler<AgentRevision> = {
  required: { agent_id: 1 },
  async add(msp, numbers) {
    const known = await msp.database.prisma.agent.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0) await addAgents(msp, [{ id: 1 }, { id: 2 }])
    for (const agent_id of [1, 2])
      await addRevisions(
        msp,
        agent_id,
        numbers
          .filter((n) => agentOf(n) === agent_id)
          .map((n) => ({ revision: n + 1, changed_at: instant(n), snapshot: { name: `Name ${n}` } })),
      )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.agentRevision.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, revision) {
    await prisma.agentRevision.deleteMany({ where: { tenant_id, revision: Number(revision) } })
  },
  id: 'revision',
  orders: { '': [{ value: ({ revision }) => revision, descending: true }] },
  filters: {
    agent_id: { values: [1, 2], meets: (row, value: number) => row.agent_id === value },
  },
}
