/** Webhooks of PSAs that fail now and then. `npm run test:load` does the same with more of them, and kills workers. */
import { expect, test } from 'vitest'
import { load } from './load.ts'
import { startProcesses } from './processes.ts'

const TICKETS = 8
const FAILING = 0.1
const SEED = 1
const WITHIN_MS = 120_000

test('each ticket of every PSA gets one note, without help, while the PSA fails now and then', {
  timeout: WITHIN_MS + 120_000,
}, async () => {
  const limits = { connectwise_psa_requests: 120 }
  const { base, sites } = await startProcesses(['connectwise', 'autotask', 'halo'], limits, 1)
  const options = { tickets: TICKETS, over_ms: 3000, failing: FAILING, within_ms: WITHIN_MS }
  const loaded = await Promise.all(
    sites.map(({ calls, double }, index) => load(calls, double, base, { ...options, seed: SEED + index })),
  )
  const got = loaded.map(({ outcome }, index) => ({ ...outcome, of: sites[index]?.vendor }))
  const wanted = loaded.map((one, index) => ({ ...one.wanted, of: sites[index]?.vendor }))
  expect(got).toEqual(wanted)
})
