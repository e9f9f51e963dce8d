import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FeedEvent } from '../../src/areas/inbox/rules/feed-event.ts'
import { type Facts, occurrenceOf } from '../../src/areas/inbox/rules/items.ts'
import { joined } from '../../src/areas/inbox/rules/joined.ts'
import { partsOf } from '../../src/areas/inbox/rules/parts.ts'
import { SETTLING, settlementsOf } from '../../src/areas/inbox/rules/settlements.ts'

const FACTS: Facts = {
  agents: new Map([[1, 'Ada']]),
  requests: new Map([['til_1', 'Reset the password']]),
  failed_for: new Map([['exe_1', 'RMM']]),
  told: new Map([['esc_1/2', [7]]]),
  labels: new Map([['halo-psa', 'HaloPSA']]),
  headlines: { AGENT_GAVE_UP: 'An agent cannot go on' },
}

const event = (type: string, more: Partial<FeedEvent> = {}): FeedEvent => ({
  type,
  entity_id: 'x',
  agent_id: null,
  at: new Date('2026-11-27T09:00:00Z'),
  data: {},
  ...more,
})

describe('the item of an event', () => {
  it.each<[string, FeedEvent, object | null]>([
    [
      'names the agent and the code',
      event('execution.failed', { entity_id: 'exe_1', agent_id: 1, data: { error_code: 'model_refused' } }),
      { cause: '1/model_refused', title: 'Ada: executions fail (model_refused)', waits_on: null },
    ],
    [
      'has a cause without a code too',
      event('execution.failed', { agent_id: 9, data: { error_code: null } }),
      { cause: '9/unknown', title: 'An agent: executions fail (unknown)' },
    ],
    [
      'waits on the system of the tool call that failed',
      event('execution.failed', {
        entity_id: 'exe_1',
        agent_id: 1,
        data: { error_code: 'integration_unavailable' },
      }),
      { cause: '1/integration_unavailable', waits_on: 'RMM' },
    ],
    [
      'waits on nothing if no call is known',
      event('execution.failed', {
        entity_id: 'exe_2',
        agent_id: 1,
        data: { error_code: 'integration_unavailable' },
      }),
      { cause: '1/integration_unavailable', waits_on: null },
    ],
    [
      'waits on the PSA of which conditions could not be read',
      event('execution.failed', { agent_id: 1, data: { error_code: 'upstream_unavailable' } }),
      { cause: '1/upstream_unavailable', waits_on: 'PSA' },
    ],
    [
      'is for the technicians who are named',
      event('til_request.created', { entity_id: 'til_1', data: { technician_ids: [3, 4], risk: 'LOW' } }),
      {
        title: 'Reset the password',
        severity: 'WARNING',
        audience: { to: 'TECHNICIANS', technician_ids: [3, 4] },
      },
    ],
    [
      'is for those whom the step told by their inbox',
      event('escalation.notified', {
        entity_id: 'esc_1',
        data: { current_step: 2, trigger: 'AGENT_GAVE_UP' },
      }),
      { title: 'An agent cannot go on', audience: { to: 'TECHNICIANS', technician_ids: [7] } },
    ],
    [
      'is none of a step that tells nobody by the inbox',
      event('escalation.notified', {
        entity_id: 'esc_1',
        data: { current_step: 1, trigger: 'AGENT_GAVE_UP' },
      }),
      null,
    ],
    [
      'is none of a person who disconnects an integration',
      event('integration.disconnected', { data: { name: 'halo-psa', reason: 'BY_PERSON' } }),
      null,
    ],
    [
      'calls an integration by its label',
      event('integration.sync_finished', { data: { name: 'halo-psa', status: 'FAILED', error: 'Gone' } }),
      { cause: 'halo-psa', title: 'HaloPSA: a sync failed', body: 'Gone' },
    ],
    [
      'is none of a sync that went well',
      event('integration.sync_finished', { data: { status: 'SUCCEEDED' } }),
      null,
    ],
    [
      'names the agent of a bad rating, and its ticket',
      event('feedback.submitted', {
        entity_id: 'fb_1',
        agent_id: 1,
        data: { rating: 'NEGATIVE', ticket_number: 'T-1' },
      }),
      {
        kind: 'FEEDBACK',
        cause: 'fb_1',
        title: 'Ada: an end user gave a bad rating (ticket T-1)',
        audience: { to: 'EDITORS', agent_id: 1 },
        entity_numbers: ['T-1'],
      },
    ],
    [
      'is for ADMINs if a bad rating is about no agent',
      event('feedback.submitted', { entity_id: 'fb_1', data: { rating: 'NEGATIVE', ticket_number: null } }),
      { title: 'An end user gave a bad rating', audience: { to: 'ADMINS' }, entity_numbers: [] },
    ],
    ['is none of a good rating', event('feedback.submitted', { data: { rating: 'NEUTRAL' } }), null],
    [
      'is for the technician whom a decision chose',
      event('dispatch.suggested', {
        entity_id: 'dsp_1',
        data: { technician_id: 7, ticket_number: 'T-1' },
      }),
      {
        kind: 'DISPATCH',
        cause: 'dsp_1',
        title: 'Ticket T-1 is suggested for you',
        action_required: true,
        audience: { to: 'TECHNICIANS', technician_ids: [7] },
      },
    ],
    [
      'has another cause for a ticket that was given',
      event('dispatch.applied', { entity_id: 'dsp_1', data: { technician_id: 7, ticket_number: null } }),
      { cause: 'dsp_1/given', subject_id: 'dsp_1', title: 'A ticket is yours', action_required: false },
    ],
    [
      'is none of a ticket that nobody has',
      event('dispatch.applied', { data: { technician_id: null } }),
      null,
    ],
    [
      'is for ADMINs for a day if no technician fits',
      event('dispatch.none_fits', { entity_id: 'dsp_1', data: { technician_id: null } }),
      {
        title: 'No technician fits a ticket',
        severity: 'WARNING',
        audience: { to: 'ADMINS' },
        over_at: new Date('2026-11-28T09:00:00Z'),
      },
    ],
    ['is none of other events', event('execution.started', { agent_id: 1 }), null],
  ])('%s', (_what, given, expected) => {
    const found = occurrenceOf(given, FACTS)
    if (expected === null) expect(found).toBeNull()
    else expect(found).toMatchObject(expected)
  })

  it('has a title of at most 200 characters in a line', () => {
    const name = `Long\n${'𝄞'.repeat(300)}`
    const { title } = occurrenceOf(event('api_key.expiring', { data: { name } }), FACTS) ?? {}
    expect([...(title ?? '')]).toHaveLength(200)
    expect(title).not.toMatch(/\n/)
  })
})

