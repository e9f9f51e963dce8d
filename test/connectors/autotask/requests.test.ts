/** Requests to Autotask PSA: zones, pages, limits and faults. */
import { describe, expect, it } from 'vitest'
import { createLimits } from '../../../src/connectors/autotask/limits.ts'
import { PortUnavailable } from '../../../src/connectors/port.ts'
import { company, draft, NOW, numbers, serve, ticket } from './fixture.ts'

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
    ['TOO_MANY', { kind: 'LIMIT' }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'UNKNOWN_FORM' }],
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
    double.faults.push(null, 'HALF')
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
      psa.outcomeOf('k', 'NEW_TICKET'),
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
    await expect(makes(101)).rejects.toMatchObject({ retry_after_seconds: 60, kind: 'LIMIT' })
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
