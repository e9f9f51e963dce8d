import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noExchange } from '../../src/areas/integrations/connection/exchange.ts'
import { haloPsa } from '../../src/connectors/halo/adapter.ts'
import {
  instant,
  LIST_START,
  type ListPart,
  type ListPlace,
  longestPart,
  readAt,
} from '../../src/connectors/halo/api.ts'
import { domainsIn, itemsOfDay } from '../../src/connectors/halo/domains.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { idOf } from '../../src/connectors/ids.ts'
import { type PortContext, PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa } from '../../src/connectors/psa.ts'
import { SETTINGS, startHalo } from '../doubles/halo/server.ts'

const NOW = new Date('2026-11-01T12:00:00Z')

type DoubleOptions = Omit<Parameters<typeof startHalo>[0], 'now'>

async function serve(settings: Partial<typeof SETTINGS> = {}, options: DoubleOptions = {}) {
  const double = await startHalo({ now: () => NOW, ...options })
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, read_ms: 2000 })
  onTestFinished(async () => {
    await client.close()
    await double.close()
    expect(double.violations).toEqual([])
  })
  const connection = {
    connection_id: 'c1',
    exchange: noExchange,
    tenant_id: 't1',
    environment: 'test',
    settings: { ...SETTINGS, ...settings, site: double.url },
  }
  const adapter = haloPsa(client)
  const psa = adapter.open(connection, { now: NOW } as PortContext)
  const { webhooks } = adapter
  if (!webhooks) throw new Error('The adapter has no webhooks')
  double.add('/Client', [{ id: 1, name: 'Company 1' }])
  const open = (others: Partial<typeof SETTINGS>) =>
    adapter.open({ ...connection, settings: { ...connection.settings, ...others } }, {
      now: NOW,
    } as PortContext)
  return { double, psa, open, adapter, connection, webhooks, test: () => adapter.test(connection) }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const ticket = (id: number, more: object = {}) => ({
  id,
  summary: `Ticket ${id}`,
  status_id: 1,
  client_id: 1,
  agent_id: 1,
  dateoccurred: '2026-10-01T08:00:00',
  last_update: '2026-10-01T08:00:00.120',
  ...more,
})

describe('a connection to HaloPSA', () => {
  it('is tested by a call', async () => {
    expect(await (await serve()).test()).toEqual({ ok: true, message: 'HaloPSA, as the agent API agent.' })
  })

  it.each([{ client_secret: 'x' }, { client_id: 'x' }, { tenant: 'other' }])(
    'is refused with %j',
    async (wrong) => {
      const { test, psa } = await serve(wrong)
      expect(await test()).toMatchObject({ ok: false })
      await expect(psa.companies()).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    },
  )

  it('has its token of the site itself if that tells no other address', async () => {
    const { test } = await serve({}, { tells_authorisation: false })
    expect(await test()).toMatchObject({ ok: true })
  })

  it('sends its secret to no authorisation server of somebody else', async () => {
    const other = await serve()
    const auth_url = `${other.double.url.replace('127.0.0.1', 'localhost')}/auth`
    const { psa } = await serve({}, { auth_url })
    await expect(psa.companies()).rejects.toThrow('not its own')
    expect(other.double.requests).toEqual([])
  })

  it('has one token, which concurrent calls share', async () => {
    const { double, psa } = await serve()
    await Promise.all(numbers(20).map(() => psa.company('1')))
    expect(double.issued()).toBe(1)
  })

  it('has its token renewed before it ends', async () => {
    const { double, psa } = await serve({}, { token_seconds: 60 })
    for (let count = 1; count <= 3; count++) {
      expect(await psa.company('1')).toMatchObject({ name: 'Company 1' })
      expect(double.issued()).toBe(count)
    }
  })

  it('has its token renewed once after a 401, by all calls together, and writes go on too', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    await psa.company('1')
    double.expireTokens()
    await Promise.all(numbers(20).map(() => psa.company('1')))
    expect(double.issued()).toBe(2)
    const note = { author_name: 'Agent', is_internal: true, text: 'Looked at it.' }
    await psa.addNote('5', note, 'k1')
    double.expireTokens()
    await psa.addNote('5', note, 'k2')
    expect(double.rowsOf('/Actions')).toHaveLength(2)
    expect(double.issued()).toBe(3)
  })

  it('has no token of other credentials', async () => {
    const { psa, open } = await serve()
    await psa.company('1')
    await expect(open({ client_secret: 'x' }).company('1')).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    expect(await psa.company('1')).not.toBeNull()
  })

  it('says nothing of the token or the secret in an error', async () => {
    const { double, psa } = await serve()
    await psa.company('1')
    double.faults.push('ERROR', 'ERROR', 'ERROR')
    const error = await psa.company('1').catch((thrown: unknown) => thrown)
    expect(JSON.stringify([String(error), (error as Error).stack])).not.toMatch(/token-|secret-1/)
  })

  it.each([
    ['TOO_MANY', { kind: 'LIMIT', retry_after_seconds: 30 }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'UNKNOWN_FORM' }],
    ['NO_ANSWER', { kind: 'OUTAGE' }],
  ] as const)('is unavailable after %s', async (fault, expected) => {
    const { double, psa } = await serve()
    await psa.company('1')
    double.faults.push(fault, fault, fault)
    const error = await psa.company('1').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortUnavailable)
    expect(error).toMatchObject(expected)
  })

  it('has half an answer asked for again', async () => {
    const { double, psa } = await serve()
    await psa.company('1')
    double.faults.push('HALF', 'HALF')
    expect(await psa.company('1')).toMatchObject({ name: 'Company 1' })
  })
})

