/** The service as it is measured: processes on a database of their own, tenants that are connected to doubles of their PSAs. */
import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { type Desk, openDesk, PUBLIC_URL } from '../../test/load/desk.ts'
import { type Budget, FACTS, leaveRequests, type Vendor } from '../../test/load/floor.ts'
import { type Calls, callsOfTenant, connect, createTenant } from '../../test/load/tenant.ts'
import { autotaskPsaDouble } from '../../test/setup/psa-doubles/autotask.ts'
import { connectwisePsaDouble } from '../../test/setup/psa-doubles/connectwise.ts'
import type { PsaDouble } from '../../test/setup/psa-doubles/double.ts'
import { haloPsaDouble } from '../../test/setup/psa-doubles/halo.ts'
import { type Contender, scratch, start } from '../contender.ts'

const ROOT = join(import.meta.dirname, '../..')
const SERVER = process.env.BENCH_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'

const DOUBLES: Readonly<Record<Vendor, () => Promise<PsaDouble>>> = {
  connectwise: () => connectwisePsaDouble(),
  autotask: autotaskPsaDouble,
  halo: haloPsaDouble,
}

const ENDLESS = [
  'dashboard_user',
  'dashboard_user_writes',
  'service_key',
  'tenant',
  'graphql_points',
  'ingest_connection',
]
  .map((name) => `${name}=1000000000`)
  .join(',')

/** A tenant at work. */
export interface Site {
  vendor: Vendor
  double: PsaDouble
  desk: Desk
  calls: Calls
  /** Leaves so many requests in the tenant's budget. */
  leave(requests: number): Promise<void>
}

interface Place {
  sites: readonly Site[]
  /** Kilobytes of the log of each process, for what went wrong. */
  logs(): string
}

let places = 0

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client(SERVER)
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

interface PlaceOptions {
  budgets: readonly Budget[]
  /** Processes that do the jobs. */
  workers?: number
  /** The PSA of each tenant. */
  vendors: readonly Vendor[]
}

/** Runs `work` with the service, which is gone afterwards. */
export async function withPlace<Result>(
  { budgets, vendors, workers = 2 }: PlaceOptions,
  work: (place: Place) => Promise<Result>,
): Promise<Result> {
  const name = `bench_psa_${process.pid}_${++places}`
  await onServer(`create database ${name}`)
  const url = Object.assign(new URL(SERVER), { pathname: name }).href
  const variables = { DATABASE_URL: url, DATA_DIR: mkdtempSync(join(scratch, 'data-')) }
  const quotas = budgets.map(({ vendor, quota }) => `,${FACTS[vendor].limit}=${quota}`).join('')
  const env = {
    ...variables,
    PORT: '0',
    PUBLIC_URL,
    ALLOW_PRIVATE_ADDRESSES: 'true',
    LIMITS: `${ENDLESS}${quotas}`,
    DEMO_DATA: 'off',
    MIGRATE_ON_START: 'false',
  }
  const running: Contender[] = []
  const doubles: PsaDouble[] = []
  const program = join(ROOT, 'src/entry.js')
  try {
    await promisify(execFile)(process.execPath, [join(ROOT, 'src/commands/migrate.ts')], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...variables },
    })
    const tenants = []
    for (const [index] of vendors.entries()) tenants.push(await createTenant(variables, `ten_${index + 1}`))
    const api = await start(`${name} api`, program, { ...env, ROLE: 'api' })
    running.push(api)
    for (let count = 1; count <= workers; count++)
      running.push(await start(`${name} worker ${count}`, program, { ...env, ROLE: 'worker' }))
    const sites = await Promise.all(
      tenants.map(async (tenant, index): Promise<Site> => {
        const vendor = vendors[index] as Vendor
        const double = await DOUBLES[vendor]()
        doubles.push(double)
        const calls = callsOfTenant(api.base, tenant)
        await connect(calls, double)
        const leave = (requests: number) => leaveRequests(url, vendor, tenant.id, requests)
        return { vendor, double, desk: openDesk(double, api.base), calls, leave }
      }),
    )
    const logs = () => running.map((one) => one.logged().slice(-3000)).join('\n')
    return await work({ sites, logs })
  } finally {
    await Promise.allSettled(running.map((one) => one.stop()))
    await Promise.allSettled(doubles.map((one) => one.close()))
    await onServer(`drop database if exists ${name} with (force)`)
  }
}
