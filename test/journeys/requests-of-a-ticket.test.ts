/** The requests to a connected PSA from the event of a ticket, through the note of an agent, to the end of the event of the note, if the PSA tells of it. */
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Fault } from '../doubles/vendor.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import { notingScript, playModel } from '../setup/model.ts'
import { PSA_DOUBLES } from '../setup/psa-doubles/doubles.ts'
import { until } from '../setup/until.ts'
import { type Msp, world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const NOTE = { text: 'We are on it.', visibility: 'INTERNAL' }
const CHAIN = { actions: [{ type: 'ticket.add_note', params: NOTE }] }
const AGENTIC = { autonomy_type: 'AGENTIC' }
const HAS_PRINTER = {
  ticket_conditions: { rules: [{ field: 'subject', operator: 'contains', value: 'Printer' }] },
}

/** A tenant whose PSA is the double, with an agent at work on new tickets. */
async function atWork(start: (typeof PSA_DOUBLES)[number][1], agent: object) {
  onTestFinished(() => clock.reset())
  const [api] = apisAt(async () => running.base) as [Api]
  const msp: Msp = await world(running.database)
  const double = await connectDouble(running, api, msp, start)
  const story = storyOf(api, msp)
  const system = double.name.toUpperCase().replaceAll('-', '_')
  const grants = [{ system, permission_groups: ['TICKETS'], access: 'WRITE' }]
  const callback_settings = { change_types: ['TICKET_CREATED'] }
  await story.createAgent({ callback_settings, integrations: { grants }, ...agent })
  const work = async (seconds: number) => {
    clock.advance(seconds * 1000)
    await performDue(running.app.services, msp)
  }
  const callbacks = () => story.done(msp.key, 'callbacks', { entity_type: 'TICKET' })
  return {
    msp,
    double,
    work,
    callbacks,
    tell: (ticket_id: string, action: 'ADDED' | 'UPDATED') =>
      tell(running, double, { ticket_id, action, event_id: `${action} ${ticket_id}${action.slice(0, 1)}` }),
  }
}

type AtWork = Awaited<ReturnType<typeof atWork>>

/** The event of the ticket, what the agent does, and the event of its note. */
async function play({ double, work, tell }: AtWork, ticket_id: string, tells_of_notes: boolean) {
  for (const action of tells_of_notes ? (['ADDED', 'UPDATED'] as const) : (['ADDED'] as const)) {
    await tell(ticket_id, action)
    await work(31)
    expect(double.notesOf(ticket_id)).toEqual([expect.stringContaining(NOTE.text)])
  }
}

/** The method and the last words of the path, without ids. */
const kindOf = (request: string): string => {
  const [method, path = ''] = (request.split('?')[0] ?? '').split(' ')
  const words = path.split('/').filter((word) => !/^\d+$/.test(word))
  return `${method} ${words.slice(-2).join('/')}`
}

const CONNECTWISE = ['GET service/tickets', 'GET tickets/notes']
const HALO = ['GET api/Tickets', 'GET api/Actions']
const AUTOTASK = ['GET v1.0/Tickets', 'POST TicketNotes/query']

interface Requests {
  read: string[]
  show: string[]
  note: string[]
  /** The reads of the event of the note. */
  again: string[]
}

/** What reads a ticket with its notes, shows it to a model, and writes a note. Webhooks of Autotask PSA exclude the API's user. */
const REQUESTS: Readonly<Record<string, Requests>> = {
  'ConnectWise PSA': {
    read: CONNECTWISE,
    show: CONNECTWISE,
    note: ['POST tickets/notes'],
    again: CONNECTWISE,
  },
  HaloPSA: { read: HALO, show: HALO, note: ['POST api/Actions'], again: HALO },
  'Autotask PSA': {
    read: AUTOTASK,
    show: ['GET v1.0/Tickets', 'POST Companies/query'],
    note: ['POST Tickets/Notes'],
    again: [],
  },
}

describe.each(PSA_DOUBLES)('%s', (name, start) => {
  const { read = [], show = [], note = [], again = [] } = REQUESTS[name] ?? {}
  const tells_of_notes = again.length > 0

  /** The requests for a second ticket. `faults`: those of the first of them. */
  async function requestsOf(agent: object, faults: readonly (Fault | null)[] = []): Promise<string[]> {
    const its = await atWork(start, agent)
    const { double, callbacks } = its
    const tickets = [double.addTicket('First Printer'), double.addTicket('Second Printer')] as const
    if (agent === AGENTIC) await playModel(notingScript(tickets, NOTE), running)
    // What is kept for minutes is read with the first ticket.
    await play(its, tickets[0], tells_of_notes)
    const before = double.requests.length
    double.vendor.faults.push(...faults)
    await play(its, tickets[1], tells_of_notes)
    const outcomes = (await callbacks()).map((one: { status: string }) => one.status)
    const of_ticket = tells_of_notes ? ['FILTERED_OUT', 'PROCESSED'] : ['PROCESSED']
    expect(outcomes).toEqual([...of_ticket, ...of_ticket])
    return double.requests.slice(before).map(kindOf)
  }

  it(`is asked ${3 + again.length} times for a ticket that gets one note by a chain`, async () => {
    const requests = await requestsOf(CHAIN)
    expect(requests.toSorted()).toEqual([...read, ...note, ...again].sort())
    expect(requests).toHaveLength(3 + again.length)
  })

  it('tells of a note of the service, or not', async () => {
    const { double, work, tell } = await atWork(start, CHAIN)
    const events: unknown[] = []
    double.vendor.served.after = (request, answer) => {
      const note = double.noteIn(request, answer)
      if (note) events.push(...double.sendNote({ ...note, event_id: 'n1' }))
    }
    await tell(double.addTicket('Printer'), 'ADDED')
    await work(31)
    expect(events).toHaveLength(name === 'ConnectWise PSA' ? 1 : 0)
  })

  it('is asked whether it has the note before a note that was answered by an error is written again', async () => {
    const requests = await requestsOf(CHAIN, [null, null, 'ERROR'])
    const asked = read.slice(1)
    // A query may be late with a new note: it is asked at once, and once more when the note would show.
    const asked_again = name === 'Autotask PSA' ? asked : []
    expect(requests.toSorted()).toEqual(
      [...read, ...note, ...asked, ...asked_again, ...note, ...again].sort(),
    )
  })

  it('is asked once more if the agent has conditions', async () => {
    expect(await requestsOf({ ...CHAIN, ...HAS_PRINTER })).toHaveLength(4 + again.length)
  })

  it(`is asked ${5 + again.length} times if a model reads the ticket before`, async () => {
    const requests = await requestsOf(AGENTIC)
    expect(requests.toSorted()).toEqual([...read, ...show, ...note, ...again].sort())
    expect(requests).toHaveLength(5 + again.length)
  })

  it('gets one note for each ticket, and people no question, though a tenth of its answers are faults', async () => {
    const { msp, double, work, tell, callbacks } = await atWork(start, CHAIN)
    const FAULTS: readonly Fault[] = ['TOO_MANY', 'ERROR', 'UNAVAILABLE', 'LOST']
    let seed = 7
    const random = (): number => {
      seed = (seed * 48_271) % 2_147_483_647
      return seed / 2_147_483_647
    }
    double.faulty(() => (random() < 0.1 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined))
    const tickets = Array.from({ length: 12 }, (_, index) => double.addTicket(`Printer ${index}`))
    for (const ticket_id of tickets) await tell(ticket_id, 'ADDED')
    await until(async () => {
      await work(600)
      const done = await callbacks()
      return done.every(({ status }: { status: string }) => status === 'PROCESSED')
    }, 100_000)
    const where = { tenant_id: msp.tenant_id }
    const executions = await msp.database.prisma.execution.findMany({ where })
    expect(new Set(executions.map(({ status }) => status))).toEqual(new Set(['COMPLETED']))
    expect(await msp.database.prisma.tilRequest.count({ where })).toBe(0)
    for (const ticket_id of tickets)
      expect(double.notesOf(ticket_id)).toEqual([expect.stringContaining(NOTE.text)])
  }, 120_000)
})
