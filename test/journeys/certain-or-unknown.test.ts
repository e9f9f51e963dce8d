/** Journeys of notes that the connected PSA refuses, makes without an answer, or does not take yet: nobody is asked about them. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fault } from '../doubles/vendor.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { performRun, takeRunJobs } from '../setup/runs.ts'
import { world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const NOTE = { text: 'We are on it.', visibility: 'INTERNAL' }

interface Case {
  faults: readonly Fault[]
  notes: number
  /** The end of the execution and of its call; absent: COMPLETED. */
  end?: { failure_kind: string; error_code: string; error: RegExp }
}

const REFUSED = { failure_kind: 'TOOL', error_code: 'change_refused', error: /refused the change/ }
const NO_ACCESS = {
  failure_kind: 'INTEGRATION',
  error_code: 'credentials_refused',
  error: /does not accept the credentials/,
}

/** The faults of the first requests that write the note. */
const CASES: Readonly<Record<string, Case>> = {
  'is answered with 429 is written later': { faults: ['TOO_MANY_WAIT', 'TOO_MANY_WAIT'], notes: 1 },
  'is answered with 400 is not written': { faults: [400], notes: 0, end: REFUSED },
  'is answered with 403 is not written': { faults: [403], notes: 0, end: NO_ACCESS },
  'is written without an answer is not written again': { faults: ['LOST'], notes: 1 },
  'is written and answered with 500 is not written again': { faults: ['LATE_ERROR'], notes: 1 },
  'is answered with 500 is written later': { faults: ['ERROR'], notes: 1 },
}

