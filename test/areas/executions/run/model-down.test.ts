/** Runs whose model is not available for a while, or for longer. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { apis } from '../../../setup/api.ts'
import { clock } from '../../../setup/app.ts'
import { playModel } from '../../../setup/model.ts'
import type { Played } from '../../../setup/model-server.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import type { Msp } from '../../../setup/world.ts'
import { installQueues } from '../../agents/runnable.ts'
import { agenticMsp, END, NOTE } from './agentic.ts'
import { executionOf, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const MINUTE_MS = 60_000

const messagesOf = async (msp: Msp, execution_id: string): Promise<string[]> =>
  (await api.call(msp.key, 'execution_timeline', { execution_id })).data
    .filter(({ kind }: { kind: string }) => kind === 'MESSAGE')
    .map(({ text }: { text: string }) => text)

/** A run that has made its note, and whose model is away then. */
async function waiting(away: Played, settings: object = {}) {
  onTestFinished(() => clock.reset())
  const msp = await agenticMsp(settings)
  const model = await playModel([{ calls: [NOTE] }, away])
  const execution_id = await start(api, msp)
  await performRuns(msp)
  expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'RUNNING', run_count: 1 })
  return { msp, model, execution_id }
}

describe('a model that is not available', () => {
  it.each<[what: string, Played]>([
    ['answers 503', { status: 503 }],
    ['answers 429', { status: 429, retry_after: 0 }],
    ['resets the connection', { reset: true }],
  ])('and %s is waited for, and asked nothing twice', async (_what, away) => {
    const { msp, model, execution_id } = await waiting(away)
    expect(await performRuns(msp)).toBe(0)
    for (let n = 0; n < 3; n++) {
      clock.advance(MINUTE_MS)
      expect(await performRuns(msp)).toBe(1)
    }
    const work = { where: { tenant_id: msp.tenant_id } }
    expect(await msp.database.prisma.executionWork.findFirst(work)).toMatchObject({ lost_attempts: 0 })
    model.play([{ calls: [END] }])
    clock.advance(MINUTE_MS)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'COMPLETED', run_count: 1 })
    expect(await psaOfTenant(msp).notesOf('4711')).toHaveLength(1)
    expect((await messagesOf(msp, execution_id)).toSorted()).toEqual([
      'The model answers again.',
      expect.stringContaining('The work waits for it'),
    ])
  })

  it('for a quarter of an hour fails the work', async () => {
    const { msp, execution_id } = await waiting({ status: 503 })
    clock.advance(15 * MINUTE_MS)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'PLATFORM',
      error: expect.stringMatching(/^model_unavailable: /),
    })
  })

  it('for longer than the agent may work times it out', async () => {
    const { msp, execution_id } = await waiting({ status: 429, retry_after: 3600 }, { max_minutes: 2 })
    clock.advance(2 * MINUTE_MS + 1000)
    await performRuns(msp)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'TIMED_OUT' })
  })

  it('is not waited for by an execution that is cancelled', async () => {
    const { msp, model, execution_id } = await waiting({ status: 503 })
    await api.call(msp.key, 'cancel_execution', { execution_id })
    const { length } = model.asked
    clock.advance(MINUTE_MS)
    await performRuns(msp)
    expect(model.asked).toHaveLength(length)
    expect(await executionOf(api, msp, execution_id)).toMatchObject({ status: 'CANCELLED' })
  })
})
