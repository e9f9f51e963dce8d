/** Every adapter against systems that answer what they should not: each call by each answer. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { adaptersOf } from '../../src/composition/adapters.ts'
import type { ConnectableSystem } from '../../src/connectors/fields.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { PortRefusal, PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa } from '../../src/connectors/psa.ts'
import type { Rmm } from '../../src/connectors/rmm.ts'
import { isStorable } from '../../src/lib/text.ts'
import { seedAutotask, seedTickets as seedAutotaskTickets } from '../doubles/autotask/seed.ts'
import { SETTINGS as AUTOTASK, startAutotask } from '../doubles/autotask/server.ts'
import { seedConnectwise, seedTickets as seedConnectwiseTickets } from '../doubles/connectwise/seed.ts'
import { SETTINGS as CONNECTWISE, startConnectwise } from '../doubles/connectwise/server.ts'
import { seedHalo, seedTickets as seedHaloTickets } from '../doubles/halo/seed.ts'
import { SETTINGS as HALO, startHalo } from '../doubles/halo/server.ts'
import { FOREIGN, strange, WRONG, WRONG_ROWS } from '../doubles/hostile.ts'
import { SETTINGS as NINJAONE, REFRESH_TOKEN, startNinjaOne } from '../doubles/ninjaone/server.ts'
import type { Hostility } from '../doubles/vendor.ts'
import { clock } from '../setup/app.ts'
import { addCompanies, addLinks } from '../setup/companies.ts'
import { portContext } from '../setup/psa.ts'
import { world } from '../setup/world.ts'

type Arguments<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...args: infer Args) => unknown ? Args : never
}

const SEARCH = { words: '', psa_company_id: null, limit: 10 }
const PAGE = { after: null, changed_since: null }
const CHANGES = { after: null, changed_since: new Date(0) }
const KEY = 'key'

const OF_PSA: Arguments<Psa> = {
  companyFields: [],
  companies: [],
  companyPage: [PAGE],
  contactPage: [PAGE],
  technicianPage: [PAGE],
  company: ['2'],
  companyNames: [['2', '3']],
  companyDetails: ['2'],
  searchCompanies: [{ words: 'a', limit: 10 }],
  searchContacts: [SEARCH],
  searchTickets: [{ ...SEARCH, open_only: false }],
  attachmentsOf: ['1'],
  technician: [7],
  contact: ['11'],
  contactByEmail: ['2', 'ada.lovelace@a.example'],
  ticketStatuses: [],
  ticket: ['1'],
  listedTicket: ['1'],
  ticketUrl: ['1'],
  openTicketCounts: [[7, 8]],
  openTickets: [null],
  openTicketsOf: ['11'],
  recentlyClosedTicketsOf: ['11', 30],
  notesOf: ['1'],
  ticketsWithNotes: [['1', '2']],
  timeEntriesOf: ['1'],
  timeEntry: ['1'],
  timeEntriesAfter: [{ created_at: new Date(clock.now().getTime() - 86_400_000), time_entry_id: '' }],
  ticketChangePage: [CHANGES],
  timeEntryChangePage: [CHANGES],
  addNote: ['1', { author_name: 'A', is_internal: true, text: 'x' }, KEY],
  addTimeEntry: ['1', { technician_psa_id: 7, minutes: 5, note: null, started_at: clock.now() }, KEY],
  updateTicket: [
    '1',
    {
      title: 'x',
      status: 'New',
      priority: 'P1',
      type: 'Incident',
      category: 'Printing',
      contact_id: '11',
      assignee_psa_id: 7,
      resolution: 'y',
    },
    KEY,
  ],
  createTicket: [{ psa_company_id: '2', contact_id: null, title: 'x', description: 'y', board: null }, KEY],
  mergeTicket: ['1', '2', KEY],
  setAgreement: ['1', 'Projects', KEY],
  returnTimeEntry: ['1', 'x', KEY],
  sendMessage: [{ contact_id: '11', ticket_id: '1', author_name: 'A', subject: 'x', body: 'y' }, KEY],
  outcomeOf: [KEY, { note_on: '1' }],
}

const OF_RMM: Arguments<Rmm> = {
  searchDevices: [SEARCH],
  device: ['1'],
  softwareOf: ['1'],
  alert: ['00000000-0000-4000-8000-000000000001'],
  searchAlerts: [SEARCH],
  restartDevice: ['1', KEY],
  devicePage: [{ psa_company_id: null, after: null }],
  listedDevice: ['1'],
  scriptPage: [null],
  script: ['1'],
  markBeforeStart: ['1', '1'],
  startScript: [
    { device_id: '1', script_id: '1', parameters: { a: 'b' }, secret_parameters: [], run_as_user: false },
    KEY,
  ],
  startedRun: [{ device_id: '1', script_id: '1', mark: '0:', idempotency_key: KEY }],
  scriptRun: ['1', '00000000-0000-4000-9000-000000000001'],
  closeAlert: ['00000000-0000-4000-8000-000000000001', KEY],
  outcomeOf: [KEY],
}

const IDS = { psa_a: '2', psa_b: '3' }
const CONTACT = { contact_id: '11', psa_company_id: 'psa_a', name: 'Ada', email: 'ada.lovelace@a.example' }
const TICKET = {
  ticket_id: '1',
  title: 'A printer',
  psa_company_id: 'psa_a',
  contact_id: '11',
  assignee_psa_id: 7,
}

const VARIABLE = { name: 'a', type: 'DROPDOWN', required: true, defaultValue: 'b', valueList: ['b', 'c'] }

const SYSTEMS = {
  CONNECTWISE_PSA: {
    calls: OF_PSA,
    settings: CONNECTWISE,
    async start() {
      const double = await startConnectwise({ now: clock.now })
      seedConnectwise(double, [CONTACT], IDS)
      seedConnectwiseTickets(double, [TICKET], IDS)
      return double
    },
  },
  AUTOTASK_PSA: {
    calls: OF_PSA,
    settings: AUTOTASK,
    async start() {
      const double = await startAutotask({ now: clock.now })
      seedAutotask(double, [CONTACT], IDS)
      seedAutotaskTickets(double, [TICKET], IDS)
      return double
    },
  },
  HALO_PSA: {
    calls: OF_PSA,
    settings: HALO,
    async start() {
      const double = await startHalo({ now: clock.now })
      seedHalo(double, [CONTACT], IDS)
      seedHaloTickets(double, [TICKET], IDS)
      return double
    },
  },
  NINJAONE: {
    calls: OF_RMM,
    settings: { ...NINJAONE, refresh_token: REFRESH_TOKEN },
    async start() {
      const double = await startNinjaOne({})
      double.rows.organizations.push({ id: 1, name: 'A' })
      double.rows.devices.push({ id: 1, organizationId: 1, displayName: 'PC', volumes: [{ name: 'C:' }] })
      double.rows.scripts.push({ id: 1, name: 'S', language: 'bash', scriptVariables: [VARIABLE] })
      double.runs.end(double.runs.begin(1, { name: 'S' }), { message: 'Done', data: { exitCode: 1 } })
      double.runs.begin(1, { name: 'S' })
      return double
    },
  },
} as const satisfies Record<ConnectableSystem, object>

/** Each value that a port answers with can be stored, and shown. */
function check(value: unknown): void {
  if (typeof value === 'string') {
    expect(isStorable(value)).toBe(true)
    expect(value.length).toBeLessThanOrEqual(100_000)
  } else if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true)
  else if (value instanceof Date) expect(value.toISOString()).toMatch(/^\d{4}-/)
  else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) check(one)
}

