import { beforeAll, describe, expect, it } from 'vitest'
import { READ_PAGE } from '../../../src/areas/integration-syncs/declared.ts'
import { beginDueSyncs } from '../../../src/areas/integration-syncs/scheduled.ts'
import { always, budgeted } from '../../../src/connectors/budgeted-port.ts'
import { localRmm } from '../../../src/connectors/local/rmm.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { RMM, type Rmm, type RmmScript } from '../../../src/connectors/rmm.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { type Api, apis, describeApi, outcome } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { performWaiting } from '../../setup/due.ts'
import { addLocalScripts, addScripts } from '../../setup/rmm-scripts.ts'
import { statementsOf } from '../../setup/statements.ts'
import { performSyncs, showConnected } from '../../setup/syncs.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const name = 'ninjaone'
const PARAMETER = { name: 'p', type: 'STRING', required: false, default: null, choices: null, secret: false }

const NINJAONE = { input: { system: 'NINJAONE' } }

async function connected(): Promise<Msp> {
  const msp = await world()
  await showConnected(msp, name)
  return msp
}

/** The services with a RMM that answers these calls in another way than the local one. */
async function withRmm(calls: (local: Rmm) => Partial<Rmm>): Promise<Services> {
  const { services } = (await testApp()).app
  const rmm = budgeted(
    RMM,
    always((ctx) => {
      const local = localRmm(ctx)
      return { ...local, ...calls(local) }
    }),
  )
  return { ...services, connectors: { ...services.connectors, rmm } }
}

/** The sync that the operation starts, once its pages are read. */
async function synced(api: Api, msp: Msp, services?: Services) {
  const asked = await api.call(msp.admin, 'sync_rmm_scripts', NINJAONE)
  await performSyncs(msp, services)
  return (await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })).data
}

const storedOf = ({ database: { prisma }, tenant_id }: Msp) =>
  prisma.rmmScript.findMany({ where: { tenant_id }, orderBy: { external_id: 'asc' } })

const stage = (read: number, added: number, changed: number, missing = 0) => [
  { stage: 'SCRIPTS', status: 'SUCCEEDED', read, added, changed, missing },
]

