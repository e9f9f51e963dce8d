import { describe, expect, it } from 'vitest'
import type { Row } from '../../doubles/autotask/query.ts'
import { SETTINGS } from '../../doubles/autotask/server.ts'
import { type Served, serve } from './fixture.ts'

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

  describe('of what the API user changes', () => {
    const USER = { id: 4, userName: 'API@msp.example', isActive: true }
    const PERSON = { id: 7, userName: 'gus', email: SETTINGS.username, isActive: true }
    const excluded = ({ double }: Served) =>
      HOOKS.map((name) =>
        double.rowsOf(name.replace(/s$/, 'ExcludedResources')).map(({ resourceID }) => resourceID),
      )

    it('tell nothing, those from before too', async () => {
      const served = await registered()
      const { double, connection, webhooks } = served
      expect(excluded(served)).toEqual([[], [], [], []])
      double.add('Resources', [USER, PERSON])
      for (let count = 0; count < 2; count++) await webhooks.register(connection, URL_OF_HOOK)
      expect(excluded(served)).toEqual([[4], [4], [4], [4]])
    })

    it('tell it if no resource has the name of the user: who has the address can be a person', async () => {
      const served = await serve()
      served.double.add('Resources', [PERSON])
      await served.webhooks.register(served.connection, URL_OF_HOOK)
      expect(excluded(served)).toEqual([[], [], [], []])
      expect(served.double.rowsOf('TicketWebhooks')).toHaveLength(1)
    })

    it('tell it if the PSA refuses to look for the user', async () => {
      const served = await serve()
      const { double, connection, webhooks } = served
      double.add('Resources', [USER])
      double.hostile.play = (response, { status, body }) => {
        const is_resources = double.requests.at(-1)?.includes('/Resources/query')
        const answer = is_resources ? { errors: ['No rights'] } : body
        response.writeHead(is_resources ? 500 : status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(answer))
      }
      await webhooks.register(connection, URL_OF_HOOK)
      expect(excluded(served)).toEqual([[], [], [], []])
      expect(double.rowsOf('TicketWebhooks')).toHaveLength(1)
    })
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
