/** What the engine asks of a system about a write that had no answer, and the failures after which it asks. */
import { describe, expect, it } from 'vitest'
import { PortRefusal, PortUnavailable } from '../../src/connectors/port.ts'
import type { Psa } from '../../src/connectors/psa.ts'
import { ApiError } from '../../src/errors/errors.ts'
import { executeTool, outcomeOf, type ToolContext } from '../../src/tools/execute.ts'
import { failureOf } from '../../src/tools/failure.ts'
import { TOOLS, type ToolName, toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { CALLING_RUN, toolContext } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

const ENDS_AT = new Date('2026-11-01T12:00:00Z')

/** A context with the service's own PSA, of which some calls are these. */
async function contextWith(change: (psa: Psa) => Partial<Psa>): Promise<ToolContext> {
  const own = toolContext(await world())
  const { connectors } = own.services
  const psa = (ctx: ToolContext) => {
    const real = connectors.psa(ctx)
    return { ...real, ...change(real) }
  }
  return { ...own, services: { ...own.services, connectors: { ...connectors, psa } as typeof connectors } }
}

const TICKET = { ticket_id: '1' }
const ENTRY = { time_entry_id: '1-1' }

/** The arguments of each tool that writes in the PSA, and what the PSA is asked about its write. */
const ASKED: Partial<Record<ToolName, [args: object, write: unknown]>> = {
  'ticket.create': [{ company_id: 'a', title: 'x', description: 'x' }, 'NEW_TICKET'],
  'ticket.add_note': [{ ...TICKET, text: 'x', visibility: 'INTERNAL' }, { note_on: '1' }],
  'ticket.set_status': [
    { ...TICKET, status: 'New' },
    { ...TICKET, changes: { status: 'New' } },
  ],
  'ticket.set_priority': [
    { ...TICKET, priority: 'P1' },
    { ...TICKET, changes: { priority: 'P1' } },
  ],
  'ticket.set_type': [
    { ...TICKET, type: 'x' },
    { ...TICKET, changes: { type: 'x' } },
  ],
  'ticket.set_queue': [
    { ...TICKET, queue: 'x' },
    { ...TICKET, changes: { board: 'x' } },
  ],
  'ticket.set_contact': [
    { ...TICKET, contact_id: '2' },
    { ...TICKET, changes: { contact_id: '2' } },
  ],
  // The technician is there no more.
  'ticket.assign': [
    { ...TICKET, technician_id: 999 },
    { ...TICKET, changes: {} },
  ],
  'ticket.merge': [
    { ...TICKET, into_ticket_id: '2' },
    { ...TICKET, into_ticket_id: '2' },
  ],
  'ticket.close': [
    { ...TICKET, resolution: 'Done.' },
    { ...TICKET, changes: { status: 'Closed', resolution: 'Done.' } },
  ],
  'time_entry.create': [{ ...TICKET, minutes: 5, note: 'x' }, { time_on: '1' }],
  'time_entry.set_agreement': [
    { ...ENTRY, agreement: 'x' },
    { ...ENTRY, agreement: 'x' },
  ],
  'time_entry.return': [
    { ...ENTRY, reason: 'x' },
    { ...ENTRY, agreement: null },
  ],
  'message.send': [{ contact_id: '2', subject: 'x', body: 'x' }, { note_on: '' }],
}

describe('the outcome of a write in the PSA', () => {
  it('is asked for with what the write was to do, whichever tool made it', async () => {
    const told: [string, unknown][] = []
    for (const [name, [args]] of Object.entries(ASKED)) {
      const ctx = await contextWith(() => ({
        async outcomeOf(key, write, ends_at) {
          expect([key, ends_at]).toEqual(['k', ENDS_AT])
          told.push([name, write])
          return 'NOT_MADE'
        },
      }))
      const call = { id: 'k', arguments: args, entity_id: null }
      expect(await outcomeOf(ctx, toolNamed(name) as Tool, call, ENDS_AT)).toBe('NOT_MADE')
    }
    expect(told).toEqual(Object.entries(ASKED).map(([name, [, write]]) => [name, write]))
  })

  it('is asked for by every tool that writes there by the port', () => {
    const elsewhere = [
      'dispatch.assign',
      'feedback.send_link',
      'technician.delete',
      'technician.replace_schedule',
    ]
    const writing = TOOLS.filter(({ access, works_in }) => access === 'WRITE' && works_in === 'PSA')
    const names = writing.map(({ name }) => name).filter((name) => !elsewhere.includes(name))
    expect(Object.keys(ASKED).sort()).toEqual(names.sort())
  })
})

const unavailable = (options: ConstructorParameters<typeof PortUnavailable>[1]) =>
  new ApiError('upstream_unavailable', {
    details: { upstream: 'PSA' },
    cause: new PortUnavailable('It is away', options),
  })

describe('a write that had no answer', () => {
  it.each([
    ['may have been made', {}, { may_have_acted: true, may_be_under_way: true, retry_after_seconds: null }],
    ['was answered by an error', { is_ended: true }, { may_have_acted: true, may_be_under_way: false }],
    [
      'was not made by a system that is busy, which says when it takes calls',
      { not_made: true, kind: 'LIMIT', retry_after_seconds: 7 },
      { may_have_acted: false, retry_after_seconds: 7, is_limit: true, is_repeatable: true },
    ],
    [
      'was not made by a system that refuses the credentials',
      { kind: 'CREDENTIALS' },
      {
        code: 'credentials_refused',
        may_have_acted: false,
        retry_after_seconds: null,
        is_repeatable: false,
      },
    ],
    [
      'was answered as a refusal is, and as a fault is',
      { is_ended: true, is_refusal: true },
      { code: 'change_refused', may_have_acted: true, is_repeatable: true },
    ],
  ] as const)('%s', (_what, options, expected) => {
    expect(failureOf(unavailable(options), true)).toMatchObject(expected)
  })

  it('was refused', () => {
    expect(failureOf(new PortRefusal('CHANGE_REFUSED'), true)).toMatchObject({
      code: 'change_refused',
      kind: 'TOOL',
      may_have_acted: false,
      is_repeatable: false,
    })
  })
})

describe('a failure of a tool that writes', () => {
  const lost = () => Promise.reject(unavailable({}))
  const CLOSING = { ticket_id: '1', resolution: 'Done.' }

  it.each([
    ['before its write is none of the write', () => ({ ticketStatuses: lost }), false],
    ['in its write may have acted', () => ({ updateTicket: lost }), true],
  ] as const)('%s', async (_what, change, may_have_acted) => {
    const ctx = await contextWith(change)
    const closing = executeTool(ctx, CALLING_RUN, toolNamed('ticket.close') as Tool, CLOSING, 'k')
    await expect(closing).rejects.toMatchObject({ code: 'integration_unavailable', may_have_acted })
  })
})