describeApi('syncs of scripts', (api) => {
  it('are syncs of the integration with one stage, which read everything', async () => {
    const msp = await connected()
    await addLocalScripts(msp, [
      { script_id: 'a', body: 'one', category: 'Disks', platforms: ['MACOS'], shell: 'BASH' },
      { script_id: 'b', body: 'two', parameters: [PARAMETER] },
    ])
    const asked = await api.call(msp.admin, 'sync_rmm_scripts', NINJAONE)
    expect([asked.status, asked.data]).toMatchObject([
      200,
      { name, status: 'QUEUED', is_full: true, changed_since: null, requested_by_name: 'Admin' },
    ])
    await performSyncs(msp)
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data).toMatchObject({ status: 'SUCCEEDED', error: null, stages: stage(2, 2, 0) })
    const scripts = await api.call(msp.key, 'rmm_scripts')
    expect(scripts.data).toMatchObject([
      { system: 'NINJAONE', external_id: 'a', shell: 'BASH', platforms: ['MACOS'], category: 'Disks' },
      { external_id: 'b', risk: 'UNKNOWN', agent_enabled: false, approval: 'ALWAYS' },
    ])
    expect((await synced(api, msp)).stages).toMatchObject(stage(2, 0, 0))
    expect(await activitiesOf(msp)).toMatchObject([
      { action: 'integration_sync.requested' },
      { action: 'integration_sync.requested' },
    ])
    const again = await api.call(msp.admin, 'sync_integration', { name })
    expect(again.data).toMatchObject({ is_full: true, changed_since: null, stages: [{ stage: 'SCRIPTS' }] })
  })

  it('keep the rules of the tenant, and disable a script with another body unless it is READ_ONLY', async () => {
    const msp = await connected()
    const { localRmmScript } = msp.database.prisma
    await addLocalScripts(msp, [
      { script_id: 'changes', body: 'one {build}', is_rebuilt: true },
      { script_id: 'reads', body: 'two {build}', is_rebuilt: true },
      { script_id: 'stays', body: 'three' },
    ])
    await synced(api, msp)
    const rules = { agent_enabled: true, approval: 'BY_RISK', agent_description: 'Ours' } as const
    for (const { id, external_id } of await storedOf(msp)) {
      const risk = external_id === 'reads' ? 'READ_ONLY' : 'CHANGES_STATE'
      await api.call(msp.admin, 'update_rmm_script', { script_id: id, input: { ...rules, risk } })
    }
    const before = await storedOf(msp)
    clock.advance(60_000)
    await localRmmScript.updateMany({
      where: { tenant_id: msp.tenant_id, script_id: 'stays' },
      data: { name: 'New' },
    })
    expect((await synced(api, msp)).stages).toMatchObject(stage(3, 0, 3))
    const [changes, reads, stays] = await storedOf(msp)
    expect(changes).toMatchObject({ ...rules, agent_enabled: false, revision: 2, body: 'one 3' })
    expect(reads).toMatchObject({ ...rules, risk: 'READ_ONLY' })
    expect(stays).toMatchObject({ ...rules, name: 'New' })
    expect(changes?.body_sha256).not.toBe(before[0]?.body_sha256)
    expect(stays?.body_sha256).toBe(before[2]?.body_sha256)
    clock.advance(60_000)
    await synced(api, msp)
    const [, , later] = await storedOf(msp)
    expect(later?.updated_at).toEqual(stays?.updated_at)
    expect(later?.synced_at.getTime()).toBeGreaterThan(Number(stays?.synced_at))
  })

  it('mark a script that is gone, and take the mark away once it is back', async () => {
    const msp = await connected()
    const { localRmmScript } = msp.database.prisma
    await addLocalScripts(msp, [
      { script_id: 'a', body: 'one' },
      { script_id: 'b', body: 'two' },
    ])
    await addScripts(msp, [{ id: 'other', system: 'DATTO_RMM' }])
    await synced(api, msp)
    await api.call(msp.admin, 'update_rmm_script', {
      script_id: (await storedOf(msp))[0]?.id,
      input: { agent_enabled: true },
    })
    clock.advance(1000)
    await localRmmScript.deleteMany({ where: { tenant_id: msp.tenant_id, script_id: 'a' } })
    expect((await synced(api, msp)).stages).toMatchObject(stage(1, 0, 0, 1))
    const [a, b, other] = await storedOf(msp)
    expect([a?.removed_at, b?.removed_at, other?.removed_at]).toEqual([expect.any(Date), null, null])
    expect((await api.call(msp.key, 'rmm_scripts', { runnable: true })).data).toEqual([])
    clock.advance(1000)
    await addLocalScripts(msp, [{ script_id: 'a', body: 'one' }])
    expect((await synced(api, msp)).stages).toMatchObject(stage(2, 0, 1))
    expect((await storedOf(msp))[0]).toMatchObject({ id: a?.id, removed_at: null, agent_enabled: true })
  })

  it('mark none if more than 20 and more than a fifth are gone, until that is accepted', async () => {
    const msp = await connected()
    await addScripts(
      msp,
      Array.from({ length: 30 }, (_, n) => ({ id: `gone_${n}` })),
    )
    clock.advance(1000)
    expect(await synced(api, msp)).toMatchObject({
      status: 'PARTIAL',
      error: expect.stringContaining('30 of 30 scripts are gone from the system'),
    })
    expect((await storedOf(msp)).every(({ removed_at }) => removed_at === null)).toBe(true)
    await api.call(msp.admin, 'sync_integration', { name, input: { accept_missing: true } })
    await performSyncs(msp)
    expect((await storedOf(msp)).every(({ removed_at }) => removed_at !== null)).toBe(true)
  })

  it('read page after page, and store the rows that can be stored', async () => {
    const msp = await connected()
    const script: Omit<RmmScript, 'script_id'> = {
      name: 'A',
      description: null,
      category: null,
      shell: 'POWERSHELL',
      platforms: ['WINDOWS'],
      parameters: [],
      default_timeout_seconds: 90,
      run_as_user: false,
      body: null,
      body_sha256: 'a'.repeat(64),
    }
    const pages = [
      { rows: [{ ...script, script_id: '1' }], next: 'p' },
      {
        rows: [
          { ...script, script_id: '' },
          { ...script, script_id: '2', body: 'a\0b' },
        ],
        next: 'q',
      },
      { rows: [{ ...script, script_id: '3' }], next: null },
    ]
    const services = await withRmm(() => ({
      scriptPage: async (after) => pages[[null, 'p', 'q'].indexOf(after)] as (typeof pages)[0],
    }))
    expect(await synced(api, msp, services)).toMatchObject({
      status: 'PARTIAL',
      error: 'Cannot be stored: script "", script "2".',
      stages: [{ status: 'FAILED', read: 4, added: 2, missing: 0 }],
    })
    expect((await storedOf(msp)).map(({ external_id }) => external_id)).toEqual(['1', '3'])
  })

  it('are FAILED if the RMM is away for all attempts', async () => {
    const msp = await connected()
    const asked = await api.call(msp.admin, 'sync_rmm_scripts', NINJAONE)
    const services = await withRmm(() => ({ scriptPage: () => Promise.reject(new PortUnavailable('Away')) }))
    await expect(performWaiting(msp, READ_PAGE.name, { services })).rejects.toThrow()
    await performWaiting(msp, READ_PAGE.name, { services, attempt: 6 })
    const { data } = await api.call(msp.key, 'integration_sync', { name, sync_id: asked.data.id })
    expect(data).toMatchObject({
      status: 'FAILED',
      error: 'The system did not answer: scripts are not complete.',
    })
  })

  it('are refused of what is not connected, no RMM, or under way', async () => {
    const msp = await connected()
    const ask = (system: string) => api.call(msp.admin, 'sync_rmm_scripts', { input: { system } })
    const asked = await ask('NINJAONE')
    for (const [system, status, error] of [
      ['DATTO_RMM', 409, { code: 'integration_not_connected', details: { name: 'datto-rmm' } }],
      ['NINJAONE', 409, { code: 'sync_already_running', details: { sync_id: asked.data.id } }],
      ['HUDU', 422, { details: { field_errors: [{ field: 'system', code: 'unknown' }] } }],
    ] as const) {
      const refused = await ask(system)
      expect([refused.status, refused.error]).toMatchObject([status, error])
    }
    const customers = { name, input: { customers: [] } }
    expect(outcome(await api.call(msp.admin, 'put_integration_customers', customers))).toEqual([
      409,
      'sync_already_running',
    ])
    const reader = await msp.newKey({ scopes: ['rmm_scripts:read'] })
    expect((await api.call(reader, 'sync_rmm_scripts', NINJAONE)).status).toBe(403)
  })
})

