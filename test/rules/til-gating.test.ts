import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  approvalsOf,
  isChange,
  isShadow,
  minutesToDecide,
  needsApproval,
  verdictOf,
} from '../../src/areas/til-requests/asking/rules/gating.ts'
import {
  planInWords,
  planOfActions,
  planOfWords,
  questionInWords,
  writeInWords,
} from '../../src/areas/til-requests/asking/rules/wording.ts'
import { approvedOf, type Request, setsToAsk } from '../../src/areas/til-requests/rules.ts'
import { TilRequestStatus } from '../../src/db/generated/client/client.ts'
import { TOOLS, toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'

const tool = (name: string) => toolNamed(name) as Tool

const read = tool('ticket.read')
const write = tool('ticket.add_note')
const gated = tool('message.send')
const finish = tool('run.finish')
const deletion = tool('technician.delete')
const escalation = tool('escalation.raise')
const replacement = tool('technician.replace_schedule')

const terms = (requires_approval: boolean, decided: boolean) => ({ requires_approval, decided })

describe('a call needs approval', () => {
  it.each([
    ['of a tool that reads', read, terms(true, true), false],
    ['of a tool of the run itself', finish, terms(true, true), false],
    ['where the group requires it', write, terms(true, false), true],
    ['where nothing requires it', write, terms(false, false), false],
    ['where the tool requires it', gated, null, true],
    ['where the tool requires it and the tenant said nothing', gated, terms(false, false), true],
    ['where the tool requires it and the tenant has switched it off', gated, terms(false, true), false],
    ['of a tool that needs none, in no group', write, null, false],
    ['of technician.delete, if the tenant has switched it off', deletion, terms(false, true), true],
    ['of technician.delete, in no group', deletion, null, true],
    ['of technician.replace_schedule, if the tenant said nothing', replacement, terms(false, false), true],
    [
      'of technician.replace_schedule, if the tenant has switched it off',
      replacement,
      terms(false, true),
      false,
    ],
  ])('%s', (_name, called, group, needed) => {
    expect(needsApproval(called, group)).toBe(needed)
  })
})

describe('the approvals that a call needs', () => {
  const none = { supervised: false, shadow: false, group: null, beyond: false }
  const both = ['APPROVERS', 'SUPERVISORS']

  it.each([
    ['are none, if nobody supervises', write, {}, []],
    ['are those of supervisors, if it is supervised', write, { supervised: true }, ['SUPERVISORS']],
    ['are those of approvers, if it is gated', gated, {}, ['APPROVERS']],
    ['are both, if it is gated and supervised', gated, { supervised: true }, both],
    ['are both, if a group gates it', write, { supervised: true, group: terms(true, true) }, both],
    ['are those of approvers, if it goes beyond the company', write, { beyond: true }, ['APPROVERS']],
    ['are none, if it reads', read, { supervised: true }, []],
    ['are none, if it is of the run itself', finish, { supervised: true, shadow: true }, []],
    ['are recorded in shadow mode', write, { shadow: true }, ['SUPERVISORS']],
    ['are none, if it tells people', escalation, { supervised: true }, []],
    ['are recorded in shadow mode, if it tells people', escalation, { shadow: true }, ['SUPERVISORS']],
  ] as const)('%s', (_name, called, circumstances, asked) => {
    expect(approvalsOf(called, { ...none, ...circumstances })).toEqual(asked)
  })

  it('are never fewer for supervision, and those of approvers wherever the call is gated', () => {
    const circumstances = fc.record({
      shadow: fc.boolean(),
      beyond: fc.boolean(),
      group: fc.option(fc.record({ requires_approval: fc.boolean(), decided: fc.boolean() })),
    })
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS), circumstances, (called, them) => {
        const alone = approvalsOf(called, { ...them, supervised: false })
        const supervised = approvalsOf(called, { ...them, supervised: true })
        if (!isChange(called)) expect(supervised).toEqual([])
        else if (called.grant === 'OWN_RULE') expect(supervised).toEqual(alone)
        else expect(supervised).toEqual(expect.arrayContaining([...alone, 'SUPERVISORS']))
        expect(alone.includes('APPROVERS')).toBe(
          isChange(called) && (them.beyond || needsApproval(called, them.group)),
        )
      }),
    )
  })
})

const approvers = (...technician_ids: number[]) => ({ of: 'APPROVERS' as const, technician_ids })
const supervisors = (...technician_ids: number[]) => ({ of: 'SUPERVISORS' as const, technician_ids })

describe('the sets of technicians that are asked', () => {
  it.each([
    [
      [approvers(1), supervisors(2)],
      ['APPROVERS', 'SUPERVISORS'],
    ],
    [
      [approvers(1, 2), supervisors(2)],
      ['APPROVERS', 'SUPERVISORS'],
    ],
    [[approvers(2), supervisors(1, 2)], ['APPROVERS']],
    [[approvers(2), supervisors(2)], ['APPROVERS']],
    [[supervisors(2)], ['SUPERVISORS']],
  ])('%j are %j', (sets, asked) => {
    expect(setsToAsk(sets).map(({ of }) => of)).toEqual(asked)
  })
})

