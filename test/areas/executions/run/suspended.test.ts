/** Agents of a tenant that is suspended: none makes a further call, and the operator cancels what they do. */
import { beforeAll, expect, it } from 'vitest'
import type { Psa } from '../../../../src/connectors/psa.ts'
import type { Services } from '../../../../src/gateway/context.ts'
import { apis } from '../../../setup/api.ts'
import { clock, testApp } from '../../../setup/app.ts'
import { activitiesOf } from '../../../setup/audit-log.ts'
import { playModel } from '../../../setup/model.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRun, performRuns, takeRunJobs } from '../../../setup/runs.ts'
import { tenantCommand } from '../../../setup/tenant-command.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { agenticMsp, READ, turns } from './agentic.ts'
import { chainMsp, entriesOf, executionOf, NOTE, STATUS, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]

const suspend = ({ database, tenant_id }: Msp, suspended = true) =>
  database.prisma.tenant.update({
    where: { id: tenant_id },
    data: { suspended_at: suspended ? clock.now() : null },
  })

/** The execution, which is read after the tenant is resumed: nobody reads anything before. */
async function executionAfter(msp: Msp, execution_id: string) {
  await suspend(msp, false)
  return await executionOf(api, msp, execution_id)
}

/** The service with a PSA that meets every call before it is made. */
async function withPsa(meet: (call: keyof Psa) => Promise<unknown>): Promise<Services> {
  const { services } = (await testApp()).app
  const psa: typeof services.connectors.psa = (ctx) => {
    const real = services.connectors.psa(ctx)
    return new Proxy(real, {
      get:
        (target, name: keyof Psa) =>
        async (...args: never[]) => {
          await meet(name)
          return await (target[name] as (...args: never[]) => unknown)(...args)
        },
    })
  }
  return { ...services, connectors: { ...services.connectors, psa } }
}

const STOPPED = {
  status: 'FAILED',
  failure_kind: 'LIMIT',
  error: 'tenant_suspended: The tenant is suspended.',
}

it.each<[trigger: 'RUN_NOW' | 'TRIGGERED', action: object]>([
  ['RUN_NOW', NOTE],
  ['TRIGGERED', NOTE],
  ['RUN_NOW', { type: 'contact.read', params: {} }],
])('a queued run that was %s, and begins with %j, asks nothing of the PSA', async (trigger, action) => {
  const ticket_conditions = { match: 'ALL', rules: [{ field: 'status', operator: 'EQUALS', value: 'New' }] }
  const msp = await chainMsp([action], { ticket_conditions })
  const execution_id = await start(api, msp)
  await msp.database.prisma.execution.updateMany({ where: { execution_id }, data: { trigger } })
  await suspend(msp)
  const asked: string[] = []
  await performRuns(msp, { services: await withPsa(async (call) => asked.push(call)) })
  expect(asked).toEqual([])
  expect(await executionAfter(msp, execution_id)).toMatchObject({ ...STOPPED, credits_consumed: 0 })
})

it('a run under way keeps the call that it was making, and makes no other', async () => {
  const msp = await chainMsp([NOTE, STATUS])
  const execution_id = await start(api, msp)
  await performRuns(msp, { services: await withPsa(() => suspend(msp)) })
  expect(await executionAfter(msp, execution_id)).toMatchObject({ ...STOPPED, credits_consumed: 1 })
  expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
  expect(await psaOfTenant(msp).ticket('4711')).toMatchObject({ status: 'New' })
})

it('a model that leads a run is not asked again', async () => {
  const msp = await agenticMsp()
  const model = await playModel(turns({ calls: [READ] }))
  const execution_id = await start(api, msp)
  await performRuns(msp, { services: await withPsa(() => suspend(msp)) })
  expect(model.asked).toHaveLength(1)
  expect(await executionAfter(msp, execution_id)).toMatchObject(STOPPED)
})

it('`cancel-runs` cancels what waits and what is at work, whose call is finished', async () => {
  const msp = await chainMsp()
  const [begun, queued] = [await start(api, msp), await start(api, msp, '4712')]
  const [job] = await takeRunJobs(msp)
  if (!job) throw new Error('No job')
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const services = await withPsa(async (call) => {
    if (call !== 'addNote') return
    reached.resolve()
    await goOn.promise
  })
  const working = performRun(job, { services })
  await reached.promise
  await suspend(msp)
  const command = ['cancel-runs', '--tenant', msp.tenant_id, '--reason', 'It was suspended.']
  expect(await tenantCommand(...command)).toMatchObject({ cancelled: 2 })
  expect(await tenantCommand(...command)).toMatchObject({ cancelled: 0 })
  goOn.resolve()
  await working
  expect(await executionAfter(msp, begun)).toMatchObject({ status: 'CANCELLED', error: 'It was suspended.' })
  expect(await entriesOf(api, msp, begun)).toMatchObject([
    { tool_name: 'ticket.add_note', outcome: 'SUCCEEDED' },
  ])
  expect(await executionOf(api, msp, queued)).toMatchObject({ status: 'CANCELLED', run_count: 0 })
  const cancelled = (await activitiesOf(msp)).filter(({ action }) => action === 'execution.cancelled')
  expect(cancelled.map(({ actor_name }) => actor_name)).toEqual(['Operator', 'Operator'])
  await expect(tenantCommand('cancel-runs', '--tenant', 'nobody')).rejects.toThrow('There is no tenant')
})
