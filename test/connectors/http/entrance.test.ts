/** The entrance of requests to vendors. */
import { beforeEach, describe, expect, it } from 'vitest'
import { NO_BUDGET, type VendorBudget } from '../../../src/connectors/budget.ts'
import { onBehalfOf } from '../../../src/connectors/http/asking.ts'
import { createEntrance } from '../../../src/connectors/http/entrance.ts'
import { VendorFailure } from '../../../src/connectors/http/failure.ts'
import { ownLeases } from '../../../src/connectors/http/places.ts'
import { createDeadline, underDeadline } from '../../../src/lib/deadline.ts'
import { until } from '../../setup/until.ts'

const OWNER = { system: 'AUTOTASK_PSA', tenant_id: 'ten_1' }
const ONE = { kind: 'tickets', most: 1 }
const always = new AbortController().signal

const used = { taken: 0, given_back: 0 }
let wait_seconds = 0
beforeEach(() => {
  Object.assign(used, { taken: 0, given_back: 0 })
  wait_seconds = 0
})

/** A budget that has requests unless the next one is waited for. */
const budget: VendorBudget = {
  ...NO_BUDGET,
  async take(_owner, wanted) {
    const taken = wait_seconds > 0 ? 0 : wanted
    used.taken += taken
    return { taken, wait_seconds }
  },
  giveBack(_owner, requests) {
    used.given_back += requests
  },
}
const entrance = () => createEntrance(budget, ownLeases())
const outcomeOf = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error)

describe('prepaid requests', () => {
  it('are used first, then those of the budget', async () => {
    const { enter } = entrance()
    const prepaid = { requests: 2 }
    for (let request = 0; request < 3; request++)
      (await onBehalfOf({ pace: 'CALLBACK', prepaid }, () => enter(OWNER, always)))()
    expect([prepaid.requests, used]).toEqual([0, { taken: 1, given_back: 0 }])
  })

  it('come back if the place does not come', async () => {
    const { enter } = entrance()
    const leave = await enter(OWNER, always, ONE)
    const [prepaid, left] = [{ requests: 2 }, new AbortController()]
    const asker = { pace: 'CALLBACK', prepaid, signal: left.signal } as const
    const outcome = outcomeOf(onBehalfOf(asker, () => enter(OWNER, always, ONE)))
    await until(() => prepaid.requests === 1)
    left.abort()
    expect(await outcome).toBeInstanceOf(VendorFailure)
    expect([prepaid.requests, used]).toEqual([2, { taken: 1, given_back: 0 }])
    leave()
  })
})

it('a request of the budget is given back if the place does not come', async () => {
  const { enter } = entrance()
  const leave = await enter(OWNER, always, ONE)
  const left = new AbortController()
  const outcome = outcomeOf(enter(OWNER, left.signal, ONE))
  await until(() => used.taken === 2)
  left.abort()
  expect(await outcome).toMatchObject({
    kind: 'LIMIT',
    not_made: true,
    message: 'Requests to AUTOTASK_PSA have no place: 1 at once are under way',
  })
  expect(used).toEqual({ taken: 2, given_back: 1 })
  leave()
})

it('the call of a person fails at once when its turn does not come in time', async () => {
  wait_seconds = 60
  expect(await outcomeOf(entrance().enter(OWNER, always))).toMatchObject({
    kind: 'LIMIT',
    not_made: true,
    retry_after_seconds: 60,
  })
})

it.each([
  ['CALLBACK', 0],
  ['SYNC', 0],
  ['PERSON', 5000],
] as const)('while the work of %s waits for its place, its limit uses %i ms', async (pace, ms) => {
  let now = 0
  const deadline = createDeadline(
    600_000,
    () => new Error('late'),
    () => now,
  )
  const { enter } = entrance()
  const leave = await enter(OWNER, always, ONE)
  const entered = underDeadline(deadline, () => onBehalfOf({ pace }, () => enter(OWNER, always, ONE)))
  now = 5000
  expect(deadline.used()).toBe(ms)
  leave()
  ;(await entered)()
  now = 6000
  expect(deadline.used()).toBe(ms + 1000)
  deadline.end()
})

it('things of another kind have places of their own', async () => {
  const { enter } = entrance()
  const leaves = [await enter(OWNER, always, ONE), await enter(OWNER, always, { ...ONE, kind: 'notes' })]
  for (const leave of leaves) leave()
})
