import { describe, expect, it, onTestFinished } from 'vitest'
import { autotaskPsa } from '../../src/connectors/autotask/adapter.ts'
import { createLimits } from '../../src/connectors/autotask/limits.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { type PortContext, PortUnavailable } from '../../src/connectors/port.ts'
import type { Row } from '../doubles/autotask/query.ts'
import { SETTINGS, startAutotask } from '../doubles/autotask/server.ts'

const NOW = new Date('2026-11-01T12:00:00Z')
const DAY_MS = 86_400_000

async function serve(settings: Partial<typeof SETTINGS & { site: string }> = {}) {
  const double = await startAutotask({ now: () => NOW })
  const client = createVendorClient({ allow_private_addresses: true, pause_ms: 1, read_ms: 2000 })
  onTestFinished(async () => {
    await client.close()
    await double.close()
    expect(double.violations).toEqual([])
  })
  const connection = {
    connection_id: 'c1',
    tenant_id: 't1',
    environment: 'test',
    settings: { site: double.url, ...SETTINGS, ...settings },
  }
  const adapter = autotaskPsa(client)
  const psa = adapter.open(connection, { now: NOW } as PortContext)
  /** The requests since the zone was asked for. */
  const requests = () => double.requests.filter((request) => !request.includes('zoneInformation'))
  const { webhooks } = adapter
  if (!webhooks) throw new Error('The adapter has no webhooks')
  return { double, psa, requests, connection, webhooks, test: () => adapter.test(connection) }
}

type Served = Awaited<ReturnType<typeof serve>>

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
const company = (id: number): Row => ({ id, companyName: `Company ${id}`, isActive: true })
const ticket = (id: number, rest: Row = {}): Row => ({
  id,
  title: `Ticket ${id}`,
  ticketNumber: `T${id}`,
  companyID: 1,
  status: 1,
  queueID: 8,
  priority: 1,
  createDate: new Date(NOW.getTime() - (10_000 - id) * DAY_MS).toISOString(),
  lastActivityDate: NOW.toISOString(),
  ...rest,
})
const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }

