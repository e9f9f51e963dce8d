/** Webhooks of a PSA that fails now and then, under a budget that is short, while workers are killed. */
import { expect, test } from 'vitest'
import { until } from '../setup/until.ts'
import { budgetFor, FACTS, fewestRequests, leaveRequests, type Vendor } from './floor.ts'
import { load } from './load.ts'
import { startProcesses } from './processes.ts'

const TICKETS = Number(process.env.LOAD_TICKETS ?? 200)
const SEED = Number(process.env.LOAD_SEED ?? 1)
const FAILING = 0.1
const WORKERS = 3
const OVER_MS = 60_000
/** The time in which the budget admits the fewest requests. */
const BUDGET_SECONDS = 100
const WITHIN_MS = 480_000
/** The answer to an event takes no longer, whatever else is done. */
const INGEST_MS = 1000

const vendors: readonly [string, Vendor][] = [
  ['ConnectWise PSA', 'connectwise'],
  ['Autotask PSA', 'autotask'],
  ['HaloPSA', 'halo'],
]

test.runIf(process.env.DATABASE_URL).each(vendors)(
  'each ticket of %s gets one note, without help, while its PSA fails, its budget is short and workers are killed',
  { timeout: WITHIN_MS + 300_000 },
  async (_name, vendor) => {
    const requests = fewestRequests(vendor, TICKETS, FAILING)
    const { quota, at_start } = budgetFor(vendor, requests, BUDGET_SECONDS)
    const { base, sites, database_url, replaceWorker } = await startProcesses(
      [vendor],
      { [FACTS[vendor].limit]: quota },
      WORKERS,
    )
    const [site] = sites
    if (!site || !database_url) throw new Error('There is no tenant')
    const { calls, double, tenant_id } = site
    await leaveRequests(database_url, vendor, tenant_id, at_start)
    const { outcome, wanted, seconds, ingest_p99_ms } = await load(calls, double, base, {
      tickets: TICKETS,
      over_ms: OVER_MS,
      failing: FAILING,
      seed: SEED,
      within_ms: WITHIN_MS,
      async meanwhile({ noted_at }) {
        for (const part of [1 / 4, 1 / 2]) {
          await until(() => noted_at.size >= TICKETS * part, WITHIN_MS)
          await replaceWorker()
        }
      },
    })
    const [took, made] = [seconds?.toFixed(0) ?? 'too many', double.vendor.requests.length]
    process.stdout.write(
      `${vendor}: ${took} s, ${made} requests for at least ${requests}, p99 of ingest ` +
        `${ingest_p99_ms.map((ms) => ms.toFixed(0)).join(' and then ')} ms, seed ${SEED}\n`,
    )
    expect({ outcome, violations: double.vendor.violations }).toEqual({ outcome: wanted, violations: [] })
    for (const ms of ingest_p99_ms) expect(ms).toBeLessThan(INGEST_MS)
  },
)