describe('lists of HaloPSA', () => {
  it('are read page by page', async () => {
    const { double, psa } = await serve()
    double.add(
      '/Client',
      numbers(250).map((id) => ({ id: id + 1, name: `Company ${id + 1}` })),
    )
    expect(await psa.companies()).toHaveLength(251)
    expect(double.requests.filter((request) => request.includes('/Client'))).toHaveLength(3)
  })

  it('have the open tickets of technicians counted among 10,000 in a request for each of them', async () => {
    const { double, psa } = await serve()
    double.generate(function* () {
      for (let id = 1; id <= 10_000; id++) yield ticket(id, { agent_id: 7, status_id: id % 2 ? 1 : 9 })
    })
    expect(await psa.openTicketCounts([7, 8, 7])).toEqual([5000, 0, 5000])
    // The first request tells that there are too many tickets to read them all.
    expect(double.requests.filter((request) => request.includes('/Tickets'))).toHaveLength(3)
  })

  it('have the open tickets of many technicians counted in the pages of the open tickets', async () => {
    const { double, psa } = await serve()
    double.generate(function* () {
      for (let id = 1; id <= 500; id++)
        yield ticket(id, { agent_id: 7 + (id % 3), status_id: id % 2 ? 1 : 9 })
    })
    const technicians = numbers(200).map((id) => id + 6)
    const counts = await psa.openTicketCounts(technicians)
    expect(counts.slice(0, 3).reduce((sum, count) => sum + count, 0)).toBe(250)
    expect(counts.slice(0, 3)).toEqual([83, 84, 83])
    expect(counts.slice(3)).toEqual(technicians.slice(3).map(() => 0))
    expect(double.requests.filter((request) => request.includes('/Tickets'))).toHaveLength(4)
  })

  it('leave out no change while tickets change', async () => {
    const { double, psa } = await serve()
    const minute = (id: number) => new Date(Date.UTC(2026, 9, 1, 0, id)).toISOString().slice(0, 19)
    double.add(
      '/Tickets',
      numbers(350).map((id) => ticket(id, { last_update: minute(id) })),
    )
    await psa.company('1')
    let pages = 0
    double.chance.fault = () => {
      for (const row of double.rowsOf('/Tickets').slice(0, 3 * pages++)) row.last_update = minute(1000)
      return undefined
    }
    const changed_since = new Date('2026-10-01T00:00:00Z')
    const { rows, next } = await psa.ticketChangePage({ changed_since, after: null })
    expect(pages).toBeGreaterThan(3)
    expect(next).toBeNull()
    expect(rows.map(({ entity_id }) => Number(entity_id)).sort((one, other) => one - other)).toEqual(
      numbers(350),
    )
  })

  it('are read whole if they do not come in the order that was asked for', async () => {
    const { double, psa } = await serve()
    const second = (id: number) => new Date(Date.UTC(2026, 9, 1, 0, 0, id)).toISOString().slice(0, 19)
    double.add(
      '/Tickets',
      numbers(700).map((id) => ticket(id, { last_update: second(701 - id) })),
    )
    double.ignoreOrders()
    const changed_since = new Date('2026-10-01T00:00:00Z')
    const { rows } = await psa.ticketChangePage({ changed_since, after: null })
    expect(rows.map(({ entity_id }) => Number(entity_id))).toEqual(numbers(700).reverse().slice(0, 500))
  })

  it('have their choices read once for many tickets', async () => {
    const { double, psa } = await serve()
    double.add(
      '/Tickets',
      numbers(5).map((id) => ticket(id)),
    )
    await Promise.all(numbers(5).map((id) => psa.ticket(String(id))))
    expect(double.requests.filter((request) => request.includes('/Status'))).toHaveLength(2)
    expect(double.requests.filter((request) => request.includes('/Priority'))).toHaveLength(1)
  })

  it('name a priority within its SLA', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [
      ticket(1, { sla_id: 1, priority_id: 1 }),
      ticket(2, { sla_id: 2, priority_id: 1 }),
    ])
    expect((await psa.ticket('1'))?.priority).toBe('P1')
    expect((await psa.ticket('2'))?.priority).toBe('Urgent')
    await psa.updateTicket('2', { priority: 'Urgent' }, 'k')
    await expect(psa.updateTicket('2', { priority: 'P1' }, 'k2')).rejects.toMatchObject({
      reason: 'NOT_SUPPORTED',
    })
  })
})

