import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  askBefore,
  isChange,
  isShadow,
  minutesToDecide,
  needsApproval,
  verdictOf,
} from '../../src/areas/til-requests/rules/gating.ts'
import {
  planInWords,
  planOfActions,
  planOfWords,
  questionInWords,
  writeInWords,
} from '../../src/areas/til-requests/rules/wording.ts'
import { TilRequestStatus } from '../../src/db/generated/client/client.ts'
import { TOOLS, toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'

const tool = (name: string) => toolNamed(name) as Tool

const read = tool('ticket.read')
const write = tool('ticket.add_note')
const gated = tool('message.send')
const finish = tool('run.finish')

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
  ])('%s', (_name, called, group, needed) => {
    expect(needsApproval(called, group)).toBe(needed)
  })
})

describe('before a call technicians are asked', () => {
  const none = { supervised: false, shadow: false, group: null, has_plan: false }

  it.each([
    ['nothing, where nobody supervises', write, {}, null],
    ['to approve the plan first, where it is supervised', write, { supervised: true }, 'PLAN'],
    ['to approve the call, once the plan was shown', write, { supervised: true, has_plan: true }, 'WRITE'],
    ['nothing, where it reads', read, { supervised: true }, null],
    ['nothing, where it is of the run itself', finish, { supervised: true, shadow: true }, null],
    ['to approve the call, where the tool needs it', gated, {}, 'WRITE'],
    ['the same in shadow mode', write, { shadow: true }, 'WRITE'],
    ['for the plan in shadow mode too', write, { shadow: true, supervised: true }, 'PLAN'],
  ] as const)('%s', (_name, called, circumstances, asked) => {
    expect(askBefore(called, { ...none, ...circumstances })).toBe(asked)
  })

  it('for no change of a supervised or shadowed run nothing, and never for what reads', () => {
    const circumstances = fc.record({
      supervised: fc.boolean(),
      shadow: fc.boolean(),
      has_plan: fc.boolean(),
      group: fc.option(fc.record({ requires_approval: fc.boolean(), decided: fc.boolean() })),
    })
    fc.assert(
      fc.property(fc.constantFrom(...TOOLS), circumstances, (called, them) => {
        const asked = askBefore(called, them)
        if (!isChange(called)) expect(asked).toBeNull()
        else if (them.supervised || them.shadow) expect(asked).not.toBeNull()
        if (asked === 'PLAN') expect(them.has_plan).toBe(false)
      }),
    )
  })
})

describe('the request that a call waited for', () => {
  it('lets it go on, refuses it, lets it wait, or has it asked for again', () => {
    const verdicts = Object.fromEntries(
      Object.keys(TilRequestStatus).map((status) => [status, verdictOf(status)]),
    )
    expect(verdicts).toEqual({
      ...{ PENDING: 'WAIT', APPROVED: 'GO_ON', ANSWERED: 'GO_ON', REJECTED: 'REFUSED', EXPIRED: 'REFUSED' },
      ...{ CANCELLED: 'REFUSED', SUPERSEDED: 'ASK', SHADOWED: 'ASK' },
    })
  })
})

describe('the settings of an agent', () => {
  it('say whether it writes, and how long technicians may take', () => {
    expect(
      [{ supervision_mode: 'SHADOW' }, { supervision_mode: 'ENFORCED' }, {}, null].map(isShadow),
    ).toEqual([...[true, false, false, false]])
    expect([{ approval_minutes: 5 }, {}, null].map(minutesToDecide)).toEqual([5, 4320, 4320])
  })
})

describe('in words', () => {
  const asking = { agent_name: 'Chain', entity_id: '4711', entity_number: 'T-4711' }

  it('a change names the tool, the ticket and the reason', () => {
    expect(writeInWords(write, asking, 'She asked for it.')).toEqual({
      title: 'Add note: T-4711',
      summary: `Chain asks for this change. ${write.description} The agent’s reason: She asked for it.`,
    })
    const none = { agent_name: 'Chain', entity_id: null, entity_number: null }
    expect(writeInWords(write, none, null)).toEqual({
      title: 'Add note',
      summary: `Chain asks for this change. ${write.description}`,
    })
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