type Outcome = { answer: unknown } | { refusal: unknown }

const outcomeOf = (work: Promise<unknown>): Promise<Outcome> =>
  work.then(
    (answer) => ({ answer }),
    (refusal: unknown) => ({ refusal }),
  )

async function setUp(system: ConnectableSystem, ms: number) {
  const { start, settings } = SYSTEMS[system]
  const double = await start()
  const client = createVendorClient({
    allow_private_addresses: true,
    pause_ms: 1,
    read_ms: ms,
    write_ms: ms,
  })
  onTestFinished(async () => {
    await client.close()
    await double.close()
  })
  const msp = await world()
  await addCompanies(msp, [{ id: 'a' }])
  await addLinks(msp, [
    {
      system: 'NINJAONE',
      external_id: '1',
      psa_company_id: 'psa_a',
      link_state: 'MANUAL',
      match_method: 'MANUAL',
      confidence: 1,
    },
  ])
  const { psa, rmm, documents } = adaptersOf(client)
  const adapter = [...psa, ...rmm, ...documents].find((one) => one.system === system)
  if (!adapter) throw new Error(`There is no adapter of ${system}`)
  const connectionOf = (call: string) => ({
    // The failures of one call do not open the circuit of another.
    connection_id: `c-${call}`,
    tenant_id: msp.tenant_id,
    environment: msp.environment,
    settings: { ...settings, site: double.url },
    exchange: async (_name: string, use: (value: string) => Promise<{ result: unknown }>) =>
      (await use(REFRESH_TOKEN)).result,
  })
  return { double, adapter, connectionOf, ctx: portContext(msp) }
}

