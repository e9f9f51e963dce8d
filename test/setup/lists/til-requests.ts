import type { TilRequest } from '../../../src/db/generated/client/client.ts'
import { addAgents, share } from '../agents.ts'
import { addTilRequests, makeTechnician } from '../til-requests.ts'
import type { Msp } from '../world.ts'
import { addWholes, wholeOf } from './execution-parts.ts'
import { after, at, instant, isEqual, type ListSampler } from './sampler.ts'

type Named = TilRequest & { technicians: { technician_id: number }[] }

/** The technicians that the OWNER and the USER are, who are named on the same requests, and another one. */
const [OWNERS, USERS, ANOTHER] = [7, 8, 9]

const STATUSES = ['PENDING', 'APPROVED', 'PENDING', 'REJECTED', 'EXPIRED'] as const

async function add(msp: Msp, numbers: readonly number[]): Promise<void> {
  const known = await msp.database.prisma.tilRequest.count({ where: { tenant_id: msp.tenant_id } })
  await addWholes(msp)
  if (known === 0) {
    await addAgents(msp, [{ id: 3 }])
    await share(msp, 3, msp.user.id)
    await makeTechnician(msp, msp.owner.id, OWNERS)
    await makeTechnician(msp, msp.user.id, USERS)
    await makeTechnician(msp, msp.admin.id, ANOTHER)
  }
  await addTilRequests(
    msp,
    numbers.map((n) => {
      const status = at(STATUSES, n)
      return {
        id: `til_${String(n).padStart(3, '0')}`,
        execution_id: wholeOf(n),
        agent_id: at([1, 3], n >> 1),
        kind: at(['WRITE', 'PLAN', 'QUESTION'] as const, n),
        status,
        created_at: instant(n),
        closed_at: status === 'PENDING' ? null : n === 6 ? after(n, 5) : instant(n + (n >> 1)),
        technicians: at([[OWNERS, USERS], [ANOTHER], [], [OWNERS, USERS, ANOTHER]], n),
      }
    }),
  )
}

const isOpen = ({ status }: Named): boolean => status === 'PENDING'

const names = ({ technicians }: Named, id: number): boolean =>
  technicians.some(({ technician_id }) => technician_id === id)

const shared = {
  add,
  rows: ({ database: { prisma }, tenant_id }: Msp) =>
    prisma.tilRequest.findMany({
      where: { tenant_id },
      include: { technicians: { select: { technician_id: true } } },
    }),
  async remove({ database: { prisma }, tenant_id }: Msp, id: string) {
    await prisma.tilRequest.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id' as const,
  orders: {
    '': [
      { value: (row: Named) => !isOpen(row) },
      { value: (row: Named) => (isOpen(row) ? row.created_at : 0) },
      { value: (row: Named) => row.closed_at ?? 0, descending: true },
      { value: ({ id }: Named) => id },
    ],
  },
}

export const til_requests: ListSampler<Named> = {
  ...shared,
  isSeenBy: (row) => row.agent_id === 3 || names(row, USERS),
  filters: {
    status: isEqual('status', ['PENDING', ['REJECTED', 'EXPIRED', 'EXPIRED']]),
    kind: isEqual('kind', ['PLAN', ['WRITE', 'QUESTION']]),
    technician_id: { values: [USERS, ANOTHER, 999], meets: (row, id: number) => names(row, id) },
    assigned_to_me: {
      values: [true, false],
      meets: (row, mine: boolean) => names(row, USERS) === mine,
    },
    agent_id: isEqual('agent_id', [1, 3, 999]),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: (row, value: string) => row.created_at >= new Date(value),
    },
    to: {
      values: [after(6, 3), instant(18)].map((value) => value.toISOString()),
      meets: (row, value: string) => row.created_at < new Date(value),
    },
  },
}

export const execution_til_requests: ListSampler<Named> = {
  ...shared,
  required: { execution_id: 'exe_1' },
  filters: { execution_id: isEqual('execution_id', ['exe_1', 'exe_2']) },
}
