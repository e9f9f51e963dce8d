/** Journeys of events that come before their PSA shows the ticket, and of tickets of two PSAs that have the same id. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, look, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import type { PsaDouble } from '../setup/psa-doubles/double.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const SLEEP_SECONDS = 31
const NOTE = { text: 'We are on it.', visibility: 'INTERNAL' }
const NOT_SHOWN = 'INTEGRATION: The PSA does not show the ticket yet. It is looked at again.'

describe.each(PSA_DOUBLES)('an event of %s', (_name, start) => {
  describe.each(apisAt(async () => running.base))('through $name', (api: Api) => {
    /** A tenant whose agent notes on every new ticket of the PSA. */
    async function prepared() {
      onTestFinished(() => clock.reset())
      const msp = await world(running.database)
      const double = await connectDouble(running, api, msp, start)
      const story = storyOf(api, msp)
      const system = double.name.toUpperCase().replaceAll('-', '_')
      await story.createAgent({
        callback_settings: { change_types: ['TICKET_CREATED'] },
        actions: [{ type: 'ticket.add_note', params: NOTE }],
        integrations: { grants: [{ system, permission_groups: ['TICKETS'], access: 'WRITE' }] },
      })
      return {
        msp,
        double,
        story,
        callbacks: () => story.done(msp.key, 'callbacks', { entity_type: 'TICKET' }),
        runs: () => story.done(msp.key, 'executions'),
        tell: (psa: PsaDouble, ticket_id: string, event_id = `${msp.tenant_id} ${ticket_id}`) =>
          tell(running, psa, { ticket_id, action: 'ADDED', event_id }),
        wait: async (seconds: number) => {
          clock.advance(seconds * 1000)
          await performDue(running.app.services, msp)
        },
      }
    }

    const noted = [expect.stringContaining(NOTE.text)]

    it('whose ticket is shown seconds later starts one run', async () => {
      const { msp, double, story, tell, wait, callbacks, runs } = await prepared()
      const ticket_id = double.addTicket('Printer')
      await tell(double, ticket_id)
      const show = double.hideTicket(ticket_id)
      await wait(SLEEP_SECONDS)
      expect(await callbacks()).toMatchObject([
        { status: 'QUEUED', error: NOT_SHOWN, waiting_for: null, change_types: [] },
      ])
      expect((await story.done(msp.key, 'callback_funnel')).callbacks).toMatchObject({ in_flight: 1 })
      const stored = await msp.database.prisma.callback.findFirst({ where: { tenant_id: msp.tenant_id } })
      expect(stored).toMatchObject({ attempts: 0, looks: 1, away_since: null, waits_since: null })
      expect(await msp.database.prisma.callbackGate.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
      await wait(2)
      show()
      await wait(10)
      expect(await callbacks()).toMatchObject([
        { status: 'PROCESSED', error: null, change_types: ['TICKET_CREATED'], matched_count: 1 },
      ])
      expect(await runs()).toMatchObject([{ entity_id: ticket_id, status: 'COMPLETED' }])
      expect(double.notesOf(ticket_id)).toEqual(noted)
    })

    it('whose ticket is never shown is looked at four times more, and again once it is reprocessed', async () => {
      const { msp, double, story, tell, wait, callbacks, runs } = await prepared()
      const ticket_id = double.addTicket('Printer')
      await tell(double, ticket_id)
      const show = double.hideTicket(ticket_id)
      await wait(SLEEP_SECONDS)
      for (const seconds of [2, 10, 60]) {
        await wait(seconds)
        expect(await callbacks()).toMatchObject([{ status: 'QUEUED', error: NOT_SHOWN }])
      }
      await wait(300)
      const [callback] = await callbacks()
      expect(callback).toMatchObject({
        status: 'FILTERED_OUT',
        filter_reason: 'ENTITY_NOT_FOUND',
        error: null,
        processed_at: null,
      })
      expect(await runs()).toEqual([])
      await story.done(msp.key, 'reprocess_callback', { callback_id: callback.id })
      await wait(0)
      expect(await callbacks()).toMatchObject([{ status: 'QUEUED', error: NOT_SHOWN }])
      show()
      await wait(2)
      expect(await callbacks()).toMatchObject([{ status: 'PROCESSED', change_types: ['TICKET_CREATED'] }])
      expect(double.notesOf(ticket_id)).toEqual(noted)
    })

    it('whose ticket a poll finds meanwhile starts no second run', async () => {
      const { msp, double, tell, wait, callbacks, runs } = await prepared()
      const ticket_id = double.addTicket('Printer')
      await tell(double, ticket_id)
      const show = double.hideTicket(ticket_id)
      await wait(SLEEP_SECONDS)
      for (const seconds of [2, 10]) await wait(seconds)
      show()
      await look(running.app.services, msp)
      await wait(SLEEP_SECONDS)
      await wait(60)
      // By then the agent has noted on the ticket: that is all that is new.
      expect(await callbacks()).toMatchObject([
        { status: 'PROCESSED', change_types: ['TICKET_CREATED'] },
        { status: 'FILTERED_OUT', change_types: ['TICKET_INTERNAL_NOTE_ADDED'] },
      ])
      expect(await runs()).toHaveLength(1)
      expect(double.notesOf(ticket_id)).toEqual(noted)
    })

    it.each([
      ['after the first was disconnected', true],
      ['in its place', false],
    ])('of another PSA that is connected %s is of another ticket', async (_case, is_disconnected) => {
      const { msp, double, tell, wait, callbacks, runs, story } = await prepared()
      const [ticket_id, late] = [double.addTicket('Printer'), double.addTicket('Scanner')]
      await tell(double, ticket_id)
      await tell(double, late)
      double.hideTicket(late)
      await wait(SLEEP_SECONDS)
      if (is_disconnected) await story.done(msp.owner, 'disconnect_integration', { name: double.name })
      const other = await connectDouble(running, api, msp, start)
      expect(other.addTicket('Mailbox')).toBe(ticket_id)
      expect(other.addTicket('Telephone')).toBe(late)
      const asked = other.requests.length
      await wait(2)
      expect(other.requests.slice(asked).join()).not.toContain(late)
      await tell(other, ticket_id)
      await wait(SLEEP_SECONDS)
      expect(await callbacks()).toMatchObject([
        { entity_id: ticket_id, status: 'PROCESSED', change_types: ['TICKET_CREATED'], matched_count: 1 },
        {
          entity_id: late,
          status: 'FILTERED_OUT',
          filter_reason: 'ENTITY_NOT_FOUND',
          error: 'INTEGRATION: The PSA that it came from is not connected any more.',
        },
        { entity_id: ticket_id, status: 'PROCESSED', change_types: ['TICKET_CREATED'], matched_count: 1 },
      ])
      expect(await runs()).toHaveLength(2)
      for (const psa of [double, other]) expect(psa.notesOf(ticket_id)).toEqual(noted)
    })
  })
})
