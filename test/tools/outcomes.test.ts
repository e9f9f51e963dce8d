/** What the engine asks of a system about a write that had no answer. */
import { describe, expect, it } from 'vitest'
import { type Outcome, PortUnavailable, type WriteSubject } from '../../src/connectors/port.ts'
import { ApiError } from '../../src/errors/errors.ts'
import { outcomeOf, type ToolContext, WRITE_ENDS_MS } from '../../src/tools/execute.ts'
import { failureOf } from '../../src/tools/failure.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { toolContext } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

const STARTED = new Date('2026-11-01T12:00:00Z')

/** What the PSA is asked, which finds nothing. */
async function ask(name: string, { found, after_ms }: { found: boolean; after_ms: number }) {
  const own = toolContext(await world())
  const asked: (WriteSubject | undefined)[] = []
  const psa = () => ({
    async outcomeOf(_key: string, subject?: WriteSubject): Promise<Outcome> {
      asked.push(subject)
      return subject && !subject.may_be_under_way ? 'NOT_MADE' : 'UNKNOWN'
    },
  })
  const connectors = { ...own.services.connectors, psa } as unknown as ToolContext['services']['connectors']
  const ctx = {
    ...own,
    now: new Date(STARTED.getTime() + after_ms),
    services: { ...own.services, connectors },
  }
  const call = { id: 'k', arguments: { ticket_id: '1', status: 'New' }, started_at: STARTED }
  return { told: await outcomeOf(ctx, toolNamed(name) as Tool, call, { found }), asked }
}

describe('the outcome of a note', () => {
  it('is asked for with its ticket', async () => {
    const { told, asked } = await ask('ticket.add_note', { found: false, after_ms: 0 })
    expect([told, asked]).toEqual(['NOT_MADE', [{ note_on: '1', may_be_under_way: false }]])
  })

  it('that a lost worker began is not told while the worker may be at it', async () => {
    const at_it = await ask('ticket.add_note', { found: true, after_ms: WRITE_ENDS_MS - 1 })
    expect(at_it).toEqual({ told: 'UNREACHABLE', asked: [{ note_on: '1', may_be_under_way: true }] })
    expect((await ask('ticket.add_note', { found: true, after_ms: WRITE_ENDS_MS })).told).toBe('NOT_MADE')
  })
})

it('the outcome of a change is asked for by its key alone', async () => {
  const { told, asked } = await ask('ticket.set_status', { found: false, after_ms: 0 })
  expect([told, asked]).toEqual(['UNKNOWN', [undefined]])
})

describe('a write that had no answer', () => {
  const failureAfter = (options: object) =>
    failureOf(
      new ApiError('upstream_unavailable', {
        details: { upstream: 'PSA' },
        cause: new PortUnavailable('It is away', options),
      }),
      true,
    )

  it.each([
    ['may have been made', {}, true, null],
    [
      'was not made by a system that is busy, which says when it takes calls',
      { not_made: true, retry_after_seconds: 7 },
      false,
      7,
    ],
    ['was not made by a system that refuses the credentials', { kind: 'CREDENTIALS' }, false, null],
  ])('%s', (_what, options, may_have_acted, retry_after_seconds) => {
    expect(failureAfter(options)).toMatchObject({ may_have_acted, retry_after_seconds })
  })
})
