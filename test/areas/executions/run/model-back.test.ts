/** Runs of several tenants whose model was away for a moment, and answers again. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { withCircuit } from '../../../../src/connectors/model/circuit.ts'
import { ModelFailure, type ModelTurn } from '../../../../src/connectors/model.ts'
import { JOB_CHANNEL } from '../../../../src/jobs/wake.ts'
import { apis } from '../../../setup/api.ts'
import { clock, testApp } from '../../../setup/app.ts'
import { useModel } from '../../../setup/model.ts'
import { performRun, performRuns, takeRunJobs } from '../../../setup/runs.ts'
import { until } from '../../../setup/until.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { agenticMsp, END } from './agentic.ts'
import { executionOf, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const ANSWER: ModelTurn = {
  text: null,
  calls: [{ id: '1', tool_name: END.tool, arguments: END.args }],
  end: 'DONE',
}

interface Waiting {
  msp: Msp
  execution_ids: string[]
}

/** A model that is away: questions wait until it `fails` them, and are answered once it `is_back`. */
async function modelAway() {
  onTestFinished(() => clock.reset())
  const gone = Promise.withResolvers<void>()
  const state = { asked: 0, is_back: false, fails: gone.resolve }
  const turn = async (): Promise<ModelTurn> => {
    state.asked++
    if (state.is_back) return ANSWER
    await gone.promise
    throw new ModelFailure('model_unavailable')
  }
  await useModel(withCircuit({ turn }, () => clock.now().getTime()))
  return state
}

/** Runs that were asked for, and wait for a worker. */
async function runsOf(tickets: readonly string[]): Promise<Waiting> {
  const msp = await agenticMsp()
  const execution_ids: string[] = []
  for (const ticket of tickets) execution_ids.push(await start(api, msp, ticket))
  return { msp, execution_ids }
}

const waitsOf = ({ tenant_id, database }: Msp) =>
  database.prisma.executionWork.count({ where: { tenant_id, model_waits_since: { not: null } } })

const statusesOf = ({ msp, execution_ids }: Waiting) =>
  Promise.all(execution_ids.map(async (id) => (await executionOf(api, msp, id)).status))

/** The tenant's runs that wait are not due for an hour. */
const delay = ({ tenant_id, database }: Msp) =>
  database.prisma.$executeRaw`
    update pgboss.job set start_after = now() + interval '1 hour'
    where name = 'executions.run' and state < 'active' and data -> 'tenancy' ->> 'tenant_id' = ${tenant_id}`

describe('a model that was away for a moment', () => {
  it('lets twenty runs that it failed at once go on together', async () => {
    const model = await modelAway()
    const runs: Waiting[] = []
    for (let n = 0; n < 10; n++) runs.push(await runsOf(['4711', '4712']))
    const { services } = (await testApp()).app
    const at_once = services.model_calls.run
    onTestFinished(() => {
      services.model_calls.run = at_once
    })
    services.model_calls.run = (_tenant, work) => work()
    const jobs = (await Promise.all(runs.map(({ msp }) => takeRunJobs(msp)))).flat()
    const working = Promise.all(jobs.map((job) => performRun(job)))
    await until(() => model.asked === 20)
    model.fails()
    await working
    for (const { msp } of runs) expect(await waitsOf(msp)).toBe(2)
    model.is_back = true
    clock.advance(5000)
    for (const { msp } of runs) await performRuns(msp)
    expect((await Promise.all(runs.map(statusesOf))).flat()).toEqual(Array(20).fill('COMPLETED'))
    expect(model.asked).toBe(40)
  })

  it('has every run taken up as soon as one is answered, in every process', async () => {
    const model = await modelAway()
    model.fails()
    const [one, other] = [await runsOf(['4711']), await runsOf(['4711', '4712'])]
    for (const { msp } of [one, other]) await performRuns(msp)
    const later = await runsOf(['4711'])
    await delay(other.msp)
    await delay(later.msp)
    const told: string[] = []
    const listening = Promise.withResolvers<void>()
    const stop = one.msp.database.listen(JOB_CHANNEL, {
      connected: listening.resolve,
      notified: (queue) => told.push(queue),
    })
    onTestFinished(() => stop())
    await listening.promise
    model.is_back = true
    clock.advance(5000)
    await performRuns(one.msp)
    await until(() => told.includes('executions.run'))
    expect(await performRuns(other.msp)).toBe(2)
    expect(await statusesOf(other)).toEqual(['COMPLETED', 'COMPLETED'])
    // A run that does not wait for the model keeps its time.
    expect(await performRuns(later.msp)).toBe(0)
  })

  it('is asked again within fifteen seconds, however often it failed', async () => {
    const model = await modelAway()
    model.fails()
    const run = await runsOf(['4711'])
    await performRuns(run.msp)
    for (let n = 0; n < 6; n++) {
      clock.advance(15_000)
      expect(await performRuns(run.msp)).toBe(1)
    }
    expect(await statusesOf(run)).toEqual(['RUNNING'])
    model.is_back = true
    clock.advance(15_000)
    await performRuns(run.msp)
    expect(await statusesOf(run)).toEqual(['COMPLETED'])
  })
})