describe('Autotask PSA', () => {
  it('tests a connection by calls, and tells how much of the hour is used', async () => {
    const { double, test } = await serve()
    double.use(2500)
    expect(await test()).toEqual({
      ok: true,
      message: 'Autotask PSA: 2502 of 10000 requests of this hour are used.',
    })
    for (const wrong of [{ username: 'other' }, { secret: 'x' }, { integration_code: 'x' }]) {
      const other = await serve(wrong)
      const { ok, message } = await other.test()
      expect(ok).toBe(false)
      expect(message).not.toContain(Object.values(wrong)[0])
      await expect(other.psa.companies()).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    }
  })

  it('asks for the zone once, and again after the tenant has moved', async () => {
    const { double, psa } = await serve()
    double.add('Companies', [company(1)])
    const zones = () => double.requests.filter((request) => request.includes('zoneInformation')).length
    await Promise.all([psa.company('1'), psa.company('2')])
    expect(zones()).toBe(1)
    double.move('zone6')
    expect(await psa.company('1')).toMatchObject({ name: 'Company 1' })
    expect(zones()).toBe(2)
  })

  it('sends nothing to a zone that is not the vendor’s own', async () => {
    const { double, psa, requests } = await serve()
    // The same address by another name: the double tells the address that it was asked by.
    const { port } = new URL(double.url)
    const elsewhere = await serve({ site: `http://localhost:${port}` })
    expect(await elsewhere.psa.company('1')).toBeNull()
    double.tellZone('http://localhost:1/ATServicesRest/')
    for (const address of [
      'https://evil.example/ATServicesRest/',
      'http://169.254.169.254/',
      'http://127.0.0.1.evil.example/',
      'https://me@127.0.0.1/',
      'ftp://127.0.0.1/',
      'zone5',
    ]) {
      double.tellZone(address)
      const error = await psa.company('1').catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(PortUnavailable)
      expect(error).toMatchObject({ kind: 'OUTAGE' })
    }
    expect(requests().filter((request) => !request.includes('/Companies/1'))).toEqual([])
  })

  it('reads every page, also if the last one is full', async () => {
    const { double, psa, requests } = await serve()
    double.add('Companies', numbers(1000).map(company))
    expect(await psa.companies()).toHaveLength(1000)
    expect(requests()).toHaveLength(3)
    expect(await psa.companyNames(numbers(450).map(String))).toEqual(
      numbers(450).map((id) => `Company ${id}`),
    )
  })

  it('counts the open tickets of technicians among 10,000 in as many requests as there are technicians', async () => {
    const { double, psa, requests } = await serve()
    double.generate('Tickets', 10_000, (index) =>
      ticket(index + 1, { status: index % 2 === 0 ? 5 : 1, assignedResourceID: 7 }),
    )
    expect(await psa.openTicketCounts([7, 8])).toEqual([5000, 0])
    expect(requests()).toHaveLength(3)
  })

  it('has the open tickets of 10,000 that are unchanged for longest without reading them all', async () => {
    const { double, psa, requests } = await serve()
    // Their times have nothing to do with their ids.
    const minutes = (index: number) => (index * 7919) % 10_000
    double.generate('Tickets', 10_000, (index) =>
      ticket(index + 1, {
        lastActivityDate: new Date(NOW.getTime() - minutes(index) * 60_000).toISOString(),
      }),
    )
    const found: number[] = []
    let last = null
    for (let page = 0; page < 3; page++) {
      const before = requests().length
      const tickets = await psa.openTickets(last)
      found.push(...tickets.map(({ updated_at }) => (NOW.getTime() - updated_at.getTime()) / 60_000))
      last = tickets.at(-1) ?? null
      expect(requests().length - before).toBeLessThan(8)
    }
    expect(found).toEqual(numbers(600).map((n) => 10_000 - n))
    double.add('TimeEntries', [{ id: 1, ticketID: 1, hoursWorked: 1, createDateTime: 'soon' }])
    expect((await psa.timeEntry('1'))?.created_at).toEqual(new Date(0))
    const [change, ...changes] = (
      await psa.ticketChangePage({ changed_since: new Date(NOW.getTime() - 5_000 * 60_000), after: null })
    ).rows
    expect(change?.changed_at).toEqual(new Date(NOW.getTime() - 5_000 * 60_000))
    expect(changes).toHaveLength(999)
  })

  it('finds the last made of 10,000 tickets without reading them all', async () => {
    const { double, psa, requests } = await serve()
    double.generate('Tickets', 10_000, (index) => ticket(index + 1))
    const search = { words: 'ticket', psa_company_id: null, open_only: true, limit: 3 }
    const found = await psa.searchTickets(search)
    expect(found.map(({ ticket_id }) => ticket_id)).toEqual(['10000', '9999', '9998'])
    expect(requests().filter((request) => request.endsWith('/query'))).toHaveLength(2)
    const rare = await psa.searchTickets({ ...search, words: 't42', limit: 200 })
    expect(rare.map(({ ticket_id }) => ticket_id)).toContain('42')
  })

  it('has 10,000 changed tickets in pages, each once', async () => {
    const { double, psa } = await serve()
    double.generate('Tickets', 10_000, (index) => ticket(index + 1))
    const ids: string[] = []
    let after: string | null = null
    do {
      const page = await psa.ticketChangePage({ changed_since: NOW, after })
      ids.push(...page.rows.map(({ entity_id }) => entity_id))
      after = page.next
    } while (after !== null)
    expect(ids).toEqual(numbers(10_000).map(String))
  })

  it.each([
    ['TOO_MANY', { kind: 'OUTAGE' }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'OUTAGE' }],
    ['NO_ANSWER', { kind: 'OUTAGE' }],
  ] as const)('is unavailable after %s', async (fault, expected) => {
    const { double, psa } = await serve()
    await psa.company('1')
    double.faults.push(fault, fault, fault)
    const error = await psa.ticketStatuses().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortUnavailable)
    expect(error).toMatchObject(expected)
  })

  it('repeats a read after half an answer, and no write', async () => {
    const { double, psa, requests } = await serve()
    double.add('Companies', [company(1)])
    await psa.ticketStatuses()
    double.faults.push('HALF', 'HALF')
    expect(await psa.company('1')).toMatchObject({ name: 'Company 1' })
    double.add('Tickets', [ticket(5)])
    const note = { author_name: 'Agent', is_internal: true, text: 'x' }
    await psa.addNote('5', note, 'k')
    const before = requests().length
    double.faults.push(...([undefined, undefined, 'HALF'] as never[]))
    await expect(psa.addNote('5', note, 'other')).rejects.toBeInstanceOf(PortUnavailable)
    expect(
      requests()
        .slice(before)
        .filter((request) => request.endsWith('/Notes')),
    ).toHaveLength(1)
  })

  it('says of an answer that lacks what was asked for that nothing is known', async () => {
    const { double, psa } = await serve()
    double.answerNothing()
    const page = psa.contactPage({ after: null, changed_since: null })
    for (const answer of await Promise.allSettled([psa.company('1'), page, psa.ticketStatuses()]))
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(PortUnavailable) })
  })

  it('takes no row for what it asked for, if the PSA leaves out a filter', async () => {
    const { double, psa } = await serve()
    double.add('Companies', [company(1)])
    double.add('Tickets', [ticket(5, { contactID: 9, assignedResourceID: 9 })])
    double.add('TicketNotes', [{ id: 1, ticketID: 6 }])
    double.add('Contacts', [{ id: 1, companyID: 2, emailAddress: 'a@b.example' }])
    double.answerAll()
    const calls = [
      psa.openTicketsOf('1'),
      psa.openTicketCounts([7]),
      psa.notesOf('5'),
      psa.contactByEmail('1', 'a@b.example'),
      psa.companyNames(['2']),
      psa.createTicket(draft, 'k'),
      psa.outcomeOf('k'),
    ]
    for (const answer of await Promise.allSettled(calls))
      expect(answer).toMatchObject({ status: 'rejected', reason: expect.any(PortUnavailable) })
    expect(double.rowsOf('Tickets')).toHaveLength(1)
  })

  it('asks three things of a kind at once, and no more', async () => {
    const { double, psa } = await serve()
    double.add('Companies', numbers(12).map(company))
    await psa.company('1')
    const { promise, resolve } = Promise.withResolvers<void>()
    double.hold(promise)
    const all = numbers(12).map((id) => psa.company(String(id)))
    const waiting = psa.contact('1')
    await expect.poll(() => double.mostThreads()).toBe(3)
    resolve()
    expect((await Promise.all(all)).map((one) => one?.psa_company_id)).toEqual(numbers(12).map(String))
    expect(await waiting).toBeNull()
    expect(double.mostThreads()).toBe(3)
  })

  it('leaves the last requests of an hour to others', async () => {
    let elapsed = 0
    const { take } = createLimits({ elapsed: () => elapsed })
    let used = 8999
    let looks = 0
    const look = async () => {
      looks++
      return { used, allowed: 10_000 }
    }
    const makes = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made++) await take('c1', look)
    }
    await makes(202)
    expect(looks).toBe(2)
    used = 9000
    await expect(makes(101)).rejects.toMatchObject({ retry_after_seconds: 60, kind: 'OUTAGE' })
    await expect(take('c1', look)).rejects.toMatchObject({ retry_after_seconds: 60 })
    await take('c2', look)
    expect(looks).toBe(3)
    elapsed += 60_000
    await expect(take('c1', look)).rejects.toBeInstanceOf(PortUnavailable)
    used = 10
    elapsed += 60_000
    await makes(100)
    expect(looks).toBe(5)
    const blind = () => Promise.reject(new PortUnavailable('No answer'))
    for (let made = 0; made < 202; made++) await take('c3', blind)
  })
})

