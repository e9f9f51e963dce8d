/** A worker that is killed between the write of a PSA and its record, for tests. */
import pg from 'pg'
import { expect, onTestFinished } from 'vitest'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Services } from '../../src/gateway/context.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { connectedApp, PUBLIC_URL } from '../setup/connected.ts'
import { cloneUrl, openTestDatabase } from '../setup/database.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { startWorkers } from './workers.ts'

/** A worker starts, and does its work. */
const ENDED_MS = 120_000
export const TEST_MS = 2 * ENDED_MS

interface Place {
  url: string
  msp: Msp
  api: Api
  services: Services
}

/** A tenant on a database of its own, with a service that answers and does no job. */
export async function placeOfWorkers(): Promise<Place> {
  const url = (await cloneUrl()) ?? ''
  const database = await openTestDatabase(url)
  await installJobs(database, 'test', JOBS)
  const running = await connectedApp(database)
  onTestFinished(async () => {
    await running.app.close(1000)
    await database.close()
  })
  const api = apisAt(async () => running.base)[1] as Api
  return { url, msp: await world(database), api, services: running.app.services }
}

/** Connects the tenant to a double of ConnectWise, which is gone after the test. */
export async function connectDouble(
  msp: Msp,
  api: Api,
): Promise<Awaited<ReturnType<typeof connectwisePsaDouble>>> {
  const double = await connectwisePsaDouble()
  onTestFinished(async () => void (await double.close()))
  const input = { ...double.draft, poll_interval_seconds: 0 }
  const connected = await api.call(msp.owner, 'connect_integration', { name: double.name, input })
  expect(connected.status).toBe(200)
  return double
}

interface Killing {
  /** The statement that locks the row of the record: nobody can record the write meanwhile. */
  lock: string
  isWritten(): Promise<boolean>
  isRecorded(): Promise<boolean>
}

/** Kills the worker after its write, and waits until the next worker has recorded the write. */
export async function killAfterWrite(
  { url }: Place,
  { lock, isWritten, isRecorded }: Killing,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(lock)
  const workers = startWorkers(url, 'runs', { ALLOW_PRIVATE_ADDRESSES: 'true', PUBLIC_URL }, 1)
  onTestFinished(() => workers.kill())
  await until(isWritten, ENDED_MS)
  workers.replaceOne()
  await client.query('rollback')
  await until(isRecorded, ENDED_MS)
}
