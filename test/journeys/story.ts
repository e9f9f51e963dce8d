/** What every journey starts from, and the moves that its people make through an interface. */
import { expect, onTestFinished } from 'vitest'
import { expireRequests } from '../../src/areas/til-requests/deciding/expire.ts'
import type { Api } from '../setup/api.ts'
import { clock, testApp } from '../setup/app.ts'
import { addPsaTickets, psaOfTenant } from '../setup/psa.ts'
import { performRuns } from '../setup/runs.ts'
import { makeTechnician } from '../setup/til-requests.ts'
import { type Caller, type Msp, world } from '../setup/world.ts'

/** The technicians that the ADMIN and the USER of a journey are. */
export const LEAD = 700_031
export const TECHNICIAN = 700_032

export const READ = { type: 'ticket.read', params: {} }
export const NOTE = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'PUBLIC' } }
export const STATUS = { type: 'ticket.set_status', params: { status: 'In progress' } }
export const SUPERVISED = { supervised_run: true, supervisor_technician_ids: [LEAD, TECHNICIAN] }

export const TICKET = '4711'

/** A tenant whose ADMIN and USER are technicians, with the tickets 4711 and 4712. */
export async function journeyMsp(): Promise<Msp> {
  onTestFinished(() => clock.reset())
  const msp = await world()
  await makeTechnician(msp, msp.admin.id, LEAD)
  await makeTechnician(msp, msp.user.id, TECHNICIAN)
  await addPsaTickets(msp, [{ ticket_id: TICKET, number: 'T-4711', board: 'Desk' }, { ticket_id: '4712' }])
  return msp
}

/** Closes the requests that nobody decided in time, in every tenant of the worker's database. */
export async function expireOverdue(): Promise<void> {
  const { services } = (await testApp()).app
  const { signal } = new AbortController()
  await expireRequests.run({ services, now: clock.now(), signal, log: services.log })
}

/** The moves of a journey. Each answers the data of a successful answer. */
export function storyOf(api: Api, msp: Msp) {
  const done = async (caller: Caller, operation: string, args: Record<string, unknown> = {}) => {
    const { status, data, error } = await api.call(caller, operation, args)
    expect([operation, status, error]).toEqual([operation, 200, null])
    return data
  }
  const requests = async (execution_id: string) =>
    (await done(msp.key, 'execution_til_requests', { execution_id })).toSorted(
      (one: { created_at: string }, other: { created_at: string }) =>
        one.created_at.localeCompare(other.created_at),
    )

  /** The one request of the execution that waits. */
  const open = async (execution_id: string) => {
    const pending = (await requests(execution_id)).filter(
      ({ status }: { status: string }) => status === 'PENDING',
    )
    expect(pending).toHaveLength(1)
    return pending[0]
  }

  return {
    done,
    requests,
    open,
    createAgent: async (changes: object = {}): Promise<number> => {
      const input = {
        name: 'Desk hand',
        autonomy_type: 'CHAINED_ACTIONS',
        trigger_type: 'TRIGGERED',
        entity_type: 'TICKET',
        agent_settings: { estimated_minutes_saved: 30 },
        activate: true,
        ...changes,
      }
      return (await done(msp.owner, 'create_agent', { input })).id
    },
    run: (agent_id: number, input: object = {}) =>
      done(msp.key, 'run_agent_now', { agent_id, input: { entity_id: TICKET, ...input } }),
    work: () => performRuns(msp),
    execution: (execution_id: string) => done(msp.key, 'execution', { execution_id }),
    /** Tool calls of the execution, the first one first. */
    calls: async (execution_id: string) =>
      (await done(msp.key, 'execution_tool_calls', { execution_id })).toReversed(),
    timeline: (execution_id: string) => done(msp.key, 'execution_timeline', { execution_id }),
    runs: (execution_id: string) => done(msp.key, 'execution_runs', { execution_id }),
    /** Approves the request that waits, and lets the work go on. Answers the request. */
    approve: async (execution_id: string, input: object = {}) => {
      const til_request_id = (await open(execution_id)).id
      const approved = await done(msp.user, 'approve_til_request', { til_request_id, input })
      await performRuns(msp)
      return approved
    },
    reject: async (execution_id: string, comment: string) => {
      const til_request_id = (await open(execution_id)).id
      await done(msp.user, 'reject_til_request', { til_request_id, input: { comment } })
      await performRuns(msp)
    },
    notes: (ticket_id = TICKET) => psaOfTenant(msp).notesOf(ticket_id),
    ticket: () => psaOfTenant(msp).ticket(TICKET),
  }
}

export type Story = ReturnType<typeof storyOf>