describe('a write to Autotask PSA', () => {
  async function withTicket(): Promise<Served> {
    const served = await serve()
    served.double.add('Companies', [company(1)])
    served.double.add('Tickets', [ticket(5, { externalID: 'RMM-77' })])
    return served
  }
  const note = { author_name: 'Agent', is_internal: false, text: 'Done.' }

  it('finds what it wrote by its marker, if the answer was lost', async () => {
    const { double, psa } = await withTicket()
    await psa.ticketStatuses()
    double.faults.push(...([undefined, undefined, 'LOST'] as never[]))
    await expect(psa.createTicket(draft, 'k')).rejects.toBeInstanceOf(PortUnavailable)
    expect(await psa.outcomeOf('k')).toBe('MADE')
    const made = await psa.createTicket(draft, 'k')
    expect(await psa.createTicket(draft, 'k')).toEqual(made)
    expect(double.rowsOf('Tickets')).toHaveLength(2)
    expect(await psa.outcomeOf('other')).toBe('UNKNOWN')
  })

  it('shows what it wrote though queries are late', async () => {
    const { double, psa } = await withTicket()
    double.delay(20)
    const made = await psa.createTicket(draft, 'k')
    expect(await psa.ticket(made.ticket_id)).toEqual(made)
    expect(await psa.addNote(made.ticket_id, note, 'n')).toMatchObject(note)
    expect(await psa.outcomeOf('k')).toBe('UNKNOWN')
  })

  it('says of tickets and notes which it made, whatever contacts write', async () => {
    const { double, psa } = await withTicket()
    const made = await psa.createTicket(draft, 'k')
    expect(made.made_by_key).toMatch(/^[0-9a-f]{14}$/)
    const { note_id } = await psa.addNote('5', note, 'n')
    const title = String(double.get('TicketNotes', Number(note_id))?.title)
    double.add('Contacts', [{ id: 1, companyID: 1, firstName: 'Ada', lastName: 'Byron' }])
    double.add('Resources', [{ id: 9, firstName: 'Gus', lastName: null }])
    const written = { ticketID: 5, description: 'x', publish: 1, createDateTime: '2026-11-01T12:00:01' }
    double.add('TicketNotes', [
      { ...written, id: 200_001, title, createdByContactID: 1 },
      { ...written, id: 200_002, title: 'Called', description: '', publish: 3, creatorResourceID: 9 },
    ])
    const notes = await psa.notesOf('5')
    expect(notes.map((one) => [one.author_name, one.is_internal, one.made_by_key !== undefined])).toEqual([
      ['Agent', false, true],
      ['Ada Byron', false, false],
      ['Gus', true, false],
    ])
    expect(notes[2]?.text).toBe('Called')
  })

  it('leaves the reference of another system as it is', async () => {
    const { double, psa } = await withTicket()
    const changed = await psa.updateTicket('5', { title: 'Other' }, 'k')
    expect(changed.title).toBe('Other')
    expect(changed.made_by_key).toBeUndefined()
    expect(double.get('Tickets', 5)?.externalID).toBe('RMM-77')
  })

  it('does not say that it made a ticket which it changed, and knows its last changes', async () => {
    const { double, psa } = await withTicket()
    double.add('Tickets', [ticket(6)])
    for (const key of ['a', 'b', 'c', 'd']) await psa.updateTicket('6', { title: key }, key)
    expect((await psa.updateTicket('6', { title: 'again' }, 'b')).title).toBe('d')
    expect((await psa.ticket('6'))?.made_by_key).toBeUndefined()
    expect(String(double.get('Tickets', 6)?.externalID).length).toBeLessThanOrEqual(50)
  })

  it('clears the sub-issue of another issue, and assigns by a role of the technician', async () => {
    const { double, psa } = await withTicket()
    double.add('Resources', [{ id: 7 }, { id: 8 }])
    double.add('ResourceServiceDeskRoles', [{ id: 1, resourceID: 7, roleID: 70, isActive: true }])
    double.add('Tickets', [ticket(6, { issueType: 10, subIssueType: 136 })])
    await psa.updateTicket('6', { category: 'Network', assignee_psa_id: 7 }, 'k')
    expect(double.get('Tickets', 6)).toMatchObject({ issueType: 11, subIssueType: null })
    expect(double.get('Tickets', 6)).toMatchObject({ assignedResourceID: 7, assignedResourceRoleID: 70 })
    const entry = { technician_psa_id: 7, minutes: 5, note: null, started_at: NOW }
    double.add('ResourceServiceDeskRoles', [
      { id: 2, resourceID: 7, roleID: 71, isActive: true, isDefault: true },
    ])
    expect(await psa.addTimeEntry('6', entry, 't')).toMatchObject({ technician_psa_id: 7, minutes: 5 })
    const without_role = psa.updateTicket('6', { assignee_psa_id: 8 }, 'k2')
    await expect(without_role).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    const nobody = psa.updateTicket('6', { assignee_psa_id: null }, 'k3')
    expect((await nobody).assignee_psa_id).toBeNull()
  })

  it('refuses a time entry of more than a day', async () => {
    const { double, psa } = await withTicket()
    double.add('Resources', [{ id: 7 }])
    double.add('ResourceServiceDeskRoles', [{ id: 1, resourceID: 7, roleID: 70, isActive: true }])
    const entry = { technician_psa_id: 7, minutes: 1441, note: null, started_at: NOW }
    await expect(psa.addTimeEntry('5', entry, 'k')).rejects.toMatchObject({ reason: 'NOT_SUPPORTED' })
    expect(await psa.addTimeEntry('5', { ...entry, minutes: 1440 }, 'k')).toMatchObject({ minutes: 1440 })
  })
})

