/** Journeys of dispatch: from the webhook of a ticket to its technician in the PSA, and what the summary says then. */
import { describe, expect, it, onTestFinished } from 'vitest'
import { addAgents } from '../setup/agents.ts'
import { type Api, apisAt } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { connectDouble, performDue, tell, useConnectedApp } from '../setup/connected.ts'
import { connectwisePsaDouble } from '../setup/psa-doubles/connectwise.ts'
import { addTechnicians } from '../setup/technicians.ts'
import { type Msp, world } from '../setup/world.ts'
import { storyOf } from './story.ts'

const running = useConnectedApp()

const SLEEP_MS = 31_000
const MEMBERS = [
  { id: 11, identifier: 'priya', firstName: 'Priya', lastName: 'Nair' },
  { id: 12, identifier: 'lee', firstName: 'Lee', lastName: 'Wong' },
]

interface Ticket {
  id: number
  owner?: { id: number } | undefined
}

describe.each(apisAt(async () => running.base))('dispatch through $name', (api: Api) => {
  /** An MSP with ConnectWise PSA, and two technicians who work at any time. Technician 3 is unknown to the PSA. */
  async function office(settings: object = {}) {
    onTestFinished(() => clock.reset())
    const msp: Msp = await world(running.database)
    const double = await connectDouble(running, api, msp, connectwisePsaDouble)
    double.add('/system/members', MEMBERS)
    await addTechnicians(msp, [
      { id: 1, psa_id: 11, name: 'Priya Nair', is_ready: true },
      { id: 2, psa_id: 12, name: 'Lee Wong', is_ready: true },
      { id: 3, psa_id: 99, name: 'Sam Gone' },
    ])
    const story = storyOf(api, msp)
    const { services } = running.app
    const set = (input: object) => story.done(msp.admin, 'update_dispatch_settings', { input })
    await set({ enabled: true, respect_schedules: false, ...settings })
    const ticket = (ticket_id: string): Ticket | undefined =>
      double.rowsOf('/service/tickets').find(({ id }) => String(id) === ticket_id) as Ticket | undefined
    let events = 0
    const work = async () => {
      clock.advance(SLEEP_MS)
      await performDue(services, msp)
    }
    const changed = async (ticket_id: string, action: 'ADDED' | 'UPDATED') => {
      const event_id = `${msp.tenant_id} ${++events}`
      expect(await tell(running, double, { ticket_id, action, event_id })).toEqual([202])
      await work()
    }
    const decisions = (args: object = {}) => story.done(msp.user, 'dispatch_decisions', { ...args })
    return {
      msp,
      double,
      story,
      set,
      work,
      decisions,
      assigneeOf: (ticket_id: string) => ticket(ticket_id)?.owner?.id ?? null,
      /** A ticket arrives by a webhook. */
      async arrive(title: string): Promise<string> {
        const ticket_id = double.addTicket(title)
        await changed(ticket_id, 'ADDED')
        return ticket_id
      },
      /** A person gives the ticket to a technician in the PSA. */
      take(ticket_id: string, id: number): void {
        Object.assign(ticket(ticket_id) ?? {}, { owner: { id } })
      },
      changed: (ticket_id: string) => {
        double.changeTicket(ticket_id, 'Another title')
        return changed(ticket_id, 'UPDATED')
      },
      act: (operation: 'apply' | 'override', decision_id: string, input?: object) =>
        api.call(msp.user, `${operation}_dispatch_decision`, { decision_id, ...(input && { input }) }),
    }
  }

  it('suggests, is applied and overridden by people, and the summary counts both', async () => {
    const { msp, story, arrive, decisions, act, assigneeOf, changed } = await office()
    const [first, second] = [await arrive('Printer'), await arrive('Mail')]
    const [of_second, of_first] = await decisions({ status: 'SUGGESTED' })
    expect([of_first.ticket_id, of_second.ticket_id]).toEqual([first, second])
    // The first one is not with the technician yet, and counts all the same.
    expect([of_first.chosen_technician_id, of_second.chosen_technician_id]).toEqual([1, 2])
    expect(of_second.candidates.map(({ name }: { name: string }) => name)).toEqual([
      'Lee Wong',
      'Priya Nair',
      'Sam Gone',
    ])
    expect(of_second.candidates[2]).toMatchObject({
      score: 0,
      reasons: [expect.stringContaining('Not ready')],
    })
    expect((await act('apply', of_first.id)).data).toMatchObject({ status: 'APPLIED' })
    const overridden = await act('override', of_second.id, { technician_id: 1, comment: 'Knows the server.' })
    expect(overridden.data).toMatchObject({ status: 'OVERRIDDEN', chosen_technician_id: 1 })
    expect([assigneeOf(first), assigneeOf(second)]).toEqual([11, 11])
    // The PSA tells of our own changes.
    for (const ticket_id of [first, second]) await changed(ticket_id)
    expect(await story.done(msp.viewer, 'dispatch_summary')).toMatchObject({
      decisions: 2,
      applied: 1,
      overridden: 1,
      expired: 0,
      none_fits: 0,
      acceptance_rate_pct: 50,
      by_technician: [
        { technician_id: 1, name: 'Priya Nair', suggested: 1, applied: 1, overridden: 0 },
        { technician_id: 2, name: 'Lee Wong', suggested: 1, applied: 0, overridden: 1 },
      ],
    })
  })

  it('AUTO gives tickets to technicians, and leaves alone what somebody took meanwhile', async () => {
    const { arrive, decisions, assigneeOf, double, take } = await office({ mode: 'AUTO' })
    const given = await arrive('Printer')
    expect(assigneeOf(given)).toBe(11)
    const addTicket = double.addTicket.bind(double)
    double.addTicket = (title) => {
      const ticket_id = addTicket(title)
      take(ticket_id, 12)
      return ticket_id
    }
    const taken = await arrive('Mail')
    expect(assigneeOf(taken)).toBe(12)
    expect(await decisions()).toMatchObject([
      { ticket_id: given, status: 'APPLIED', overridden_by_name: null },
    ])
  })

  it('starts no agent for its own assignment, and starts the agent for the assignment of a person', async () => {
    const { msp, arrive, changed, take, story, assigneeOf } = await office({ mode: 'AUTO' })
    await addAgents(msp, [
      {
        id: 1,
        autonomy_type: 'CHAINED_ACTIONS',
        callback_settings: { change_types: ['TICKET_ASSIGNEE_CHANGED'] },
      },
    ])
    const latest = async () => (await story.done(msp.viewer, 'callbacks'))[0]
    const ticket_id = await arrive('Printer')
    expect(assigneeOf(ticket_id)).toBe(11)
    await changed(ticket_id)
    expect(await latest()).toMatchObject({ status: 'FILTERED_OUT', filter_reason: 'OWN_CHANGE' })
    expect(await story.done(msp.admin, 'executions')).toEqual([])
    take(ticket_id, 12)
    await changed(ticket_id)
    expect(await latest()).toMatchObject({ status: 'PROCESSED', filter_reason: null })
    expect(await story.done(msp.admin, 'executions')).toMatchObject([{ entity_id: ticket_id }])
  })

  it('closes a suggestion whose ticket somebody takes in the PSA', async () => {
    const { arrive, decisions, take, changed, act, assigneeOf } = await office()
    const [told, untold] = [await arrive('Printer'), await arrive('Mail')]
    take(told, 12)
    await changed(told)
    take(untold, 11)
    const [of_untold, of_told] = await decisions()
    expect(of_told).toMatchObject({ status: 'EXPIRED', ticket_id: told })
    const refused = await act('apply', of_untold.id)
    expect([refused.status, refused.error?.code]).toEqual([409, 'dispatch_decision_closed'])
    expect(refused.error?.details).toMatchObject({ status: 'EXPIRED' })
    expect([assigneeOf(told), assigneeOf(untold)]).toEqual([12, 11])
  })

  it('finds nobody who fits, and a person chooses', async () => {
    const { set, arrive, decisions, act, assigneeOf } = await office({ max_open_tickets_per_technician: 1 })
    await arrive('One')
    await arrive('Two')
    const third = await arrive('Three')
    const [nobody] = await decisions()
    expect(nobody).toMatchObject({ status: 'NONE_FITS', chosen_technician_id: null, ticket_id: third })
    const refused = await act('apply', nobody.id)
    expect([refused.status, refused.error?.code]).toEqual([409, 'no_candidates'])
    const chosen = await act('override', nobody.id, { technician_id: 2, comment: 'There is nobody else.' })
    expect(chosen.data).toMatchObject({ status: 'OVERRIDDEN', chosen_technician_id: 2 })
    expect(assigneeOf(third)).toBe(12)
    await set({ fallback_technician_id: 3 })
    await arrive('Four')
    expect((await decisions())[0]).toMatchObject({ status: 'SUGGESTED', chosen_technician_id: 3 })
  })

  it('fails if the PSA refuses', async () => {
    const { arrive, decisions, act, assigneeOf } = await office({
      only_ready_technicians: false,
      strategy: 'ROUND_ROBIN',
    })
    const [, , third] = [await arrive('One'), await arrive('Two'), await arrive('Three')]
    const [suggested] = await decisions()
    expect(suggested).toMatchObject({ chosen_technician_id: 3, ticket_id: third })
    const refused = await act('apply', suggested.id)
    expect([refused.status, refused.error?.details]).toMatchObject([409, { status: 'FAILED' }])
    const [failed] = await decisions({ status: 'FAILED' })
    expect(failed.explanation).toContain('does not know the technician')
    expect(assigneeOf(third)).toBeNull()
  })

  it('waits for a PSA that is away', async () => {
    const { double, arrive, decisions, act, assigneeOf } = await office()
    const ticket_id = await arrive('Printer')
    const [{ id }] = await decisions()
    double.failing(1)
    const away = await act('apply', id)
    expect([away.status, away.error?.code]).toEqual([503, 'upstream_unavailable'])
    expect(await decisions()).toMatchObject([{ id, status: 'SUGGESTED', applied_at: null }])
    double.failing(0)
    expect((await act('apply', id)).data).toMatchObject({ status: 'APPLIED' })
    expect(assigneeOf(ticket_id)).toBe(11)
  })
})
