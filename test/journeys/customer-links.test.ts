/** Customers and companies that change on either side, and what an agent of each customer finds meanwhile. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { executeTool } from '../../src/tools/execute.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { device } from '../connectors/ninjaone/fixture.ts'
import { SETTINGS as HALO, startHalo } from '../doubles/halo/server.ts'
import { SETTINGS as NINJAONE, startNinjaOne } from '../doubles/ninjaone/server.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { performDue, useConnectedApp } from '../setup/connected.ts'
import { toolContext } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

const running = useConnectedApp()

const ACORN = 'Acorn Freight'
const MUELLER = 'Müller & Söhne GmbH'
/** Organizations of the RMM, each with one device of its own. */
const [FIRST, SECOND] = ['71', '72']
const DEVICES = { [FIRST]: 'PC-0001', [SECOND]: 'PC-0002' }

const client = (id: number, name: string) => ({ id, name, inactive: false, toplevel_id: 0 })

async function start(api: Api) {
  const psa = await startHalo({ now: () => clock.now() })
  const rmm = await startNinjaOne()
  onTestFinished(async () => {
    await psa.close()
    await rmm.close()
    expect([...psa.violations, ...rmm.violations]).toEqual([])
  })
  rmm.rows.devices.push(device(1, Number(FIRST)), device(2, Number(SECOND)))
  const msp = await world(running.database)
  const { services } = running.app
  const connect = async (name: string, input: object) => {
    const { status } = await api.call(msp.owner, 'connect_integration', { name, input })
    expect(status).toBe(200)
  }
  await connect('halo-psa', { halo_psa: { ...HALO, site: psa.url } })
  await connect('ninjaone', { ninjaone: { ...NINJAONE, site: rmm.url } })

  const ctx = { ...toolContext(msp), services: { database: msp.database, connectors: services.connectors } }
  /** The devices that an agent finds that works on a ticket of the company. */
  async function found(client_id: number): Promise<string[]> {
    const reach = { psa_company_id: String(client_id), entity: null, contact_id: null }
    const run = { agent_id: 1, agent_name: 'A', execution_id: null, entity_id: null, reach }
    const calling = { ...run, audience: 'TECHNICIANS' as const, skills: [] }
    const answer = await executeTool(ctx, calling, toolNamed('device.search') as Tool, { query: 'pc' }, 'k')
    return (answer.results as { name: string }[]).map(({ name }) => name)
  }
  return {
    clients: psa.rowsOf('/Client'),
    found,
    finds: async (...client_ids: number[]) => await Promise.all(client_ids.map(found)),
    work: () => performDue(services, msp),
    put: async (names: Readonly<Record<string, string>>) => {
      const customers = Object.entries(names).map(([external_id, name]) => ({ external_id, name }))
      const input = { customers }
      const { status } = await api.call(msp.owner, 'put_integration_customers', { name: 'ninjaone', input })
      expect(status).toBe(200)
    },
    sync: async () => {
      const input = { is_full: true }
      expect((await api.call(msp.owner, 'sync_integration', { name: 'halo-psa', input })).status).toBe(200)
    },
    map: (external_id: string, client_id: number) =>
      api.call(msp.owner, 'map_company_link', {
        input: { system: 'NINJAONE', external_id, psa_company_id: String(client_id) },
      }),
    confirm: (...external_ids: string[]) =>
      api.call(msp.owner, 'confirm_company_links', { input: { system: 'NINJAONE', external_ids } }),
    links: async () => {
      const { data } = await api.call(msp.key, 'company_links', { system: 'NINJAONE' })
      const links = data.links as Record<string, unknown>[]
      return Object.fromEntries(
        links.map((link) => [
          link.external_id,
          [link.external_name, link.psa_company_name, link.link_state, link.needs_review],
        ]),
      )
    },
  }
}

type Side = Awaited<ReturnType<typeof start>>

/** Two companies with a customer each, which have found one another. */
async function linked({ clients, put, sync, work, finds }: Side): Promise<void> {
  clients.push(client(2, ACORN), client(3, MUELLER))
  await sync()
  await put({ [FIRST]: ACORN, [SECOND]: MUELLER })
  await work()
  expect(await finds(2, 3)).toEqual([[DEVICES[FIRST]], [DEVICES[SECOND]]])
}

const rename = (clients: Side['clients'], names: Readonly<Record<number, string>>): void => {
  for (const row of clients) row.name = names[row.id as number] ?? row.name
}

const AUTO = (external_name: string, psa_company_name: string) => [
  external_name,
  psa_company_name,
  'AUTO',
  false,
]

