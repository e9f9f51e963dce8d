/** The service in processes of its own, with tenants that are connected to doubles of PSAs. */
import { onTestFinished } from 'vitest'
import { newPlace, type Service, startService } from '../process/service.ts'
import { autotaskPsaDouble } from '../setup/psa-doubles/autotask.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import type { PsaDouble } from '../setup/psa-doubles/double.ts'
import { haloPsaDouble } from '../setup/psa-doubles/halo.ts'
import { PUBLIC_URL } from './desk.ts'
import type { Vendor } from './floor.ts'
import { type Calls, callsOfTenant, connect, createTenant } from './tenant.ts'

const DOUBLES: Readonly<Record<Vendor, () => Promise<PsaDouble>>> = {
  connectwise: () => connectwisePsaDouble(),
  autotask: autotaskPsaDouble,
  halo: haloPsaDouble,
}

/** A tenant that is connected to a double. */
interface Site {
  vendor: Vendor
  tenant_id: string
  calls: Calls
  double: PsaDouble
}

interface Processes {
  /** The address that answers calls. */
  base: string
  database_url: string | undefined
  sites: readonly Site[]
  /** Ends a worker at once, and starts another one. */
  replaceWorker(): Promise<void>
}

/** Starts them for the test. On an embedded database one process does everything, and there are no workers. */
export async function startProcesses(
  vendors: readonly Vendor[],
  limits: Readonly<Record<string, number>>,
  workers = 0,
): Promise<Processes> {
  const place = await newPlace()
  onTestFinished(place.remove)
  const quotas = Object.entries({ ingest_connection: 1_000_000, graphql_points: 1_000_000, ...limits })
  const env = {
    ...place.env,
    PUBLIC_URL,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    DEMO_DATA: 'off',
    LIMITS: [place.env.LIMITS, ...quotas.map(([name, quota]) => `${name}=${quota}`)].join(','),
  }
  const tenants = []
  for (const vendor of vendors) tenants.push(await createTenant(env, `ten_${vendor}`))
  const has_workers = place.env.DATABASE_URL !== undefined && workers > 0
  const running: Service[] = []
  const startAs = async (ROLE: string): Promise<Service> => {
    const service = await startService({ ...env, ROLE })
    running.push(service)
    return service
  }
  onTestFinished(async () => {
    await Promise.all(running.map((service) => service.stop('SIGKILL')))
  })
  const { base } = await startAs(has_workers ? 'api' : 'all')
  for (let count = 0; has_workers && count < workers; count++) await startAs('worker')
  const sites = await Promise.all(
    tenants.map(async (tenant, index): Promise<Site> => {
      const vendor = vendors[index] as Vendor
      const double = await DOUBLES[vendor]()
      onTestFinished(async () => void (await double.close()))
      const calls = callsOfTenant(base, tenant)
      await connect(calls, double)
      return { vendor, tenant_id: tenant.id, calls, double }
    }),
  )
  return {
    base,
    database_url: place.env.DATABASE_URL,
    sites,
    async replaceWorker() {
      // The first process answers calls.
      const [worker] = running.splice(1, 1)
      await worker?.stop('SIGKILL')
      await startAs('worker')
    },
  }
}