describe('pages of HaloPSA', () => {
  const companies = (count: number) =>
    numbers(count).map((id) => ({ id: id + 1, name: `Company ${id + 1}`, website: `c${id + 1}.example` }))

  /** The ids of all pages of a directory, and what each page counts. */
  async function directory(
    page: Psa['companyPage'],
    changed_since: Date | null = null,
  ): Promise<{ ids: string[]; totals: unknown[] }> {
    const [ids, totals]: [string[], unknown[]] = [[], []]
    let after: string | null = null
    do {
      const read: Awaited<ReturnType<typeof page>> = await page({ after, changed_since })
      ids.push(...read.rows.map(({ psa_company_id }) => psa_company_id))
      totals.push(read.total)
      after = read.next
    } while (after !== null && totals.length < 50)
    return { ids, totals }
  }

  it.each([
    { most_rows: 50 },
    { most_rows: 50, has_count: false },
    { most_rows: 7 },
    { has_count: false },
    { has_count: false, has_pages: false },
    { has_pages: false },
  ])('have all rows of a list between them, each once: %j', async (paging) => {
    const { has_count = true, has_pages = true } = paging
    const { double, psa } = await serve()
    double.add('/Client', companies(135))
    double.add(
      '/Tickets',
      numbers(130).map((id) => ticket(id, { user_id: 9 })),
    )
    Object.assign(double.paging, paging)
    const all = numbers(136).map(String)
    expect((await psa.companies()).map(({ psa_company_id }) => psa_company_id).sort()).toEqual(all.sort())
    if (has_count || has_pages) expect((await directory(psa.companyPage)).ids.sort()).toEqual(all)
    expect(await psa.openTicketsOf('9')).toHaveLength(130)
    expect(await psa.openTickets(null)).toHaveLength(130)
  })

  it('have the count of the rows with all pages of a directory, and none with those that changed', async () => {
    const { double, psa } = await serve()
    double.add('/Client', companies(119))
    double.paging.most_rows = 50
    expect((await directory(psa.companyPage)).totals).toEqual([120, 120, 120])
    expect((await directory(psa.companyPage, NOW)).totals).toEqual([null, null, null])
    double.paging.has_count = false
    expect((await directory(psa.companyPage)).totals).toEqual([null, null, null, null])
  })

  it('repeat without a count in a directory, whose reader then knows that it is not whole', async () => {
    const { double, psa } = await serve()
    Object.assign(double.paging, { has_count: false, has_pages: false })
    const first = await psa.companyPage({ after: null, changed_since: null })
    const second = await psa.companyPage({ after: first.next, changed_since: null })
    expect(second.rows).toEqual(first.rows)
    expect([first.next, second.next]).not.toContain(null)
  })

  it('continue after the rows that were read, whatever an earlier release continued after', async () => {
    const { double, psa } = await serve()
    double.add('/Client', companies(149))
    const { rows, next } = await psa.companyPage({ after: '2', changed_since: null })
    expect(rows).toHaveLength(50)
    expect(await psa.companyPage({ after: next, changed_since: null })).toMatchObject({
      rows: [],
      next: null,
    })
  })

  const id = fc.integer({ min: 1, max: 1000 })

  it('are over at their count, or at a page that is empty or repeated', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(id),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        (ids, size, has_count) => {
          const read: number[] = []
          let place: ListPlace | null = LIST_START
          let requests = 0
          while (place) {
            const from = (place.page_no - 1) * size
            const rows = ids.slice(from, from + size).map((one) => ({ id: one }))
            const part: ListPart<{ id: number }> = readAt(place, {
              rows,
              total: has_count ? ids.length : null,
            })
            read.push(...part.rows.map((row) => row.id))
            place = part.next
            requests++
          }
          expect(read).toEqual(ids)
          expect(requests).toBeLessThanOrEqual(Math.ceil(ids.length / size) + 1)
        },
      ),
    )
    const again = { rows: [{ id: 7 }, { id: 8 }], total: null }
    const { next } = readAt(LIST_START, again)
    expect(readAt(next as ListPlace, again)).toEqual({ rows: [], next: null })
  })
})

