/** Runs whose PSA cannot be reached for a while, or for longer. */
import { beforeAll, describe, expect, it } from 'vitest'
import { PortRefusal } from '../../../../src/connectors/port.ts'
import type { Psa } from '../../../../src/connectors/psa.ts'
import { ApiError } from '../../../../src/errors/errors.ts'
import { apis } from '../../../setup/api.ts'
import { testApp } from '../../../setup/app.ts'
import { psaOfTenant } from '../../../setup/psa.ts'
import { performRuns } from '../../../setup/runs.ts'
import { installQueues } from '../../agents/runnable.ts'
import { chainMsp, executionOf, NOTE, start } from './chain.ts'

beforeAll(installQueues)

const [api] = apis as [(typeof apis)[number]]
const unavailable = () =>
  Promise.reject(new ApiError('upstream_unavailable', { details: { upstream: 'PSA' } }))
const FOREVER = Number.POSITIVE_INFINITY

interface Outage {
  call: 'addNote' | 'listedTicket'
  times: number
  /** The call reaches the PSA, and its answer is lost. */
  reached: boolean
  /** The calls after those that are lost; by default the PSA answers them. */
  after?: () => Promise<never>
  /** The questions about the outcome that are lost. */
  unasked?: number
}

/** The ticket is read for the contact that this action leaves out. */
const OF_CONTACT = { type: 'contact.read', params: {} }

/** Runs a chain that makes the call, with a PSA whose calls are lost so many times. Answers what became of it. */
async function runThrough({ call, times, reached, after, unasked = 0 }: Outage) {
  const msp = await chainMsp([call === 'listedTicket' ? OF_CONTACT : NOTE])
  const execution_id = await start(api, msp)
  const { services } = (await testApp()).app
  let [asked, questions] = [0, 0]
  const psa = (ctx: Parameters<typeof services.connectors.psa>[0]): Psa => {
    const real = services.connectors.psa(ctx)
    const losing = async (...args: never[]) => {
      const is_lost = ++asked <= times
      if (!is_lost && after) return await after()
      const answer = !is_lost || reached ? await (real[call] as (...args: never[]) => unknown)(...args) : null
      return is_lost ? await unavailable() : answer
    }
    const outcomeOf: Psa['outcomeOf'] = async (...write) =>
      ++questions <= unasked ? await unavailable() : await real.outcomeOf(...write)
    return { ...real, outcomeOf, [call]: losing }
  }
  await performRuns(msp, { services: { ...services, connectors: { ...services.connectors, psa } } })
  const calls = await api.call(msp.key, 'execution_tool_calls', { execution_id })
  return {
    asked,
    execution: await executionOf(api, msp, execution_id),
    outcomes: calls.data.map(({ outcome }: { outcome: string }) => outcome),
    notes: (await psaOfTenant(msp).notesOf('4711')).length,
  }
}

const DONE = { status: 'COMPLETED', resolution: 'FULL', credits_consumed: 1, error: null }
const FAILED = { status: 'FAILED', failure_kind: 'INTEGRATION', resolution: 'NONE', credits_consumed: 0 }

describe.concurrent('a PSA that cannot be reached', () => {
  it('for two calls is called again, and the write is made once', async () => {
    const through = await runThrough({ call: 'addNote', times: 2, reached: false })
    expect(through).toMatchObject({ asked: 3, execution: DONE, outcomes: ['SUCCEEDED'], notes: 1 })
  })

  it('for two reads of the ticket is asked again', async () => {
    const through = await runThrough({ call: 'listedTicket', times: 2, reached: false })
    expect(through).toMatchObject({ asked: 3, execution: DONE, outcomes: ['SUCCEEDED'] })
  })

  it('at all fails the work, with the code of the call', async () => {
    const through = await runThrough({ call: 'addNote', times: FOREVER, reached: false })
    expect(through).toMatchObject({ asked: 4, execution: FAILED, outcomes: ['FAILED'], notes: 0 })
    expect(through.execution.error).toMatch(/^integration_unavailable: /)
  })

  it('at all for what the ticket is fails the work before any call', async () => {
    const through = await runThrough({ call: 'listedTicket', times: FOREVER, reached: false })
    expect(through).toMatchObject({ asked: 4, execution: FAILED, outcomes: [], notes: 0 })
    expect(through.execution.error).toMatch(/^upstream_unavailable: /)
  })
})

describe.concurrent('a PSA that makes the write, and whose answer is lost', () => {
  it('once answers the second call, and has made one write', async () => {
    const through = await runThrough({ call: 'addNote', times: 1, reached: true })
    expect(through).toMatchObject({ asked: 2, execution: DONE, outcomes: ['SUCCEEDED'], notes: 1 })
  })

  it('once, and refuses the repetition, has made the write: the call succeeded', async () => {
    const refuse = () => Promise.reject(new PortRefusal('TICKET_NOT_FOUND'))
    const through = await runThrough({ call: 'addNote', times: 1, reached: true, after: refuse })
    expect(through).toMatchObject({ asked: 2, execution: DONE, outcomes: ['SUCCEEDED'], notes: 1 })
  })

  it('and cannot be asked at first what became of it, is asked until it tells', async () => {
    const through = await runThrough({ call: 'addNote', times: 1, reached: true, unasked: 2 })
    expect(through).toMatchObject({ asked: 2, execution: DONE, outcomes: ['SUCCEEDED'], notes: 1 })
  })

  it('every time says that the write was made: the call succeeded', async () => {
    const through = await runThrough({ call: 'addNote', times: FOREVER, reached: true })
    expect(through).toMatchObject({ asked: 4, execution: DONE, outcomes: ['SUCCEEDED'], notes: 1 })
  })
})