describe.each(PSA_DOUBLES)('%s', (_name, start) => {
  describe.each(apisAt(async () => running.base))('through $name', (api: Api) => {
    /** A tenant whose agent notes on tickets with such changes. */
    async function prepared(change_type: string) {
      onTestFinished(() => clock.reset())
      const msp = await world(running.database)
      const double = await connectDouble(running, api, msp, start)
      const story = storyOf(api, msp)
      const system = double.name.toUpperCase().replaceAll('-', '_')
      const agent_id = await story.createAgent({
        callback_settings: { change_types: [change_type] },
        ticket_conditions: { rules: [{ field: 'subject', operator: 'contains', value: 'Printer' }] },
        actions: [{ type: 'ticket.add_note', params: NOTE }],
        integrations: { grants: [{ system, permission_groups: ['TICKETS'], access: 'WRITE' }] },
      })
      let events = 0
      return {
        msp,
        double,
        story,
        agent_id,
        tell: async (ticket_id: string, action: 'ADDED' | 'UPDATED') => {
          const event_id = `${msp.tenant_id} ${++events}`
          await tell(running, double, { ticket_id, action, event_id })
          clock.advance(31_000)
          await performDue(running.app.services, msp)
        },
      }
    }

    type Prepared = Awaited<ReturnType<typeof prepared>>

    /** The callback with its match and its execution, as an administrator reads them. */
    async function explained({ msp, story, agent_id }: Prepared, ticket_id: string) {
      const [callback] = await story.done(msp.key, 'callbacks', { search: ticket_id, agent_id })
      const [match] = await story.done(msp.key, 'callback_matches', { callback_id: callback.id })
      const execution = await story.execution(match.execution_id)
      const [call] = await story.done(msp.key, 'execution_tool_calls', { execution_id: match.execution_id })
      return { callback, match, execution, call }
    }

    async function expectNobodyAsked({ msp, double }: Prepared): Promise<void> {
      const where = { tenant_id: msp.tenant_id }
      expect(await msp.database.prisma.tilRequest.count({ where })).toBe(0)
      expect(double.vendor.violations).toEqual([])
    }

    it.each(Object.entries(CASES))('a note that %s', async (_what, { faults, notes, end }) => {
      const its = await prepared('TICKET_CREATED')
      const { double } = its
      const ticket_id = double.addTicket('Printer')
      const left = [...faults]
      double.faulty(() => {
        const request = double.requests.at(-1) ?? ''
        return /^POST .*(notes|Notes|Actions)$/.test(request) ? left.shift() : undefined
      })
      await its.tell(ticket_id, 'ADDED')
      expect(left).toEqual([])
      const { callback, match, execution, call } = await explained(its, ticket_id)
      expect(callback).toMatchObject({ entity_id: ticket_id, status: 'PROCESSED', matched_count: 1 })
      expect(match).toMatchObject({
        result: 'MATCHED',
        refusal: null,
        comparisons: [
          { field: 'subject', operator: 'contains', expected: 'Printer', actual: 'Printer', holds: true },
        ],
      })
      expect(double.notesOf(ticket_id)).toEqual(Array(notes).fill(expect.stringContaining(NOTE.text)))
      if (end) {
        const { error_code, error, failure_kind } = end
        expect(execution).toMatchObject({ status: 'FAILED', failure_kind })
        expect(execution.error).toMatch(error)
        expect(call).toMatchObject({ outcome: 'FAILED', error_code })
      } else {
        expect(execution).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
        expect(call).toMatchObject({ outcome: 'SUCCEEDED' })
      }
      await expectNobodyAsked(its)
    })

    it('a note is written once the PSA takes connections again', async () => {
      const its = await prepared('TICKET_CREATED')
      const { msp, double, story, agent_id } = its
      const ticket_id = double.addTicket('Printer')
      const { execution_id } = await story.run(agent_id, { entity_id: ticket_id })
      const listen = await double.vendor.refuse()
      let pauses = 0
      await performDue(running.app.services, msp, 1, async (...given) => {
        if (++pauses === 2) await listen()
        await clock.pause(...given)
      })
      expect(pauses).toBe(2)
      expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
      expect(double.notesOf(ticket_id)).toEqual([expect.stringContaining(NOTE.text)])
      await expectNobodyAsked(its)
    })

    it.each([
      ['before the PSA made it is written then', false],
      ['after the PSA made it is not written again', true],
    ])('a note whose worker is lost %s', async (_when, makes) => {
      const its = await prepared('TICKET_CREATED')
      const { msp, double, story, agent_id } = its
      const ticket_id = double.addTicket('Printer')
      const { execution_id } = await story.run(agent_id, { entity_id: ticket_id })
      const [job] = await takeRunJobs(msp)
      if (!job) throw new Error('No job')
      const { services } = running.app
      const { connectors } = services
      const lost = Promise.withResolvers<void>()
      const psa: typeof connectors.psa = (ctx) => {
        const real = connectors.psa(ctx)
        const addNote: typeof real.addNote = async (...note) => {
          if (makes) await real.addNote(...note)
          lost.resolve()
          return await new Promise<never>(() => {})
        }
        return { ...real, addNote }
      }
      void performRun(job, { services: { ...services, connectors: { ...connectors, psa } } })
      await lost.promise
      clock.advance(31_000)
      await performRun(job, { services, attempt: 2 })
      expect(await story.execution(execution_id)).toMatchObject({ status: 'COMPLETED', resolution: 'FULL' })
      expect(double.notesOf(ticket_id)).toEqual([expect.stringContaining(NOTE.text)])
      await expectNobodyAsked(its)
    })

    it('a reply of any contact is a reply of the customer', async () => {
      const its = await prepared('TICKET_CUSTOMER_REPLIED')
      const ticket_id = its.double.addTicket('Printer')
      await its.tell(ticket_id, 'ADDED')
      its.double.reply(ticket_id, 'It prints again.')
      await its.tell(ticket_id, 'UPDATED')
      const { callback, execution } = await explained(its, ticket_id)
      expect(callback).toMatchObject({ status: 'PROCESSED', change_types: ['TICKET_CUSTOMER_REPLIED'] })
      expect(execution).toMatchObject({ status: 'COMPLETED' })
      expect(its.double.notesOf(ticket_id).sort()).toEqual([
        expect.stringContaining('It prints again.'),
        expect.stringContaining(NOTE.text),
      ])
      await expectNobodyAsked(its)
    })
  })
})