describe('deleted tickets of HaloPSA', () => {
  it('are as missing ones: in no list, read by no id, and refused to writes', async () => {
    const { double, psa } = await serve()
    double.add('/Users', [{ id: 11, name: 'Ada', client_id: 1, emailaddress: 'ada@a.example' }])
    double.add('/Agent', [{ id: 7, name: 'Gus' }])
    const closed = { status_id: 9, dateclosed: '2026-10-30T08:00:00' }
    double.add('/Tickets', [
      ticket(1, { user_id: 11 }),
      ticket(2, { user_id: 11, deleted: true }),
      ticket(3, { user_id: 11, deleted: true, ...closed }),
    ])
    double.add('/Actions', [{ id: 1, ticket_id: 2, timetaken: 1, datetime: '2026-10-30T08:00:00' }])
    expect(await psa.ticket('2')).toBeNull()
    const ids = (rows: readonly { ticket_id: string }[]) => rows.map(({ ticket_id }) => ticket_id)
    const search = { words: '', psa_company_id: null, open_only: false, limit: 50 }
    expect(ids(await psa.searchTickets(search))).toEqual(['1'])
    expect(ids(await psa.searchTickets({ ...search, words: '2' }))).toEqual([])
    expect(ids(await psa.openTickets(null))).toEqual(['1'])
    expect(ids(await psa.openTicketsOf('11'))).toEqual(['1'])
    expect(ids(await psa.recentlyClosedTicketsOf('11', 30))).toEqual([])
    const changes = await psa.ticketChangePage({ changed_since: new Date(0), after: null })
    expect(changes.rows.map(({ entity_id }) => entity_id)).toEqual(['1'])
    expect(await psa.timeEntry('2-1')).toMatchObject({ psa_company_id: null })
    const message = { contact_id: '11', ticket_id: '2', author_name: 'A', subject: 'S', body: 'B' }
    const time = { technician_psa_id: 7, minutes: 5, note: null, started_at: NOW }
    for (const write of [
      () => psa.addNote('2', { author_name: 'A', is_internal: true, text: 'x' }, 'k1'),
      () => psa.addTimeEntry('2', time, 'k2'),
      () => psa.updateTicket('2', { title: 'Other' }, 'k3'),
      () => psa.sendMessage(message, 'k4'),
      () => psa.setAgreement('2-1', 'Projects', 'k5'),
    ])
      await expect(write()).rejects.toMatchObject({ reason: 'TICKET_NOT_FOUND' })
    expect(double.requests.filter((request) => request.startsWith('POST /api'))).toEqual([])
  })

  it('that the service made are not made again', async () => {
    const { double, psa } = await serve()
    const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }
    await psa.createTicket(draft, 'k')
    Object.assign(double.rowsOf('/Tickets')[0] ?? {}, { deleted: true })
    await expect(psa.createTicket(draft, 'k')).rejects.toMatchObject({ reason: 'TICKET_NOT_FOUND' })
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toBe('MADE')
    expect(double.rowsOf('/Tickets')).toHaveLength(1)
  })
})