describe('syncs of scripts that are asked for at once', () => {
  it('are one', async () => {
    const msp = await connected()
    const callBy = (index: number) => (apis[index % apis.length] as Api).call
    const answers = await times((index) => callBy(index)(msp.admin, 'sync_rmm_scripts', NINJAONE))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: TIMES - 1 }, () => 409)])
  })
})

describe('syncs of scripts that the service begins by itself', () => {
  it('read everything, each hour', async () => {
    const msp = await connected()
    const { tenant_id, environment, database } = msp
    await addLocalScripts(msp, [{ script_id: 'a', body: 'one' }])
    await database.prisma.systemConnection.create({
      data: {
        tenant_id,
        environment,
        name,
        connection_id: `con_${tenant_id}`,
        settings: {},
        secrets: 'unread',
        updated_by_name: 'Admin',
        updated_at: clock.now(),
      },
    })
    const { services } = (await testApp()).app
    const request = { id: 'req_syncs', ip: null, user_agent: null, if_match: null }
    for (const hour of [0, 1]) {
      const now = new Date(clock.now().getTime() + hour * 3_600_000)
      await beginDueSyncs(
        { services: { ...services, now: () => now }, now, request, log: services.log },
        tenant_id,
      )
      await performSyncs(msp, { ...services, now: () => now })
    }
    const syncs = await database.prisma.integrationSync.findMany({ where: { tenant_id } })
    const whole = { name, status: 'SUCCEEDED', is_full: true, changed_since: null, requested_by_name: null }
    expect(syncs).toMatchObject([whole, whole])
    expect(await storedOf(msp)).toHaveLength(1)
  })
})

// Statements inside a transaction are visible on PostgreSQL alone.
describe.runIf(process.env.DATABASE_URL)('a page of scripts', () => {
  it('is stored by one statement, however many scripts it has', async () => {
    const msp = await connected()
    const numbers = Array.from({ length: 300 }, (_, n) => n)
    await addLocalScripts(
      msp,
      numbers.map((n) => ({ script_id: `s${n}`, body: 'x' })),
    )
    const writing = /insert into rmm_script\b/
    const sent = await statementsOf(msp.database, () => synced(apis[0] as Api, msp), writing)
    expect(sent).toHaveLength(1)
    expect(await storedOf(msp)).toHaveLength(300)
  })
})
