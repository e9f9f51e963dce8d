import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { noExchange } from '../../src/areas/integrations/connection/exchange.ts'
import { connectwisePsa } from '../../src/connectors/connectwise/adapter.ts'
import { createVendorClient } from '../../src/connectors/http/client.ts'
import { type PortContext, PortUnavailable } from '../../src/connectors/port.ts'
import { SETTINGS, startConnectwise } from '../doubles/connectwise/server.ts'

const NOW = new Date('2026-11-01T12:00:00Z')

async function serve(settings: Partial<typeof SETTINGS> = {}, cloud = false) {
  const double = await startConnectwise({ now: () => NOW, cloud })
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
  const adapter = connectwisePsa(client)
  const psa = adapter.open(connection, { now: NOW } as PortContext)
  const { webhooks } = adapter
  if (!webhooks) throw new Error('The adapter has no webhooks')
  return { double, psa, connection, webhooks, test: () => adapter.test(connection) }
}

const company = (id: number) => ({ id, name: `Company ${id}`, deletedFlag: false })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe('ConnectWise PSA', () => {
  it('tests a connection by a call, and tells which part may be wrong', async () => {
    expect(await (await serve()).test()).toEqual({ ok: true, message: 'ConnectWise PSA, version 2025.1.' })
    for (const wrong of [{ private_key: 'x' }, { client_id: 'x' }, { company: 'other' }]) {
      const { test, psa } = await serve(wrong)
      expect(await test()).toMatchObject({ ok: false })
      await expect(psa.companies()).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    }
  })

  it('tells wrong credentials from what is not there, though the cloud answers both with 404', async () => {
    const wrong = await serve({ private_key: 'x' }, true)
    expect(await wrong.test()).toMatchObject({ ok: false })
    for (const call of [
      () => wrong.psa.ticket('1'),
      () => wrong.psa.companies(),
      () => wrong.psa.notesOf('1'),
    ])
      await expect(call()).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    const note = { author_name: 'Ada', is_internal: true, text: 'Called.' }
    await expect(wrong.psa.addNote('1', note, 'k')).rejects.toMatchObject({ kind: 'CREDENTIALS' })
    const right = await serve({}, true)
    for (let count = 0; count < 3; count++) expect(await right.psa.ticket('1')).toBeNull()
    const asked = (path: string) => right.double.requests.filter((request) => request.endsWith(path)).length
    expect([asked('/service/tickets/1'), asked('/system/info')]).toEqual([3, 1])
  })

  it('knows the tickets and notes that it made', async () => {
    const { double, psa } = await serve()
    double.add('/company/companies', [company(1)])
    const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }
    const { ticket_id } = await psa.createTicket(draft, 'k')
    await psa.updateTicket(ticket_id, { title: 'Newer' }, 'k2')
    expect((await psa.ticket(ticket_id))?.made_by_key).toMatch(/^[0-9a-f]{20}$/)
    double.add('/service/tickets', [{ id: 7, summary: 'Theirs', company: { id: 1 }, board: { id: 1 } }])
    await psa.updateTicket('7', { title: 'Changed' }, 'k3')
    expect(await psa.ticket('7')).not.toHaveProperty('made_by_key')
    await psa.addNote('7', { author_name: 'Ada', is_internal: false, text: 'Called.' }, 'k4')
    const [ours] = double.rowsOf('/service/tickets/7/notes')
    const [row] = [{ id: 7 }]
    double.addNote(row, { text: 'By hand', detailDescriptionFlag: true })
    double.addNote(row, { ...ours, contact: { id: 3, name: 'Kim' } })
    const notes = await psa.notesOf('7')
    expect(notes.map(({ made_by_key }) => typeof made_by_key)).toEqual(['string', 'undefined', 'undefined'])
    expect(notes[0]?.text).toBe('Called.')
  })

  it('reads every page forwards', async () => {
    const { double, psa } = await serve()
    double.add('/company/companies', numbers(2500).map(company))
    expect(await psa.companies()).toHaveLength(2500)
    expect(double.requests).toHaveLength(3)
  })

  it('counts the open tickets of technicians among 10,000 in as many requests as there are pages', async () => {
    const { double, psa } = await serve()
    const owner = { id: 7 }
    double.add(
      '/service/tickets',
      numbers(10_001).map((id) => ({ id, summary: 'x', closedFlag: id % 2 === 0, owner })),
    )
    expect(await psa.openTicketCounts([7, 8])).toEqual([5001, 0])
    expect(double.requests).toHaveLength(6)
  })

  it.each([
    ['TOO_MANY', { retry_after_seconds: 30, kind: 'LIMIT' }],
    ['ERROR', { kind: 'OUTAGE' }],
    ['MALFORMED', { kind: 'UNKNOWN_FORM' }],
    ['NO_ANSWER', { kind: 'OUTAGE' }],
  ] as const)('is unavailable after %s', async (fault, expected) => {
    const { double, psa } = await serve()
    double.faults.push(fault, fault, fault)
    const error = await psa.ticketStatuses().catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(PortUnavailable)
    expect(error).toMatchObject(expected)
  })

  it('repeats a read after half an answer', async () => {
    const { double, psa } = await serve()
    double.add('/company/companies', [company(1)])
    double.faults.push('HALF', 'HALF')
    expect(await psa.company('1')).toMatchObject({ name: 'Company 1' })
  })

  it('finds what it wrote by its marker, if the answer was lost', async () => {
    const { double, psa } = await serve()
    double.add('/company/companies', [company(1)])
    const draft = { psa_company_id: '1', contact_id: null, title: 'New', description: 'x', board: null }
    const made = await psa.createTicket(draft, 'k')
    expect(await psa.createTicket(draft, 'k')).toEqual(made)
    expect(await psa.outcomeOf('k', 'NEW_TICKET')).toBe('MADE')
    expect(await psa.outcomeOf('other', 'NEW_TICKET', new Date(0))).toBe('NOT_MADE')
    expect(double.rowsOf('/service/tickets')).toHaveLength(1)
  })
})