describe('domains of companies of HaloPSA', () => {
  const all = { after: null, changed_since: null }

  async function withSites() {
    const served = await serve()
    served.double.add('/Client', [
      { id: 2, name: 'Two', website: 'https://www.two.example/start', domain: 'other.example' },
      { id: 3, name: 'Three', domain: 'three.example' },
      { id: 4, name: 'Four', main_site_id: 41 },
    ])
    served.double.add('/Site', [
      { id: 41, client_id: 4, emaildomain: 'four.example, @mail.Four.example;four.example' },
      { id: 42, client_id: 4, emaildomain: 'branch.example' },
      { id: 43, client_id: 3, emaildomain: 'elsewhere.example' },
    ])
    served.double.add('/Users', [
      { id: 1, name: 'Fay', client_id: 4, emailaddress: 'fay@four.example' },
      { id: 2, name: 'Guy', client_id: 3, emailaddress: 'guy@four.example' },
    ])
    return served
  }

  it('come with the page from the list, the details and the main site', async () => {
    const { psa } = await withSites()
    const { rows } = await psa.companyPage(all)
    expect(rows.map(({ psa_company_id, domains }) => [psa_company_id, domains])).toEqual([
      ['1', []],
      ['2', ['two.example']],
      ['3', ['three.example']],
      ['4', ['four.example', 'mail.four.example']],
    ])
  })

  it('come with the details of a company from all of its sites', async () => {
    const { psa } = await withSites()
    expect((await psa.companyDetails('2'))?.domains).toEqual(['two.example', 'other.example'])
    expect((await psa.companyDetails('4'))?.domains).toEqual([
      'four.example',
      'mail.four.example',
      'branch.example',
    ])
  })

  it('find a company whose details alone have them, if a contact has an address there', async () => {
    const { psa } = await withSites()
    const found = async (words: string) =>
      (await psa.searchCompanies({ words, limit: 9 })).map(({ name }) => name)
    expect(await found('two.example')).toEqual(['Two'])
    expect(await found('four.example')).toEqual(['Four'])
    expect(await found('four four.example')).toEqual(['Four'])
    expect(await found('five.example')).toEqual([])
  })

  it('are read of some companies of a page, of others each day, and of all in some days', async () => {
    const { double, adapter, connection } = await serve()
    double.add(
      '/Client',
      numbers(34).map((id) => ({ id: id + 1, name: `Company ${id + 1}`, domain: `c${id + 1}.example` })),
    )
    const found = new Set<string>()
    for (let day = 0; day < 4; day++) {
      const now = new Date(NOW.getTime() + day * 86_400_000)
      const before = double.requests.length
      const { rows } = await adapter.open(connection, { now } as PortContext).companyPage(all)
      expect(rows).toHaveLength(35)
      const detailed = rows.filter(({ domains }) => domains !== null)
      expect(detailed).toHaveLength(10)
      for (const { psa_company_id } of detailed) found.add(psa_company_id)
      expect(double.requests.slice(before).filter((request) => request.includes('/Client/'))).toHaveLength(10)
    }
    expect(found.size).toBe(35)
  })

  it('stay unknown if the system does not tell them, and the page comes', async () => {
    const { double, psa } = await withSites()
    await psa.company('1')
    double.faults.push(null, ...Array.from({ length: 30 }, () => 'TOO_MANY' as const))
    const { rows } = await psa.companyPage(all)
    expect(rows.map(({ domains }) => domains)).toEqual([null, ['two.example'], null, null])
  })

  it.each([
    [['https://www.a.example/x', undefined, ''], ['a.example']],
    [
      ['A.example,b.example; c.example', 'a.example'],
      ['a.example', 'b.example', 'c.example'],
    ],
    [['someone@a.example'], ['a.example']],
    [['opps', 'n/a', 'http://', '-'], []],
  ])('are those in the texts %j', (texts, domains) => {
    expect(domainsIn(texts)).toEqual(domains)
  })

  it('are read of every company within the days that their number wants', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat()),
        fc.integer({ min: 1, max: 20 }),
        fc.nat(100_000),
        (items, count, day) => {
          const days = numbers(Math.ceil(items.length / count)).map((one) =>
            itemsOfDay(items, count, day + one),
          )
          expect(new Set(days.flat())).toEqual(new Set(items))
          for (const some of days) expect(some).toHaveLength(Math.min(count, items.length))
        },
      ),
    )
  })
})