const CODES = ['a', 'b', 'c']

const failures = fc
  .array(fc.record({ agent_id: fc.integer({ min: 1, max: 3 }), code: fc.constantFrom(...CODES) }), {
    maxLength: 200,
  })
  .map((list) =>
    list.map(({ agent_id, code }, index) =>
      event('execution.failed', {
        agent_id,
        at: new Date(index * 1000),
        entity_id: `exe_${index}`,
        data: { error_code: code, entity_number: `T-${index}` },
      }),
    ),
  )

it('occurrences of one cause join to one, which counts them all and tells the last', () => {
  fc.assert(
    fc.property(failures, (events) => {
      const all = events.flatMap((one) => occurrenceOf(one, FACTS) ?? [])
      const found = joined(all)
      expect(new Set(found.map(({ cause }) => cause)).size).toBe(found.length)
      for (const one of found) {
        const same = all.filter(({ cause }) => cause === one.cause)
        expect(one).toMatchObject({
          count: same.length,
          first_at: same[0]?.first_at,
          last_at: same.at(-1)?.last_at,
          subject_id: same.at(-1)?.subject_id,
          entity_numbers: same.slice(0, 20).flatMap(({ entity_numbers }) => entity_numbers),
        })
      }
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(events.length)
    }),
  )
})