describe.each(apisAt(async () => running.base))(
  'an agent of each customer finds its own devices alone ($name)',
  (api) => {
    it('if customers change their names in the integration', async () => {
      const side = await start(api)
      await linked(side)
      await side.put({ [FIRST]: MUELLER, [SECOND]: ACORN })
      expect(await side.finds(2, 3)).toEqual([[], []])
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[SECOND]], [DEVICES[FIRST]]])
      expect(await side.links()).toEqual({ [FIRST]: AUTO(MUELLER, MUELLER), [SECOND]: AUTO(ACORN, ACORN) })
      await side.put({ [FIRST]: 'Somebody Else', [SECOND]: ACORN })
      expect(await side.finds(2, 3)).toEqual([[DEVICES[SECOND]], []])
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[SECOND]], []])
      expect((await side.links())[FIRST]).toEqual(['Somebody Else', null, 'UNMAPPED', false])
    })

    it('if a company of the PSA gives its name to a new one', async () => {
      const side = await start(api)
      await linked(side)
      rename(side.clients, { 2: 'Zenith Roofing' })
      side.clients.push(client(4, ACORN))
      await side.sync()
      await side.work()
      expect(await side.finds(2, 3, 4)).toEqual([[], [DEVICES[SECOND]], [DEVICES[FIRST]]])
      expect(await side.links()).toEqual({ [FIRST]: AUTO(ACORN, ACORN), [SECOND]: AUTO(MUELLER, MUELLER) })
    })

    it('if both sides change their names', async () => {
      const side = await start(api)
      await linked(side)
      rename(side.clients, { 2: MUELLER, 3: ACORN })
      await side.sync()
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[SECOND]], [DEVICES[FIRST]]])
      await side.put({ [FIRST]: MUELLER, [SECOND]: ACORN })
      expect(await side.finds(2, 3)).toEqual([[], []])
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[FIRST]], [DEVICES[SECOND]]])
      rename(side.clients, { 2: 'Acorn Logistics', 3: 'Müller Holding' })
      await side.sync()
      await side.put({ [FIRST]: 'Acorn Logistics', [SECOND]: 'Müller Holding' })
      expect(await side.finds(2, 3)).toEqual([[], []])
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[FIRST]], [DEVICES[SECOND]]])
    })

    it('if a company is deleted and made again', async () => {
      const side = await start(api)
      await linked(side)
      side.clients.splice(0, 1)
      await side.sync()
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[], [DEVICES[SECOND]]])
      expect((await side.links())[FIRST]).toEqual([ACORN, null, 'UNMAPPED', false])
      side.clients.push(client(5, ACORN))
      await side.sync()
      await side.work()
      expect(await side.finds(2, 3, 5)).toEqual([[], [DEVICES[SECOND]], [DEVICES[FIRST]]])
    })

    it('if one company is merged into another, whose customer a person has mapped', async () => {
      const side = await start(api)
      await linked(side)
      await side.map(SECOND, 3)
      side.clients.splice(1, 1)
      await side.sync()
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[FIRST]], []])
      expect((await side.links())[SECOND]).toEqual([MUELLER, MUELLER, 'MANUAL', true])
      expect((await side.map(SECOND, 3)).error?.code).toBe('psa_company_not_found')
      expect((await side.map(SECOND, 2)).status).toBe(200)
      expect(await side.finds(2, 3)).toEqual([[DEVICES[FIRST], DEVICES[SECOND]], []])
      expect((await side.links())[SECOND]).toEqual([MUELLER, ACORN, 'MANUAL', false])
    })

    it('if both names of a MANUAL link are others, until a person confirms it', async () => {
      const side = await start(api)
      await linked(side)
      await side.confirm(FIRST)
      rename(side.clients, { 2: 'Zenith Roofing' })
      await side.sync()
      await side.work()
      expect(await side.finds(2)).toEqual([[DEVICES[FIRST]]])
      expect((await side.links())[FIRST]).toEqual([ACORN, 'Zenith Roofing', 'MANUAL', false])
      await side.put({ [FIRST]: 'Quarry Lane School', [SECOND]: MUELLER })
      expect(await side.finds(2)).toEqual([[]])
      await side.work()
      expect((await side.links())[FIRST]).toEqual(['Quarry Lane School', 'Zenith Roofing', 'MANUAL', true])
      await side.confirm(FIRST)
      expect(await side.finds(2)).toEqual([[DEVICES[FIRST]]])
      expect((await side.links())[FIRST]).toEqual(['Quarry Lane School', 'Zenith Roofing', 'MANUAL', false])
    })

    it('if a customer is no longer there, and comes back', async () => {
      const side = await start(api)
      await linked(side)
      await side.put({ [SECOND]: MUELLER })
      expect(await side.finds(2, 3)).toEqual([[], [DEVICES[SECOND]]])
      await side.work()
      expect(await side.links()).toEqual({ [SECOND]: AUTO(MUELLER, MUELLER) })
      await side.put({ [FIRST]: ACORN, [SECOND]: MUELLER })
      await side.work()
      expect(await side.finds(2, 3)).toEqual([[DEVICES[FIRST]], [DEVICES[SECOND]]])
    })
  },
)