describe('a write to HaloPSA', () => {
  const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }

  it('is found by its marker if its answer was lost, and is made once', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    const note = { author_name: 'Agent', is_internal: false, text: 'Done <now>.' }
    const writes: [path: string, write: (key: string) => Promise<unknown>][] = [
      ['/Tickets', (key) => psa.createTicket(draft, key)],
      ['/Actions', (key) => psa.addNote('5', note, key)],
    ]
    for (const [path, write] of writes) {
      await write(`${path} first`)
      const before = double.requests.length
      await write(`${path} second`)
      const requests = double.requests.slice(before)
      const post = requests.findIndex((request) => request.startsWith('POST '))
      double.faults.push(...Array.from({ length: post }, () => null), 'LOST')
      const made = double.rowsOf(path).length
      await expect(write(`${path} lost`)).rejects.toBeInstanceOf(PortUnavailable)
      expect(double.rowsOf(path)).toHaveLength(made + 1)
      const of = path === '/Tickets' ? 'NEW_TICKET' : { note_on: '5' }
      expect(await psa.outcomeOf(`${path} lost`, of)).toBe('MADE')
      expect(await write(`${path} lost`)).toEqual(await write(`${path} lost`))
      expect(double.rowsOf(path)).toHaveLength(made + 1)
    }
    expect(double.rowsOf('/Actions').at(-1)?.note_html).toContain('Done &lt;now&gt;.')
  })

  it('is not said to be not made while lists are late', async () => {
    const { double, psa } = await serve()
    await psa.createTicket(draft, 'k')
    double.late.lists = 1
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toEqual({ asked_again_at: expect.any(Date) })
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toBe('MADE')
  })

  it('is signed by who wrote it, and not by a contact who writes the same', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    await psa.addNote('5', { author_name: 'Agent', is_internal: true, text: 'Looked at it.' }, 'k')
    const [written] = double.rowsOf('/Actions')
    const created = await psa.createTicket(draft, 'ticket')
    expect(created.made_by_key).toMatch(/^[0-9a-f]{20}$/)
    expect((await psa.updateTicket('5', { title: 'Other' }, 'u')).made_by_key).toBeUndefined()
    double.add('/Actions', [{ ...written, id: 2, who: 'Mallory', who_agentid: 0, actionby_user_id: 11 }])
    const notes = await psa.notesOf('5')
    expect(notes).toMatchObject([
      { author_name: 'Agent', text: 'Looked at it.' },
      { author_name: 'Mallory', text: written?.note },
    ])
    expect(notes.map(({ made_by_key }) => made_by_key !== undefined)).toEqual([true, false])
  })

  it('is found though lists cut notes off, and a ticket has many of them', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    const text = `Looked at <it> & "that".\n\n${'long '.repeat(100)}`
    const write = () => psa.addNote('5', { author_name: 'Agent', is_internal: true, text }, 'k')
    const written = await write()
    for (const id of numbers(60))
      await psa.addNote('5', { author_name: 'A', is_internal: true, text: 'x' }, `k${id}`)
    expect(await write()).toEqual(written)
    const [first, ...others] = await psa.notesOf('5')
    expect(first).toMatchObject({ ...written, author_name: 'Agent', text })
    expect(others).toHaveLength(60)
  })

  it('of time is found by the days of the work, until there are enough', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour)).toISOString().slice(0, 19)
    double.add(
      '/Actions',
      numbers(500).map((id) => ({
        id,
        ticket_id: 5,
        timetaken: 1,
        datetime: at(id),
        actiondatecreated: at(id),
      })),
    )
    const found: string[] = []
    let last = { created_at: new Date('2026-10-01T00:00:00Z'), time_entry_id: '' }
    for (const count of [200, 200, 100]) {
      const entries = await psa.timeEntriesAfter(last)
      expect(entries).toHaveLength(count)
      found.push(...entries.map(({ time_entry_id }) => time_entry_id))
      last = entries.at(-1) as (typeof entries)[0]
    }
    expect(found).toEqual(numbers(500).map((id) => `5-${id}`))
    const days = double.requests.filter((request) => request.includes('timeentriesonly'))
    expect(days.length).toBeLessThan(60)
  })

  it('that sends a message has the address of the contact, and is refused without one', async () => {
    const { double, psa } = await serve()
    double.add('/Tickets', [ticket(5)])
    double.add('/Users', [
      { id: 11, name: 'Ada', client_id: 1, emailaddress: ' ada@a.example ' },
      { id: 12, name: 'Bo', client_id: 1 },
    ])
    const message = {
      contact_id: '11',
      ticket_id: '5',
      author_name: 'Agent',
      subject: 'Hello',
      body: 'Done.',
    }
    await psa.sendMessage(message, 'k')
    expect(double.rowsOf('/Actions')).toMatchObject([{ sendemail: true, emailto: 'ada@a.example' }])
    const refused = psa.sendMessage({ ...message, contact_id: '12' }, 'k2')
    await expect(refused).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
  })
})

