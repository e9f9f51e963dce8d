import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBacklog, fromDeliveries, fromThroughput } from './findings.ts'

const phase = (workers: number, a_second: number) => ({
  workers,
  a_second,
  worker_ms: 1,
  database_ms: 1,
})

test('two workers are compared with what one did before and afterwards, which differ by noise', () => {
  const phases = [phase(1, 8), phase(2, 18), phase(1, 12)]
  const figure = fromThroughput(new Map([['many tenants', phases]])).get('two workers, many tenants')
  assert.equal(figure?.value, 1.8)
  assert.ok(Math.abs((figure?.noise ?? 0) - Math.log(1.5) / 2) < 1e-9)
})

test('of deliveries there are the rate of two workers by one, and the median wait in seconds', () => {
  const phases = [phase(1, 100), phase(2, 190), phase(1, 100)]
  const found = fromDeliveries({ phases, events_a_second: 1, waits_ms: [3000, 900, 1500] })
  assert.deepEqual(
    [...found].map(([name, { value }]) => [name, value]),
    [
      ['two workers, deliveries', 1.9],
      ['deliveries, median', 1.5],
    ],
  )
})

test('what takes ten times as long after a hundred times as many executions has the exponent one half', () => {
  const cost = {
    run_ms: [7, 2, 3],
    run_pages: 10,
    run_wal: 9000,
    idle_pages: 5,
    sweep_ms: [1, 1],
    scrape_ms: [1, 1],
  }
  const more = { ...cost, run_ms: [20, 90], run_pages: 100, run_wal: 8000, jobs_left: 3 }
  const found = fromBacklog({ small: { ...cost, jobs_left: 0 }, large: more })
  for (const [name, value] of [
    ['a run', 0.5],
    ['pages of a run', 0.5],
    ['pages of a second', 0],
    ['kB of a run', 8],
    ['jobs', 3],
  ] as const)
    assert.ok(Math.abs((found.get(`backlog, ${name}`)?.value ?? Number.NaN) - value) < 1e-9, name)
})