describe('callbacks', () => {
  const EVENT = { MessageId: 'm1', Action: 'updated', Type: 'ticket', ID: 12, Entity: '{}' }
  const URL_OF_HOOK = 'https://automation.example/hooks/1'

  it('are registered once, and removed again', async () => {
    const { double, connection, webhooks } = await serve()
    double.add('/system/callbacks', [{ id: 5, url: 'https://other.example/?id=', type: 'ticket' }])
    for (let count = 0; count < 2; count++) await webhooks.register(connection, URL_OF_HOOK)
    const rows = double.rowsOf('/system/callbacks')
    expect(rows.map(({ type }) => type)).toEqual(['ticket', 'ticket', 'company', 'contact', 'member', 'time'])
    expect(rows.at(-1)).toMatchObject({ url: `${URL_OF_HOOK}?id=`, isSelfSuppressedFlag: true })
    await webhooks.remove(connection, URL_OF_HOOK)
    expect(double.rowsOf('/system/callbacks').map(({ id }) => id)).toEqual([5])
  })

  it('are registered anew if the PSA has switched them off, or sends them to an earlier address', async () => {
    const { double, connection, webhooks } = await serve()
    await webhooks.register(connection, `${URL_OF_HOOK}?secret=old`)
    const rows = double.rowsOf('/system/callbacks')
    await webhooks.register(connection, `${URL_OF_HOOK}?secret=new`)
    const [first] = rows
    if (first) first.inactiveFlag = true
    await webhooks.register(connection, `${URL_OF_HOOK}?secret=new`)
    expect(rows.map(({ type }) => type).sort()).toEqual(['company', 'contact', 'member', 'ticket', 'time'])
    for (const row of rows)
      expect(row).toMatchObject({ url: `${URL_OF_HOOK}?secret=new&id=`, inactiveFlag: false })
    await webhooks.remove(connection, `${URL_OF_HOOK}?secret=old`)
    expect(rows).toHaveLength(5)
  })

  it('are verified with a key that is asked for once, and again once the PSA has another', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { double, connection, webhooks } = await serve()
    const { raw, headers } = double.callback({
      ...EVENT,
      Entity: '{"_info":{"lastUpdated":"2026-11-01T11:59:58Z"}}',
    })
    const verified = await Promise.all([1, 2, 3].map(() => webhooks.verify(connection, headers, raw)))
    expect(verified[2]).toMatchObject([{ id: '12', changed_at: new Date('2026-11-01T11:59:58Z') }])
    expect(double.requests).toHaveLength(1)
    double.changeSigningKey('signing-key-2')
    const other = double.callback(EVENT)
    vi.advanceTimersByTime(59_000)
    expect(await webhooks.verify(connection, other.headers, other.raw)).toBeNull()
    expect(double.requests).toHaveLength(1)
    vi.advanceTimersByTime(1000)
    expect(await webhooks.verify(connection, other.headers, other.raw)).toHaveLength(1)
    expect(await webhooks.verify(connection, headers, raw)).toBeNull()
    expect(double.requests).toHaveLength(2)
  })

  it('cost one request a minute at most, whatever addresses of keys forged ones name, and leave the known key', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const { double, connection, webhooks } = await serve()
    const { raw, headers } = double.callback(EVENT)
    const forge = async (name: string) => {
      const { raw } = double.callback(EVENT, `${double.url}/v4_6_release/webhooks/key?id=${name}`)
      const forged = { 'x-content-signature': Buffer.alloc(32).toString('base64') }
      expect(await webhooks.verify(connection, forged, raw)).toBeNull()
    }
    expect(await webhooks.verify(connection, headers, raw)).toHaveLength(1)
    for (let minute = 1; minute <= 3; minute++) {
      vi.advanceTimersByTime(60_000)
      for (let count = 0; count < 20; count++) await forge(`${minute}-${count}`)
      await Promise.all(Array.from({ length: 20 }, (_, count) => forge(`at-once-${minute}-${count}`)))
      expect(double.requests).toHaveLength(1 + minute)
      expect(await webhooks.verify(connection, headers, raw)).toHaveLength(1)
    }
    vi.advanceTimersByTime(3_600_000)
    expect(await webhooks.verify(connection, headers, raw)).toHaveLength(1)
    expect(double.requests).toHaveLength(4)
  })

  it('are events if their bytes are signed with the key of the connection’s own host', async () => {
    const { double, connection, webhooks } = await serve()
    const { raw, headers } = double.callback(EVENT)
    const event = { kind: 'TICKET', action: 'UPDATED', id: '12', event_id: 'm1', changed_at: null }
    expect(await webhooks.verify(connection, headers, raw)).toEqual([event])
    const other = double.callback({ ...EVENT, Type: 'project' })
    expect(await webhooks.verify(connection, other.headers, other.raw)).toEqual([])
  })

  it('are refused if anything else signed them', async () => {
    const { double, connection, webhooks } = await serve()
    const { raw, headers } = double.callback(EVENT)
    const changed = Buffer.from(raw.toString().replace('12', '13'))
    for (const [given, bytes] of [
      [headers, changed],
      [headers, Buffer.concat([raw, Buffer.from(' ')])],
      [{}, raw],
      [{ 'x-content-signature': '' }, raw],
      [{ 'x-content-signature': 'AAAA' }, raw],
      [headers, Buffer.from('{')],
      [headers, Buffer.from('null')],
    ] as const)
      expect(await webhooks.verify(connection, given, bytes)).toBeNull()
    const asked = double.requests.length
    for (const key_url of [
      'https://evil.example/key',
      'http://127.0.0.1:1/key',
      `${double.url}.evil.example/key`,
      double.url.replace('127', 'me@127'),
      'key',
    ]) {
      const forged = double.callback(EVENT, key_url)
      expect(await webhooks.verify(connection, forged.headers, forged.raw)).toBeNull()
    }
    expect(double.requests).toHaveLength(asked)
  })
})
