/**
 * What one tenant waits for while the others have the worker: their slow runs are at work, and thousands more are queued.
 * The queue is full when the worker begins, so that the first samples are the worst.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type ModelServer, modelServer } from '../../test/setup/model-server.ts'
import { connected } from '../data/databases.ts'
import { onCopy } from '../data/kept.ts'
import { ENVIRONMENT, type Tenant } from '../data/tenants.ts'
import { progress } from '../progress.ts'
import { addNewcomer, chainOf, runsDatabase, tenants, thinkerOf, ticketOf } from './data.ts'
import type { FairnessEffort } from './options.ts'
import { type Run, runAll, runByRest, startApi, startWorker } from './processes.ts'

/** Milliseconds of each sample. */
export interface Waits {
  'a run of another tenant': number[]
  'a job of cron': number[]
}

/** Runs that a tenant has at work at once. */
const AT_WORK = 20
/** Until the measurement is over. */
const THINKING_MS = 110_000
const PAUSE_MS = 500
const LOOK_MS = 10

const slowModel = (): Promise<ModelServer> =>
  modelServer(() => ({ calls: [{ tool: 'run.finish', args: { message: 'Done.' } }], after_ms: THINKING_MS }))

const busyRuns = (length: number): Run[] =>
  Array.from({ length }, (_, number) => {
    const index = number % tenants.length
    return { tenant: tenants[index] as Tenant, agent_id: thinkerOf(index), ticket_id: ticketOf(number) }
  })

const STARTED = `select extract(epoch from started_at - created_at) * 1000 as ms from execution
  where tenant_id = $1 and execution_id = $2`
const CRON = `insert into pgboss.job (name, data, singleton_key)
  values ('${ENVIRONMENT}/executions.sweep', '{"tenancy": null, "payload": {}}', $1)
  returning id`
const CRON_STARTED = `select extract(epoch from started_on - created_on) * 1000 as ms from pgboss.job where id = $1`

/** The wait of a row, once it is over. */
async function waitOf(client: pg.Client, text: string, values: readonly string[]): Promise<number> {
  for (;;) {
    const [row] = (await client.query<{ ms: string | null }>(text, [...values])).rows
    if (row?.ms != null) return Number(row.ms)
    await sleep(LOOK_MS)
  }
}

export async function measureFairness({ queued, samples }: FairnessEffort): Promise<Waits> {
  progress(`a newcomer, while ${queued} runs of others wait`)
  const waits: Waits = { 'a run of another tenant': [], 'a job of cron': [] }
  const model = await slowModel()
  await onCopy(await runsDatabase(), (url) =>
    connected(url, async (client) => {
      const newcomer = await addNewcomer(client)
      const env = { MODEL_BASE_URL: model.base_url, MODEL_NAME: 'slow' }
      const api = await startApi('api', url, env)
      await runAll(api.base, busyRuns(tenants.length * AT_WORK + queued))
      const worker = await startWorker('worker', url, env)
      for (let sample = 0; sample < samples; sample++) {
        const run = { tenant: newcomer, agent_id: chainOf(tenants.length), ticket_id: ticketOf(sample) }
        const execution_id = await runByRest(api.base, run)
        const [cron] = (await client.query<{ id: string }>(CRON, [`fairness ${sample}`])).rows
        waits['a run of another tenant'].push(await waitOf(client, STARTED, [newcomer.id, execution_id]))
        waits['a job of cron'].push(await waitOf(client, CRON_STARTED, [cron?.id ?? '']))
        await sleep(PAUSE_MS)
      }
      await Promise.all([api.stop(), worker.stop()])
    }),
  )
  await model.close()
  return waits
}