describe('webhooks of Autotask PSA', () => {
  const URL_OF_HOOK = 'https://automation.example/hooks/c1'
  const HOOKS = ['TicketWebhooks', 'TicketNoteWebhooks', 'CompanyWebhooks', 'ContactWebhooks']
  const EventTime = '2026-11-01T11:59:58Z'
  const TICKET_EVENT = {
    EventTime,
    Action: 'Update',
    EntityType: 'Ticket',
    Id: 12,
    SequenceNumber: 3,
    Fields: { Title: 'Ä & +' },
  }

  async function registered(): Promise<Served> {
    const served = await serve()
    await served.webhooks.register(served.connection, URL_OF_HOOK)
    return served
  }

  it('are registered once with every field, mended, moved, and removed again', async () => {
    const { double, connection, webhooks } = await registered()
    const other = { id: 5, webhookUrl: 'https://other.example/hooks', isActive: true }
    double.add('TicketWebhooks', [other])
    const state = () =>
      HOOKS.map((name) => [double.rowsOf(name), double.rowsOf(name.replace(/s$/, 'Fields'))])
    const before = structuredClone(state())
    await webhooks.register(connection, URL_OF_HOOK)
    expect(state()).toEqual(before)
    for (const name of HOOKS) {
      const row = double.rowsOf(name).find(({ webhookUrl }) => webhookUrl === URL_OF_HOOK)
      expect(row).toMatchObject({ isActive: true, isReady: true, deactivationUrl: URL_OF_HOOK })
      expect(String(row?.secretKey)).toMatch(/^[\w-]{43}$/)
      expect(String(row?.secretKey)).not.toContain(SETTINGS.secret)
      expect(double.rowsOf(name.replace(/s$/, 'Fields'))).toHaveLength(2)
      if (row) row.isActive = false
    }
    const moved = 'https://elsewhere.example/hooks/c1'
    await webhooks.register(connection, moved)
    for (const name of HOOKS) {
      const [row] = double.rowsOf(name).filter(({ id }) => id !== 5)
      expect(row).toMatchObject({ isActive: true, webhookUrl: moved })
    }
    await webhooks.remove(connection, URL_OF_HOOK)
    expect(double.rowsOf('TicketWebhooks')).toHaveLength(2)
    await webhooks.remove(connection, moved)
    expect(HOOKS.flatMap((name) => double.rowsOf(name))).toEqual([other])
  })

  it('are events if their bytes are signed with the key of the connection', async () => {
    const { double, connection, webhooks } = await registered()
    const eventsOf = async (fields: Row) => {
      const { raw, headers } = double.event('TicketWebhooks', fields)
      return await webhooks.verify(connection, headers, raw)
    }
    const event_id = 'guid-TicketWebhooks 3'
    const changed_at = new Date(EventTime)
    expect(await eventsOf(TICKET_EVENT)).toEqual([
      { kind: 'TICKET', action: 'UPDATED', id: '12', event_id, changed_at },
    ])
    for (const [EntityType, kind] of [
      ['Company', 'COMPANY'],
      ['Account', 'COMPANY'],
      ['Contact', 'CONTACT'],
    ])
      expect(await eventsOf({ ...TICKET_EVENT, EntityType, Action: 'Create', Id: 0 })).toEqual([
        { kind, action: 'ADDED', id: '0', event_id, changed_at },
      ])
    double.add('TicketNotes', [{ id: 77, ticketID: 12 }])
    const of_note = { ...TICKET_EVENT, EntityType: 'TicketNote', Action: 'Create' }
    expect(await eventsOf({ ...of_note, Id: 77 })).toMatchObject([
      { kind: 'TICKET', action: 'UPDATED', id: '12' },
    ])
    const [told] = (await eventsOf({ ...of_note, Id: 78, Fields: { TicketID: 13 }, EventTime: 'x' })) ?? []
    expect(told).toEqual({ kind: 'TICKET', action: 'UPDATED', id: '13', event_id, changed_at: null })
    for (const other of [
      { ...of_note, Id: 78 },
      { ...TICKET_EVENT, Action: 'Deactivated' },
      { ...TICKET_EVENT, EntityType: 'InstalledProduct' },
      { ...TICKET_EVENT, Id: null },
    ])
      expect(await eventsOf(other)).toEqual([])
  })

  it('are refused if anything else signed them', async () => {
    const { double, connection, webhooks } = await registered()
    const { raw, headers } = double.event('TicketWebhooks', TICKET_EVENT)
    const signature = headers['x-hook-signature']
    const again = Buffer.from(JSON.stringify(JSON.parse(raw.toString())))
    for (const [given, bytes] of [
      [headers, again],
      [headers, Buffer.from(raw.toString().replace('12', '13'))],
      [headers, Buffer.concat([raw, Buffer.from(' ')])],
      [{}, raw],
      [{ 'x-hook-signature': '' }, raw],
      [{ 'x-hook-signature': 'sha1=' }, raw],
      [{ 'x-hook-signature': signature.replace('sha1', 'sha256') }, raw],
      [{ 'x-hook-signature': `${signature} ` }, raw],
    ] as const)
      expect(await webhooks.verify(connection, given, bytes)).toBeNull()
    const others = [
      { ...connection, connection_id: 'c2' },
      { ...connection, settings: { ...connection.settings, secret: 'other' } },
    ]
    for (const other of others) expect(await webhooks.verify(other, headers, raw)).toBeNull()
    const asked = double.requests.length
    expect(await webhooks.verify(connection, headers, raw)).toHaveLength(1)
    expect(double.requests).toHaveLength(asked)
  })
})
