import type { Callback, CallbackMatch } from '../../../src/db/generated/client/client.ts'
import { addAgents } from '../agents.ts'
import { addCallbacks, addMatches } from '../callbacks.ts'
import { at, instant, isEqual, type ListSampler } from './sampler.ts'

type Row = Callback & { matched: boolean }

const AGENT = 1

export const callbacks: ListSampler<Row> = {
  async add(msp, numbers) {
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    if ((await prisma.agent.count({ where })) === 0) await addAgents(msp, [{ id: AGENT }])
    const ids = numbers.map((n) => ({ n, id: `cb_${String(n).padStart(3, '0')}` }))
    await addCallbacks(
      msp,
      ids.map(({ n, id }) => ({
        id,
        change_types: [...at([['TICKET_CREATED'], ['TICKET_MERGED', 'TICKET_CLOSED'], []], n)],
        entity_type: at(['TICKET', 'TIME_ENTRY', 'COMPANY'] as const, n >> 1),
        entity_id: at(['4711', '4712', '4713', '4714'], n),
        psa_company_id: at(['psa_1', null, 'psa_2'], n >> 2),
        status: at(['PROCESSED', 'FILTERED_OUT', 'QUEUED', 'FAILED', 'RECEIVED'] as const, n),
        received_at: instant(n),
      })),
    )
    await addMatches(
      msp,
      ids
        .filter(({ n }) => n % 3 !== 0)
        .map(({ n, id }) => ({
          callback_id: id,
          agent_id: AGENT,
          received_at: instant(n),
          result: at(['MATCHED', 'NOT_MATCHED', 'SKIPPED', 'MATCHED', 'ERROR'] as const, n),
        })),
    )
  },
  async rows({ database: { prisma }, tenant_id }) {
    const rows = await prisma.callback.findMany({ where: { tenant_id }, include: { matches: true } })
    return rows.map(({ matches, ...row }) => ({
      ...row,
      matched: matches.some(({ result }) => result === 'MATCHED'),
    }))
  },
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.callback.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: {
    '': [
      { value: ({ received_at }) => received_at, descending: true },
      { value: ({ id }) => id, descending: true },
    ],
  },
  filters: {
    status: isEqual('status', ['PROCESSED', ['QUEUED', 'FAILED', 'QUEUED']]),
    change_type: {
      values: ['TICKET_CREATED', 'TIME_ENTRY_DELETED', 'TICKET_CLOSED'],
      meets: ({ change_types }, value: string) => change_types.includes(value),
    },
    entity_type: isEqual('entity_type', ['TICKET', 'CONTACT', 'TIME_ENTRY']),
    entity_id: isEqual('entity_id', ['4712', 'unknown']),
    psa_company_id: isEqual('psa_company_id', ['psa_1', 'unknown']),
    matched: isEqual('matched', [true, false]),
    from: {
      values: [instant(4).toISOString(), instant(15).toISOString()],
      meets: ({ received_at }, value: string) => received_at >= new Date(value),
    },
    to: {
      values: [instant(18).toISOString()],
      meets: ({ received_at }, value: string) => received_at < new Date(value),
    },
  },
}

const [FIRST, SECOND] = ['cb_a', 'cb_b']

export const callback_matches: ListSampler<CallbackMatch> = {
  required: { callback_id: FIRST },
  async add(msp, numbers) {
    const { prisma } = msp.database
    const where = { tenant_id: msp.tenant_id }
    if ((await prisma.callback.count({ where })) === 0)
      await addCallbacks(msp, [{ id: FIRST }, { id: SECOND }])
    await addAgents(
      msp,
      numbers.map((n) => ({ id: n + 1, created_by_user_id: n % 4 === 0 ? msp.user.id : null })),
    )
    await addMatches(
      msp,
      numbers.map((n) => ({
        callback_id: n % 5 === 4 ? SECOND : FIRST,
        agent_id: n + 1,
        result: at(['MATCHED', 'NOT_MATCHED', 'NOT_MATCHED', 'SKIPPED'] as const, n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.callbackMatch.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.callbackMatch.deleteMany({ where: { tenant_id, agent_id: Number(id) } })
  },
  id: 'agent_id',
  orders: { '': [{ value: ({ agent_id }) => agent_id }] },
  isSeenBy: ({ agent_id }) => agent_id % 4 === 1,
  filters: {
    callback_id: isEqual('callback_id', [FIRST, SECOND]),
    result: isEqual('result', ['MATCHED', 'ERROR', 'NOT_MATCHED']),
  },
}
