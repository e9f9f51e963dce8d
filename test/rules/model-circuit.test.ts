/** The circuit before a model, and the wait of a run for one. */
import { beforeEach, describe, expect, test } from 'vitest'
import { askAgainAt } from '../../src/areas/executions/engine/rules/model-wait.ts'
import { withCircuit } from '../../src/connectors/model/circuit.ts'
import { type Model, ModelFailure, type ModelTurn } from '../../src/connectors/model.ts'

const ANSWER: ModelTurn = { text: 'Yes.', calls: [], end: 'DONE' }
const QUESTION = { instructions: '', messages: [], tools: [], timeout_ms: 1000 }
const DOWN = new ModelFailure('model_unavailable')

describe('the circuit before a model', () => {
  let now = 0
  let asked = 0
  let answer: () => Promise<ModelTurn>
  let model: Model
  const ask = () => model.turn(QUESTION).catch((error: ModelFailure) => error)

  beforeEach(() => {
    now = 0
    asked = 0
    answer = () => Promise.reject(DOWN)
    const turn = () => {
      asked++
      return answer()
    }
    model = withCircuit({ turn }, () => now)
  })

  test('opens after three questions in a row without an answer, and then refuses them at once', async () => {
    for (let n = 0; n < 5; n++) expect(await ask()).toMatchObject({ code: 'model_unavailable' })
    expect(asked).toBe(3)
    now += 2000
    expect(await ask()).toMatchObject({ retry_after_ms: 3000 })
  })

  test('stays closed after twenty questions that fail at once', async () => {
    await Promise.all(Array.from({ length: 20 }, ask))
    answer = () => Promise.resolve(ANSWER)
    expect(await ask()).toEqual(ANSWER)
    expect(asked).toBe(21)
  })

  test('is tried every five seconds, and lets all through once it is answered', async () => {
    for (let n = 0; n < 3; n++) await ask()
    for (let n = 0; n < 4; n++) {
      now += 4999
      await ask()
      now += 1
      await ask()
    }
    expect(asked).toBe(7)
    now += 5000
    const slow = Promise.withResolvers<ModelTurn>()
    answer = () => slow.promise
    const tried = ask()
    expect(await ask()).toMatchObject({ code: 'model_unavailable', retry_after_ms: 0 })
    slow.resolve(ANSWER)
    await tried
    expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill(ANSWER))
  })

  test('closes with the first answer', async () => {
    for (let n = 0; n < 3; n++) await ask()
    now += 5000
    answer = () => Promise.resolve(ANSWER)
    for (let n = 0; n < 3; n++) expect(await ask()).toEqual(ANSWER)
  })

  test('stays closed if the endpoint refuses what it is asked', async () => {
    answer = () => Promise.reject(new ModelFailure('model_request_refused', 401))
    for (let n = 0; n < 9; n++) expect(await ask()).toMatchObject({ status: 401 })
    expect(asked).toBe(9)
  })

  test('opens at once for as long as the endpoint asks', async () => {
    answer = () => Promise.reject(new ModelFailure('model_unavailable', 429, 30_000))
    await ask()
    now += 29_999
    expect(await ask()).toMatchObject({ retry_after_ms: 1 })
    expect(asked).toBe(1)
    now += 1
    await ask()
    expect(asked).toBe(2)
  })
})

const MINUTE_MS = 60_000
const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)

test.each<[what: string, tries: number, now_ms: number, retry_after_ms: number, again_ms: number | null]>([
  ['the first time', 0, 0, 0, 5000],
  ['the next time', 1, 5000, 0, 15_000],
  ['for the longest pause', 9, 5 * MINUTE_MS, 0, 5.25 * MINUTE_MS],
  ['when its provider says', 0, 0, 45_000, 45_000],
  ['at the end, whatever its provider says', 0, 0, 60 * MINUTE_MS, 15 * MINUTE_MS],
  ['at the end', 20, 14.8 * MINUTE_MS, 0, 15 * MINUTE_MS],
  ['no more', 20, 15 * MINUTE_MS, 0, null],
])('a model that is not available is asked again: %s', (_what, tries, now_ms, retry_after_ms, again_ms) => {
  const wait = {
    since: at(0),
    tries,
    now: at(now_ms),
    deadline: at(240 * MINUTE_MS),
    retry_after_ms,
    spread: 0,
  }
  expect(askAgainAt(wait)).toEqual(again_ms === null ? null : at(again_ms))
})

test('a run whose time is over meanwhile ends then', () => {
  const wait = { since: at(0), tries: 9, now: at(0), deadline: at(10_000), retry_after_ms: 0, spread: 0 }
  expect(askAgainAt(wait)).toEqual(at(10_001))
})

test('runs that wait together ask one after another', () => {
  const deadline = at(240 * MINUTE_MS)
  const again = (retry_after_ms: number) =>
    [0, 0.5, 1].map((spread) =>
      askAgainAt({ since: at(0), tries: 0, now: at(0), deadline, retry_after_ms, spread }),
    )
  expect(again(0)).toEqual([at(5000), at(3750), at(2500)])
  expect(again(30_000)).toEqual([at(30_000), at(31_250), at(32_500)])
})
