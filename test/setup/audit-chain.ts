/** The chain of the audit log, closed, and changed by somebody who may do more than the service. */
import { closeNext } from '../../src/areas/audit-log/chain/close.ts'
import { clock } from './app.ts'
import { addEntries } from './audit-log.ts'
import type { Msp } from './world.ts'

/** Closes the chain over at most so many of the tenant's entries. Returns their number. */
export const closeChain = (msp: Msp, limit = 2000): Promise<number> =>
  msp.database.transaction(30_000, (connection) => closeNext(connection, msp, clock.now(), limit))

/** Entries of agent 1 at these instants, `e1` being the first. */
export const addCallsAt = (msp: Msp, instants: readonly Date[], prefix = 'e'): Promise<void> =>
  addEntries(
    msp,
    instants.map((occurred_at, index) => ({
      id: `${prefix}${index + 1}`,
      agent_id: 1,
      execution_id: 'exe_1',
      occurred_at,
      arguments: { ticket_id: String(index) },
    })),
  )

/** Runs a statement on the tenant's rows, `$1` and `$2`, past every trigger, as only a superuser can. */
export const tamper = ({ database, tenant_id, environment }: Msp, text: string): Promise<number> =>
  database.prisma.$transaction(async (tx) => {
    await tx.$executeRawUnsafe('set local session_replication_role = replica')
    return await tx.$executeRawUnsafe(text, tenant_id, environment)
  })

/** The entries as they are stored, in the order of the chain. */
export const chainOf = ({ database, tenant_id }: Msp) =>
  database.prisma.auditEntry.findMany({
    where: { tenant_id },
    orderBy: [{ chain_day: 'asc' }, { chain_position: 'asc' }, { id: 'asc' }],
  })