describe('webhooks of HaloPSA', () => {
  const URL_OF_HOOK = 'https://automation.example/hooks/1/secret'

  it('are registered once, with their events, and removed again', async () => {
    const { double, connection, webhooks } = await serve()
    double.add('/Webhook', [{ id: 'other', url: 'https://other.example/', type: 0 }])
    for (let count = 0; count < 2; count++) await webhooks.register(connection, URL_OF_HOOK)
    const [, row] = double.rowsOf('/Webhook')
    expect(row).toMatchObject({ url: URL_OF_HOOK, active: true, authentication_type: 0 })
    const events = double.rowsOf('/Notification').map(({ eventno, webhook_id }) => [eventno, webhook_id])
    expect(events).toEqual([3, 19, 39, 76, 1072].map((event) => [event, row?.id]))
    await webhooks.remove(connection, URL_OF_HOOK)
    expect(double.rowsOf('/Webhook').map(({ id }) => id)).toEqual(['other'])
  })

  it('tell of tickets, one by one or many at once', async () => {
    const { connection, webhooks } = await serve()
    const verify = (body: unknown) => webhooks.verify(connection, {}, Buffer.from(JSON.stringify(body)))
    const event_id = expect.stringMatching(/^[0-9a-f]{32}$/)
    const changed_at = new Date('2026-11-01T12:00:00Z')
    const ticket_event = { kind: 'TICKET', id: '12', action: 'UPDATED', event_id, changed_at }
    const delivery = {
      id: 'd1',
      event: 'Ticket Status Changed',
      object_id: '12',
      timestamp: '2026-11-01T12:00:00',
      ticket: { id: 12, summary: 'x' },
    }
    const one = await verify(delivery)
    expect(one).toEqual([ticket_event])
    expect(await verify(delivery)).toEqual(one)
    const more = await verify([
      { ...delivery, timestamp: '2026-11-01T12:00:05', ticket: { id: 12, last_update: delivery.timestamp } },
      { ...delivery, id: 'd2', event: 'New Ticket Logged' },
    ])
    expect(more).toEqual([ticket_event, { ...ticket_event, action: 'ADDED' }])
    expect(new Set([...(one ?? []), ...(more ?? [])].map((event) => event.event_id)).size).toBe(3)
    expect(await verify({ event: 'Ticket Deleted', object_id: 9 })).toEqual([
      { kind: 'TICKET', id: '9', action: 'DELETED', event_id: null, changed_at: null },
    ])
    expect(await verify({ event: 'Something else' })).toEqual([])
  })

  it('are refused if they are no deliveries', async () => {
    const { connection, webhooks } = await serve()
    for (const text of ['', '{', 'null', '3', '{"object_id": "../1"}', '[{"ticket": 3}]'])
      expect(await webhooks.verify(connection, {}, Buffer.from(text))).toBeNull()
  })
})

describe('texts of HaloPSA', () => {
  it('are times without a zone, in UTC, and no time before 1980', () => {
    expect(instant('2026-10-01T08:00:00.12')).toEqual(new Date('2026-10-01T08:00:00.120Z'))
    expect(instant('2026-10-01T08:00:00Z')).toEqual(new Date('2026-10-01T08:00:00Z'))
    for (const none of ['1900-01-01T00:00:00', '', null, 'never']) expect(instant(none)).toBeNull()
  })

  it('are ids in 32 bits', () => {
    expect(['7', '2147483647', '2147483648', '0', '07', '-1', 'x', ''].map(idOf)).toEqual([
      7,
      2147483647,
      ...Array.from({ length: 6 }, () => null),
    ])
  })

  it('are searched by their longest part without patterns', () => {
    expect(longestPart(['it', '100%_sure'])).toBe('sure')
    expect(longestPart(['%', '[]'])).toBeNull()
  })
})