describe('the arguments that were approved', () => {
  const call = { arguments: 'a', arguments_hash: 'a' }
  const request = (asked_of: Request['asked_of'], of: string, to: string | null = null): Request => ({
    status: 'APPROVED',
    asked_of,
    arguments_hash: of,
    edited_arguments: to,
    edited_arguments_hash: to,
  })
  const after = (...requests: Request[]) => {
    const { arguments_hash, arguments: args, by } = approvedOf(call, requests)
    expect(args).toBe(arguments_hash)
    return [args, [...by].toSorted()]
  }

  it.each([
    ['those of the call before anybody decides', [], ['a', []]],
    ['approved by each set that was asked', [request('APPROVERS', 'a')], ['a', ['APPROVERS']]],
    [
      'approved by both sets',
      [request('APPROVERS', 'a'), request('SUPERVISORS', 'a')],
      ['a', ['APPROVERS', 'SUPERVISORS']],
    ],
    [
      'approved by nobody but the supervisors who edited them',
      [request('APPROVERS', 'a'), request('SUPERVISORS', 'a', 'b')],
      ['b', ['SUPERVISORS']],
    ],
    [
      'approved by both once the approvers were asked again',
      [request('APPROVERS', 'a'), request('SUPERVISORS', 'a', 'b'), request('APPROVERS', 'b')],
      ['b', ['APPROVERS', 'SUPERVISORS']],
    ],
    ['not those of another call', [request('APPROVERS', 'x')], ['a', []]],
    ['not approved by a request of old, which asked anybody', [request(null, 'a')], ['a', ['SUPERVISORS']]],
    ['not rejected ones', [{ ...request('APPROVERS', 'a'), status: 'SUPERSEDED' }], ['a', []]],
  ])('are %s', (_name, requests, expected) => {
    expect(after(...requests)).toEqual(expected)
  })
})

describe('the request that a call waited for', () => {
  it('lets it go on, refuses it, lets it wait, or has it asked for again', () => {
    const verdicts = Object.fromEntries(
      Object.keys(TilRequestStatus).map((status) => [status, verdictOf(status)]),
    )
    expect(verdicts).toEqual({
      PENDING: 'WAIT',
      APPROVED: 'CONTINUE',
      ANSWERED: 'CONTINUE',
      REJECTED: 'REFUSED',
      EXPIRED: 'REFUSED',
      CANCELLED: 'REFUSED',
      SUPERSEDED: 'ASK',
      SHADOWED: 'ASK',
    })
  })
})

describe('the settings of an agent', () => {
  it('say whether it writes, and how long technicians may take', () => {
    expect(
      [{ supervision_mode: 'SHADOW' }, { supervision_mode: 'ENFORCED' }, {}, null].map(isShadow),
    ).toEqual([true, false, false, false])
    expect([{ approval_minutes: 5 }, {}, null].map(minutesToDecide)).toEqual([5, 4320, 4320])
  })
})

describe('in words', () => {
  const asking = { agent_name: 'Chain', crossed_systems: [], entity_id: '4711', entity_number: 'T-4711' }

  it('a change names the tool, the ticket and the reason', () => {
    const reason = 'She asked for it.'
    expect(writeInWords(write, asking, { reason, asked_of: 'APPROVERS' })).toEqual({
      title: 'Add note: T-4711',
      summary: `Chain asks for this change. ${write.description} The approvers of the permission group TICKETS decide. The agent’s reason: She asked for it.`,
    })
    const none = { agent_name: 'Chain', crossed_systems: [], entity_id: null, entity_number: null }
    expect(writeInWords(write, none, { reason: null, asked_of: 'SUPERVISORS' })).toEqual({
      title: 'Add note',
      summary: `Chain asks for this change. ${write.description} The supervisors of the run decide.`,
    })
    expect(writeInWords(gated, none, { reason: null, asked_of: 'APPROVERS' }).summary).toMatch(
      /Those who approve by default decide\.$/,
    )
  })

  it('a plan is the list of its actions, with their values cut short', () => {
    const actions = [
      { type: 'ticket.read', params: {} },
      { type: 'ticket.add_note', params: { text: 'x'.repeat(200), visibility: 'INTERNAL' } },
      { type: 'gone.tool', params: { count: 3 } },
    ]
    expect(planOfActions(actions, toolNamed)).toEqual([
      { step: 1, text: 'Read ticket.', access: 'READ' },
      { step: 2, text: `Add note (text: ${'x'.repeat(80)}…, visibility: INTERNAL).`, access: 'WRITE' },
      { step: 3, text: 'gone.tool (count: 3).', access: 'READ' },
    ])
    expect(planInWords(planOfActions(actions, toolNamed), asking)).toEqual({
      title: 'Plan: T-4711',
      summary: 'Chain shows its plan before its first change: 3 steps, of which 1 changes something.',
    })
    expect(planOfWords(['Look.', 'Write.'])).toEqual([
      { step: 1, text: 'Look.', access: 'WRITE' },
      { step: 2, text: 'Write.', access: 'WRITE' },
    ])
  })

  it('a plan names the systems in which the agent crosses companies', () => {
    const { summary } = planInWords(planOfWords(['Look.']), {
      ...asking,
      crossed_systems: ['HUDU', 'HALO_PSA'],
    })
    expect(summary).toMatch(/It may reach beyond the company of its work in: HUDU, HALO_PSA\.$/)
  })

  it('a question is asked as the agent put it', () => {
    expect(questionInWords('Which Jane?', asking)).toEqual({
      title: 'Question: T-4711',
      summary: 'Chain asks: Which Jane?',
    })
  })

  it('a title is never longer than 200 characters', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 500 }), (entity_number) => {
        const { title } = questionInWords('?', { ...asking, entity_number })
        expect(title.length).toBeLessThanOrEqual(200)
      }),
    )
  })
})
