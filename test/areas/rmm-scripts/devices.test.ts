import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { MOST_PAGES } from '../../../src/areas/rmm-scripts/devices/read.ts'
import { type Answer, type Api, describeApi, outcome, walk } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { addLocalDevices } from '../../setup/rmm-scripts.ts'
import { statementsOf } from '../../setup/statements.ts'
import { showConnected } from '../../setup/syncs.ts'
import { type Msp, world } from '../../setup/world.ts'

async function connected(): Promise<Msp> {
  const msp = await world()
  await showConnected(msp, 'ninjaone')
  return msp
}

const idOf = (n: number): string => `dev_${String(n).padStart(4, '0')}`

/** More than two requests read, and more than one of the devices of a company. */
const MANY = 2400

/** Of these devices each tenth is online, and four have a user of this name. */
const DEVICES = Array.from({ length: MANY }, (_, n) => ({
  device_id: idOf(n),
  is_online: n % 10 === 0,
  last_user: n % 600 === 7 ? 'Ágnes' : null,
  psa_company_id: n % 2 === 0 ? 'psa_a' : 'psa_b',
}))

/** A tenant with these devices, which tests only read. */
let many: Msp
beforeAll(async () => {
  many = await connected()
  await addLocalDevices(many, DEVICES)
})

const idsIn = (pages: readonly Answer[]): string[] =>
  pages.flatMap(({ data }) => data.map(({ device_id }: { device_id: string }) => device_id))

/** Every page, and the most pages of the RMM that one request read. */
async function walkAll(api: Api, msp: Msp, args: object): Promise<{ pages: Answer[]; most: number }> {
  let most = 0
  const pages = await walk(async (cursor) => {
    let answer: Answer | undefined
    const sent = await statementsOf(msp.database, async () => {
      answer = await api.call(msp.key, 'rmm_devices', { ...args, ...cursor })
    })
    most = Math.max(most, sent.filter(({ text }) => text.includes('local_rmm_device')).length)
    return answer as Answer
  })
  return { pages, most }
}

describeApi('devices of the RMM', (api) => {
  it('are listed as the RMM has them', async () => {
    const msp = await connected()
    const last_seen_at = new Date('2026-11-01T08:00:00Z')
    await addLocalDevices(msp, [
      { device_id: 'd2', name: 'beta-mac', platform: 'MACOS', psa_company_id: 'psa_b', is_online: false },
      { device_id: 'd1', name: 'ALPHA-01', last_user: 'ada', last_seen_at },
    ])
    const { data, pagination } = await api.call(msp.viewer, 'rmm_devices')
    expect(data).toEqual([
      {
        device_id: 'd1',
        system: 'NINJAONE',
        name: 'ALPHA-01',
        psa_company_id: 'psa_a',
        platform: 'WINDOWS',
        online: true,
        last_seen_at: last_seen_at.toISOString(),
        last_user: 'ada',
      },
      {
        device_id: 'd2',
        system: 'NINJAONE',
        name: 'beta-mac',
        psa_company_id: 'psa_b',
        platform: 'MACOS',
        online: false,
        last_seen_at: null,
        last_user: null,
      },
    ])
    expect(pagination).toEqual({ has_more: false, next_cursor: null })
  })

  it.each([
    ['all of them', {}, DEVICES.map(({ device_id }) => device_id)],
    [
      'in pages that no page of the RMM ends with',
      { page_size: 130 },
      DEVICES.map(({ device_id }) => device_id),
    ],
    [
      'that are online',
      { online: true, page_size: 30 },
      DEVICES.filter(({ is_online }) => is_online).map(({ device_id }) => device_id),
    ],
    [
      'of a company with a user, of whom there are few',
      { search: 'ÁGNES', psa_company_id: 'psa_b' },
      DEVICES.filter(({ last_user, psa_company_id }) => last_user && psa_company_id === 'psa_b').map(
        ({ device_id }) => device_id,
      ),
    ],
    ['that are not there', { search: 'nobody' }, []],
  ])('are walked once each, %s, by five pages of the RMM a request at most', async (_what, args, ids) => {
    const { pages, most } = await walkAll(api, many, { page_size: 200, ...args })
    expect(idsIn(pages)).toEqual(ids)
    expect(most).toBeLessThanOrEqual(MOST_PAGES)
    for (const { data } of pages) expect(data.length).toBeLessThanOrEqual(200)
    expect(pages.at(-1)?.pagination).toEqual({ has_more: false, next_cursor: null })
  })

  it('are on a short page, with more to come, after five pages of the RMM', async () => {
    const { data, pagination } = await api.call(many.key, 'rmm_devices', { search: 'nobody' })
    expect([data, pagination?.has_more]).toEqual([[], true])
  })

  it('are those of the connected RMM, and none of another one', async () => {
    const msp = await connected()
    await addLocalDevices(msp, [{ device_id: 'd1' }])
    const ask = (system: string) => api.call(msp.key, 'rmm_devices', { system })
    expect((await ask('NINJAONE')).data).toHaveLength(1)
    for (const system of ['DATTO_RMM', 'HUDU']) {
      const { status, data, pagination } = await ask(system)
      expect([status, data, pagination]).toEqual([200, [], { has_more: false, next_cursor: null }])
    }
  })

  it('are refused without a connected RMM, and if the RMM does not answer', async () => {
    const msp = await world()
    const alone = await api.call(msp.key, 'rmm_devices', { system: 'DATTO_RMM' })
    expect([alone.status, alone.error]).toMatchObject([
      409,
      { code: 'integration_not_connected', details: { name: 'datto-rmm' } },
    ])
    await showConnected(msp, 'datto-rmm')
    const { connectors } = (await testApp()).app.services
    const { rmm } = connectors
    onTestFinished(() => void Object.assign(connectors, { rmm }))
    const { ApiError } = await import('../../../src/errors/errors.ts')
    const devicePage = vi
      .fn()
      .mockRejectedValue(new ApiError('upstream_unavailable', { details: { upstream: 'RMM' } }))
    Object.assign(connectors, { rmm: () => ({ devicePage }) })
    expect(outcome(await api.call(msp.key, 'rmm_devices'))).toEqual([503, 'upstream_unavailable'])
  })

  it('have cursors that end with the RMM', async () => {
    const msp = await connected()
    await addLocalDevices(msp, [{ device_id: 'd1' }, { device_id: 'd2' }])
    const { pagination } = await api.call(msp.key, 'rmm_devices', { page_size: 1 })
    const { tenant_id } = msp
    const where = { tenant_id, name: 'ninjaone' }
    await msp.database.prisma.integrationConnection.updateMany({ where, data: { name: 'datto-rmm' } })
    const next = await api.call(msp.key, 'rmm_devices', { cursor: pagination?.next_cursor })
    expect(next.error).toMatchObject({ code: 'invalid_cursor', details: { reason: 'FILTERS_CHANGED' } })
  })

  it('are those of one tenant', async () => {
    const [msp, other] = [await connected(), await connected()]
    await addLocalDevices(msp, [{ device_id: 'd1' }])
    expect((await api.call(other.key, 'rmm_devices')).data).toEqual([])
  })
})
