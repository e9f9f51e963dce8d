import { expect, onTestFinished, test } from 'vitest'
import { LOOPS } from '../../src/composition/jobs.ts'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { addCallsAt } from '../setup/audit-chain.ts'
import { until } from '../setup/until.ts'
import type { Msp } from '../setup/world.ts'
import { jobService, TENANCY } from './service.ts'

test('a worker closes the chain over what is stored, and its metrics say that nothing waits', async () => {
  const { app, database } = await jobService([], { loops: LOOPS })
  const port = await app.server.listen(0, '127.0.0.1')
  onTestFinished(() => app.close(1000))
  const msp = { ...TENANCY, database } as Msp
  await addAgents(msp, [{ id: 1 }])
  await addExecutions(msp, [{ execution_id: 'exe_1', agent_id: 1 }])
  const age = async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^audit_log_oldest_unclosed_seconds (\S+)$/m.exec(metrics)?.[1])
  }
  await addCallsAt(msp, [new Date(Date.now() - 90_000)])
  expect(await age()).toBeGreaterThanOrEqual(89)
  app.work()
  const waiting = () => database.prisma.auditEntry.count({ where: { hash: null } })
  await until(async () => (await waiting()) === 0)
  await addCallsAt(msp, [new Date(), new Date()], 'f')
  await until(async () => (await waiting()) === 0)
  const entries = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } })
  expect(new Set(entries.map(({ hash }) => hash)).size).toBe(3)
  await until(async () => (await age()) === 0)
})
