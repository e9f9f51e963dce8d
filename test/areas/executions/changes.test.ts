import { expect, test } from 'vitest'
import { onChange } from '../../../src/areas/executions/index.ts'
import { startApp, testApp } from '../../setup/app.ts'
import { until } from '../../setup/until.ts'
import { sharedRuns } from './runs.ts'

test('a listener is told of each change of its execution, by whichever process, until it leaves', async () => {
  const msp = await sharedRuns()
  const { services } = (await testApp()).app
  const other = await startApp(msp.database)
  let told = 0
  let toldElsewhere = 0
  const leave = await onChange(services, msp, 'a1', () => told++)
  await onChange(other.app.services, msp, 'a1', () => toldElsewhere++)
  const set = (execution_id: string, run_count: number) =>
    msp.database.prisma.execution.updateMany({
      where: { tenant_id: msp.tenant_id, execution_id },
      data: { run_count },
    })
  await set('a2', 1)
  await set('a1', 1)
  await until(() => told === 1 && toldElsewhere === 1)
  leave()
  await set('a1', 2)
  await until(() => toldElsewhere === 2)
  expect(told).toBe(1)
  await other.app.close(0)
})