type Started = Awaited<ReturnType<typeof setUp>>

const URL_OF_EVENTS = 'https://automation.example/ingest/psa/con_1?secret=s'

/** Every call of the port, the test and the webhooks, all at once. */
async function everyCall(system: ConnectableSystem, { adapter, connectionOf, ctx }: Started) {
  const calls = Object.entries(SYSTEMS[system].calls).map(([name, args]): [string, Promise<Outcome>] => {
    const port = adapter.open(connectionOf(name) as never, ctx) as unknown as Record<
      string,
      (...given: unknown[]) => Promise<unknown>
    >
    return [name, outcomeOf((port[name] as (...given: unknown[]) => Promise<unknown>)(...args))]
  })
  calls.push(['test', outcomeOf(adapter.test(connectionOf('test') as never))])
  const { webhooks } = adapter
  if (webhooks) {
    const at = (call: string) => connectionOf(call) as never
    calls.push(['register', outcomeOf(webhooks.register(at('register'), URL_OF_EVENTS))])
    calls.push(['remove', outcomeOf(webhooks.remove(at('remove'), URL_OF_EVENTS))])
  }
  return await Promise.all(calls.map(async ([name, outcome]) => [name, await outcome] as const))
}

/** The texts in a request in the place of a value that an answer lacks. */
const NO_SENSE = /undefined|NaN|null|\[object|\/boards\/0\/|company\/id=0|"field":"companyID","value":-1/

const systems = Object.keys(SYSTEMS) as ConnectableSystem[]

async function play(system: ConnectableSystem, hostility: Hostility, ms = 500) {
  const started = await setUp(system, ms)
  started.double.hostile.play = hostility
  const sent: string[] = []
  started.double.served.after = ({ method, url, text }) => {
    sent.push(`${method} ${decodeURIComponent(url.pathname + url.search)} ${text}`)
  }
  const outcomes = await everyCall(system, started)
  for (const [name, outcome] of outcomes) {
    if ('answer' in outcome) check(outcome.answer)
    else if (!(outcome.refusal instanceof PortUnavailable || outcome.refusal instanceof PortRefusal))
      throw new Error(`${system}.${name} failed`, { cause: outcome.refusal })
  }
  // No value that an answer lacks becomes a part of a request. A change of the issue empties the sub-issue.
  const asked = sent.map((request) => request.replace('"subIssueType":null', ''))
  expect(asked.filter((request) => NO_SENSE.test(request))).toEqual([])
  return { ...started, outcomes: new Map(outcomes) }
}

/** The answers that last until the deadline of a request. */
const SLOW = new Set(['a drop at a time', 'no answer'])

const { 'pages that are always new': alwaysNew, ...OTHERS } = WRONG
if (!alwaysNew) throw new Error('There are no pages that are always new')

describe.each(systems)('%s', (system) => {
  it.each(Object.entries(FOREIGN))(
    'is not taken for itself if it answers with %s',
    async (name, hostility) => {
      const { outcomes } = await play(system, hostility(), SLOW.has(name) ? 100 : 500)
      const test = outcomes.get('test')
      const says_no = test && 'answer' in test ? (test.answer as { ok: boolean }).ok === false : true
      expect(says_no).toBe(true)
    },
  )

  it.each(Object.entries(OTHERS))('harms nothing by %s', async (_name, hostility) => {
    await play(system, hostility())
  })

  it.each(Object.entries(WRONG_ROWS))(
    'is asked nothing that has no sense after %s',
    async (_name, hostility) => {
      await play(system, hostility())
    },
  )

  it.each([3, 10, 40])('is asked nothing that has no sense after one strange value in %i', async (of) => {
    for (const seed of [11, 222, 3333, 44_444, 555_555]) await play(system, strange(seed, of))
  })

  it('harms nothing by pages that are always new, and is asked nothing more once its calls have ended', async () => {
    const { double, adapter, connectionOf, outcomes } = await play(system, alwaysNew())
    const asked = double.requests.length
    expect(asked).toBeLessThan(outcomes.size * 500)
    // By the answer to another call, what a call before has asked has come.
    double.hostile.play = null
    await adapter.test(connectionOf('test') as never)
    const after = double.requests.length
    await new Promise((done) => setTimeout(done, 50))
    expect(double.requests.length).toBe(after)
  })
})