describe('settling', () => {
  const facts = {
    categories: new Map([['halo-psa', 'PSA']]),
    retried: new Map([['exe_2', 'exe_1']]),
    claimed_by: new Map([['x', 'usr_1']]),
  }
  it.each<[string, FeedEvent, object[]]>([
    [
      'a healthy integration settles what failed for its category',
      event('integration.healthy', { data: { name: 'halo-psa' } }),
      [
        { by: 'CAUSE', kind: 'INTEGRATION_HEALTH', value: 'halo-psa' },
        { by: 'WAITS_ON', value: 'PSA' },
      ],
    ],
    [
      'a partial sync settles nothing',
      event('integration.sync_finished', { data: { name: 'halo-psa', status: 'PARTIAL' } }),
      [],
    ],
    [
      'a claim settles the items of the others',
      event('escalation.acknowledged'),
      [{ by: 'CAUSE', kind: 'ESCALATION', value: 'x', kept_user_id: 'usr_1' }],
    ],
    [
      'a retry that completes settles the failure of the first execution',
      event('execution.completed', { entity_id: 'exe_2' }),
      [{ by: 'SUBJECT', kind: 'EXECUTION_FAILED', value: 'exe_1' }],
    ],
    [
      'another rating settles a bad one',
      event('feedback.submitted', { entity_id: 'fb_1', data: { rating: 'NEUTRAL' } }),
      [{ by: 'CAUSE', kind: 'FEEDBACK', value: 'fb_1' }],
    ],
    [
      'a ticket that is given settles the suggestion',
      event('dispatch.overridden', { entity_id: 'dsp_1' }),
      [{ by: 'CAUSE', kind: 'DISPATCH', value: 'dsp_1' }],
    ],
    [
      'a suggestion that ended settles itself',
      event('dispatch.closed', { entity_id: 'dsp_1' }),
      [{ by: 'CAUSE', kind: 'DISPATCH', value: 'dsp_1' }],
    ],
    ['a bad rating settles nothing', event('feedback.submitted', { data: { rating: 'NEGATIVE' } }), []],
    ['an execution that completes settles nothing', event('execution.completed', { entity_id: 'exe_9' }), []],
  ])('%s', (_what, given, expected) => {
    expect(settlementsOf(given, facts)).toEqual(expected)
  })

  it('is for events alone that are declared', () => {
    expect(SETTLING.every((type) => /^[a-z_]+\.[a-z_]+$/.test(type))).toBe(true)
  })
})

describe('the parts of a stretch', () => {
  const facts = {
    ...FACTS,
    categories: new Map([['halo-psa', 'PSA']]),
    retried: new Map(),
    claimed_by: new Map(),
  }
  const failed = (entity_id: string, agent_id = 1) =>
    event('execution.failed', { entity_id, agent_id, data: { error_code: 'upstream_unavailable' } })
  const healthy = event('integration.healthy', { data: { name: 'halo-psa' } })
  const archived = event('agent.archived', { agent_id: 1 })
  it.each<[string, FeedEvent[], [number, number][]]>([
    ['are one without a settlement', [failed('a'), failed('b')], [[2, 0]]],
    ['are one for failures and their settlement', [failed('a'), healthy], [[1, 2]]],
    [
      'begin anew with what happens after its settlement',
      [failed('a'), healthy, failed('b')],
      [
        [1, 2],
        [1, 0],
      ],
    ],
    ['go on for what another settlement is of', [failed('a'), archived, failed('b', 2)], [[2, 1]]],
    [
      'begin anew for the agent of a settlement',
      [failed('a'), archived, failed('b')],
      [
        [1, 1],
        [1, 0],
      ],
    ],
    ['are empty without events', [], [[0, 0]]],
  ])('%s', (_what, events, expected) => {
    const parts = partsOf(events, facts)
    expect(parts.map(({ occurrences, settlements }) => [occurrences.length, settlements.length])).toEqual(
      expected,
    )
  })
})
