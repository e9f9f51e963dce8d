import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answerOf,
  credentialProblem,
  type Decider,
  deciderProblem,
  fitProblem,
  stateOf,
  viaOf,
} from '../../src/areas/til-requests/deciding/rules/deciding.ts'
import { editProblems } from '../../src/areas/til-requests/deciding/rules/edited-arguments.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'

const ASKED = {
  kind: 'API_REQUEST',
  technician_ids: [1, 2],
  requested_by_id: 'usr_asks',
  asked_by_user_ids: [],
  call: null,
}
const DECIDER: Decider = { credential_id: 'usr_a', person_id: 'usr_a', technician_id: 1 }
const ofKey = (id: string) => ({ caller: { type: 'API_KEY', id } })

describe('a technician who decides', () => {
  it.each([
    ['is one of those who are named', {}, {}, null],
    ['is a technician', {}, { technician_id: null }, 'not_an_approver'],
    ['is not another technician', {}, { technician_id: 3 }, 'not_an_approver'],
    ['is not who asked', { requested_by_id: 'usr_a' }, {}, 'self_approval_forbidden'],
    [
      'is not the key that asked',
      { call: ofKey('key_1') },
      { credential_id: 'key_1' },
      'self_approval_forbidden',
    ],
    ['is not the user whose token asked', { call: ofKey('usr_a') }, {}, 'self_approval_forbidden'],
    [
      'is no user behind what is asked for',
      { asked_by_user_ids: ['usr_x', 'usr_a'] },
      {},
      'self_approval_forbidden',
    ],
    [
      'is no user behind a call of a run that waits for a second person',
      { kind: 'WRITE', asked_by_user_ids: ['usr_a'] },
      {},
      'self_approval_forbidden',
    ],
    ['may be who asked, if it is no call of the API', { kind: 'WRITE', requested_by_id: 'usr_a' }, {}, null],
  ])('%s', (_name, asked, decider, problem) => {
    expect(deciderProblem({ ...ASKED, ...asked }, { ...DECIDER, ...decider }, 'APPROVE')).toBe(problem)
  })

  it.each([
    ['no person’s', { person: null }, 'acting_user_required'],
    ['no person’s, though it was made by itself', { person: null, is_own: true }, 'acting_user_required'],
    ['somebody’s, made by another', { person: {}, is_own: false }, 'acting_user_not_allowed'],
    ['somebody’s, of which nobody says who made it', { person: {} }, 'acting_user_not_allowed'],
    ['the person’s own', { person: {}, is_own: true }, null],
  ])('has a credential: %s', (_name, viewer, problem) => {
    expect(credentialProblem(viewer)).toBe(problem)
  })

  it('may reject what they asked for', () => {
    expect(deciderProblem({ ...ASKED, requested_by_id: 'usr_a' }, DECIDER, 'REJECT')).toBeNull()
  })

  it('is always a person who is named', () => {
    const id = fc.constantFrom('a', 'b', 'c')
    const asked = fc.record({
      kind: fc.constantFrom('PLAN', 'WRITE', 'QUESTION', 'API_REQUEST'),
      technician_ids: fc.array(fc.integer({ min: 1, max: 4 })),
      requested_by_id: id,
      asked_by_user_ids: fc.array(id),
      call: fc.option(id.map(ofKey)),
    })
    const decider = fc.record({
      credential_id: id,
      person_id: id,
      technician_id: fc.option(fc.integer({ min: 1, max: 4 })),
    })
    const decision = fc.constantFrom(
      'APPROVE' as const,
      'REJECT' as const,
      'EDIT' as const,
      'ANSWER' as const,
    )
    fc.assert(
      fc.property(asked, decider, decision, (request, who, what) => {
        if (deciderProblem(request, who, what) !== null) return
        expect(request.technician_ids).toContain(who.technician_id)
        if (what !== 'REJECT') expect(request.asked_by_user_ids).not.toContain(who.person_id)
        if (request.kind === 'API_REQUEST' && what !== 'REJECT')
          expect([who.person_id, who.credential_id]).not.toContain(request.requested_by_id)
      }),
    )
  })
})

describe('the state of a request', () => {
  const at = new Date('2026-10-24T12:00:00Z')
  const before = new Date(at.getTime() - 1)

  it('is overdue from its end on while it is open, and its status otherwise', () => {
    expect(stateOf({ status: 'PENDING', expires_at: at }, before)).toBe('PENDING')
    expect(stateOf({ status: 'PENDING', expires_at: at }, at)).toBe('OVERDUE')
    expect(stateOf({ status: 'APPROVED', expires_at: before }, at)).toBe('APPROVED')
  })
})

describe('a decision fits', () => {
  const request = { allowed_decisions: ['APPROVE', 'REJECT'] as const, arguments_hash: 'h' }

  it.each([
    ['APPROVE', undefined, null],
    ['APPROVE', null, null],
    ['APPROVE', 'h', null],
    ['APPROVE', 'other', 'arguments_changed'],
    ['EDIT', 'h', 'decision_not_allowed'],
    ['ANSWER', undefined, 'decision_not_allowed'],
  ] as const)('%s that has seen %s: %s', (decision, hash, problem) => {
    expect(fitProblem(request, decision, hash)).toBe(problem)
  })
})

describe('an answer', () => {
  const options = [
    { id: 'a', label: 'Jane in Sales' },
    { id: 'b', label: 'Jane in Finance' },
  ]

  it('is an option with its label, or text', () => {
    expect(answerOf(options, { option_id: 'b' })).toEqual({
      answer: 'Jane in Finance',
      answer_option_id: 'b',
    })
    for (const some of [options, null])
      expect(answerOf(some, { answer: 'Janet' })).toEqual({ answer: 'Janet', answer_option_id: null })
  })

  it.each([[{}], [{ answer: 'x', option_id: 'a' }], [{ option_id: 'c' }]])('%j is none', (given) => {
    expect(answerOf(options, given)).toHaveLength(1)
    expect(answerOf(null, given)).toHaveLength(1)
  })
})

describe('edited arguments', () => {
  const tool = toolNamed('ticket.assign') as Tool
  const fields = (args: unknown) => editProblems(tool, args).map(({ field, code }) => [field, code])

  it('fit the input schema of the tool', () => {
    expect(fields({ ticket_id: '1', technician_id: 3 })).toEqual([])
    expect(fields({ ticket_id: '1' })).toEqual([['edited_arguments.technician_id', 'required']])
    expect(fields({ ticket_id: '1', technician_id: 0 })).toEqual([
      ['edited_arguments.technician_id', 'minimum'],
    ])
    expect(fields({ ticket_id: '1', technician_id: 3, x: 1 })).toEqual([
      ['edited_arguments', 'additionalProperties'],
    ])
    expect(fields(null)).toEqual([['edited_arguments', 'type']])
  })
})

describe('the place of a decision', () => {
  it('is the dashboard for its users, and the API for keys', () => {
    expect([viaOf('USER'), viaOf('API_KEY')]).toEqual(['DASHBOARD', 'API'])
  })
})
