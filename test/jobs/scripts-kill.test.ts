/** Runs of scripts whose workers are killed at random: no script is started twice on its device. */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { connectedNinjaOne } from '../areas/rmm-scripts/rmms.ts'
import type { Api } from '../setup/api.ts'
import { addCompanies } from '../setup/companies.ts'
import { PUBLIC_URL, performDue } from '../setup/connected.ts'
import { connect } from '../setup/local-systems.ts'
import { addLocalDevices, addLocalScripts, addScript } from '../setup/rmm-scripts.ts'
import { until } from '../setup/until.ts'
import type { Msp } from '../setup/world.ts'
import { placeOfWorkers } from './killed-worker.ts'
import { startWorkers } from './workers.ts'

/** 200, or as many as `TEST_SCRIPT_RUNS` says. */
const RUNS = Number(process.env.TEST_SCRIPT_RUNS ?? 200)
/** Fewer: a run in NinjaOne takes about ten requests. */
const NINJAONE_RUNS = RUNS / 2
const DEVICES = 20
const ENDED_MS = 240_000
const BODY = 'Get-Date'

/** Most of the time of a run is between its start in the RMM and the record of it, where a lost worker is hardest to follow. */
const RECORD_SLOWLY = [
  `create function record_slowly() returns trigger language plpgsql as
     $$ begin perform pg_sleep(0.2); return new; end $$`,
  `create trigger record_slowly before update of sent_at on rmm_script_run
     for each row when (old.sent_at is null and new.sent_at is not null) execute function record_slowly()`,
]

const deviceOf = (n: number): string => String((n % DEVICES) + 1)

interface Asking {
  url: string
  msp: Msp
  api: Api
  script_id: string
  count: number
}

/** Runs the script as often on the devices in turn, and kills two workers meanwhile. Every run ends. */
async function runAndKill({ url, msp, api, script_id, count }: Asking): Promise<void> {
  const { prisma } = msp.database
  for (const statement of RECORD_SLOWLY) await prisma.$executeRawUnsafe(statement)
  for (let n = 0; n < count; n++) {
    const input = { device_id: deviceOf(n) }
    const asked = await api.call(msp.admin, 'run_rmm_script', { script_id, input })
    expect([asked.status, asked.error]).toEqual([200, null])
  }
  const own = { tenant_id: msp.tenant_id }
  const ended = () => prisma.rmmScriptRun.count({ where: { ...own, finished_at: { not: null } } })
  const workers = startWorkers(url, 'runs', {
    ALLOW_PRIVATE_ADDRESSES: 'true',
    PUBLIC_URL,
    LIMITS: 'ninjaone_requests=1000000',
  })
  onTestFinished(() => workers.kill())
  for (let kills = 0; kills < 2; kills++) {
    const before = await ended()
    await until(async () => (await ended()) > before, ENDED_MS)
    await sleep(Math.random() * 300)
    workers.replaceOne()
  }
  await until(async () => (await ended()) === count, ENDED_MS)
}

const TIMES = { timeout: ENDED_MS + 60_000 }

test.runIf(process.env.DATABASE_URL)(
  `of ${RUNS} runs on ${DEVICES} devices, with two workers killed, each is started once and ends`,
  TIMES,
  async () => {
    const { url, msp, api } = await placeOfWorkers()
    const { prisma } = msp.database
    await connect(msp, ['ninjaone'])
    await addLocalDevices(
      msp,
      Array.from({ length: DEVICES }, (_, n) => ({ device_id: deviceOf(n) })),
    )
    await addLocalScripts(msp, [{ script_id: '1', body: BODY, stdout: 'Noon' }])
    const body_sha256 = hash('sha256', BODY)
    const script_id = await addScript(msp, { external_id: '1', body: BODY, body_sha256 })
    await runAndKill({ url, msp, api, script_id, count: RUNS })
    const own = { tenant_id: msp.tenant_id }
    const statuses = await prisma.rmmScriptRun.groupBy({ by: ['status'], where: own, _count: true })
    expect(statuses).toEqual([{ status: 'SUCCEEDED', _count: RUNS }])
    const starts = await prisma.localRmmScriptRun.groupBy({ by: ['device_id'], where: own, _count: true })
    expect(starts.map(({ _count }) => _count)).toEqual(Array(DEVICES).fill(RUNS / DEVICES))
  },
)

test.runIf(process.env.DATABASE_URL)(
  `of ${NINJAONE_RUNS} runs on ${DEVICES} devices of NinjaOne, with two workers killed, each succeeds by a start of its own, ` +
    'or is called unknown with one start at most',
  TIMES,
  async () => {
    const { url, msp, api, services } = await placeOfWorkers()
    await addCompanies(msp, [{ id: 'a' }, { id: 'b' }])
    const { rows, runs } = await connectedNinjaOne(api, msp, undefined, { run_ms: 300 })
    for (let id = rows.devices.length + 1; id <= DEVICES; id++) rows.devices.push({ ...rows.devices[0], id })
    await api.call(msp.admin, 'sync_rmm_scripts', { input: { system: 'NINJAONE' } })
    await performDue(services, msp)
    const { data } = await api.call(msp.admin, 'rmm_scripts')
    await runAndKill({ url, msp, api, script_id: data[0].id, count: NINJAONE_RUNS })
    const stored = await msp.database.prisma.rmmScriptRun.findMany({ where: { tenant_id: msp.tenant_id } })
    const succeeded = stored.filter(({ status }) => status === 'SUCCEEDED')
    const others = stored.filter(({ status }) => status !== 'SUCCEEDED')
    for (const run of others) expect(run).toMatchObject({ status: 'FAILED', error_code: 'outcome_unknown' })
    const starts = new Map(runs.starts.map(({ uid, device_id }) => [uid, String(device_id)]))
    expect(new Set(succeeded.map(({ external_run_id }) => external_run_id)).size).toBe(succeeded.length)
    for (const { external_run_id, device_id } of succeeded)
      expect(starts.get(external_run_id ?? '')).toBe(device_id)
    for (let n = 0; n < DEVICES; n++) {
      const isThere = ({ device_id }: { device_id: unknown }) => String(device_id) === deviceOf(n)
      const made = runs.starts.filter(isThere).length
      const known = succeeded.filter(isThere).length
      expect(made).toBeGreaterThanOrEqual(known)
      expect(made).toBeLessThanOrEqual(known + others.filter(isThere).length)
    }
  },
)
