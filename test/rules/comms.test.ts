import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bounceKey, type Draft, draftProblems, isRetryable } from '../../src/areas/comms/rules.ts'
import { featuresOf } from '../../src/areas/tenant/rules.ts'

const MEDIA = ['TICKET_NOTE', 'EMAIL', 'CHAT'] as const
const EMPTY: Draft = { medium: 'EMAIL', ticket_id: null, channel_id: null, recipient: null, subject: null }
const FIELDS = ['ticket_id', 'channel_id', 'recipient', 'subject'] as const
const WHOLE = { ticket_id: '1', channel_id: 'chn_1', recipient: {}, subject: 'Hello' }

/** The fields of each medium: those that it needs, and those that it may have. */
const TABLE = {
  TICKET_NOTE: [['ticket_id'], []],
  EMAIL: [['recipient', 'subject'], ['ticket_id']],
  CHAT: [['channel_id', 'recipient'], []],
} as const

describe('the fields of a message', () => {
  const problems = (draft: Draft) => draftProblems(draft).map(({ field, code }) => `${field} ${code}`)

  it.each(MEDIA)('%s needs its own, and takes no others', (medium) => {
    const [needs, may_have] = TABLE[medium] as readonly (readonly string[])[]
    expect(problems({ ...EMPTY, medium })).toEqual(needs?.map((field) => `${field} required`))
    const refused = FIELDS.filter((field) => !needs?.includes(field) && !may_have?.includes(field))
    expect(problems({ ...WHOLE, medium })).toEqual(refused.map((field) => `${field} medium`))
  })

  const draft = fc.record({
    medium: fc.constantFrom(...MEDIA),
    ticket_id: fc.constantFrom(null, '1'),
    channel_id: fc.constantFrom(null, 'chn_1'),
    recipient: fc.constantFrom(null, {}),
    subject: fc.constantFrom(null, 'Hello'),
  })

  it('have at most one problem each, in one order, and the table says which', () => {
    fc.assert(
      fc.property(draft, (given) => {
        const [needs = [], may_have = []] = TABLE[given.medium] as readonly (readonly string[])[]
        const expected = FIELDS.filter((field) =>
          given[field] === null ? needs.includes(field) : ![...needs, ...may_have].includes(field),
        )
        expect(draftProblems(given).map(({ field }) => field)).toEqual(expected)
      }),
    )
  })

  it('are those of one medium alone if none is a problem and no ticket is named', () => {
    fc.assert(
      fc.property(draft, (given) => {
        const taking = MEDIA.filter((medium) => draftProblems({ ...given, medium }).length === 0)
        expect(taking.length).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('a retry', () => {
  const MAIL = {
    direction: 'OUTBOUND',
    medium: 'EMAIL',
    status: 'FAILED',
    error: 'server_unreachable',
    execution_id: null,
    conversation_id: null,
    source_id: null,
  }
  const CHAT = { ...MAIL, medium: 'CHAT', conversation_id: 'con_1', source_id: 'msg_1' }
  const UNKNOWN = { ...MAIL, error: 'outcome_unknown' }

  it.each([
    ['a mail that failed', MAIL, false, true],
    ['a note that failed', { ...MAIL, medium: 'TICKET_NOTE' }, false, true],
    ['a chat that failed', CHAT, false, true],
    ['a mail that may have arrived', UNKNOWN, false, false],
    ['the same, confirmed', UNKNOWN, true, true],
    ['a mail that waits', { ...MAIL, status: 'QUEUED' }, true, false],
    ['a mail that is suppressed', { ...MAIL, status: 'SUPPRESSED' }, true, false],
    ['a mail that was sent', { ...MAIL, status: 'SENT' }, true, false],
    ['a message from a customer', { ...MAIL, direction: 'INBOUND' }, true, false],
    ['a mail of an agent', { ...MAIL, source_id: 'call_1' }, true, false],
    ['a mail of a run', { ...MAIL, execution_id: 'exe_1' }, true, false],
    ['a chat of a run', { ...CHAT, execution_id: 'exe_1' }, true, false],
    ['a chat of a tool call', { ...CHAT, conversation_id: null }, true, false],
  ])('of %s', (_name, message, confirm_duplicate, expected) => {
    expect(isRetryable(message, { confirm_duplicate })).toBe(expected)
  })

  it('that needs no confirmation is possible with one', () => {
    const message = fc.record({
      direction: fc.constantFrom('OUTBOUND', 'INBOUND'),
      medium: fc.constantFrom(...MEDIA),
      status: fc.constantFrom('QUEUED', 'SENT', 'FAILED', 'SUPPRESSED'),
      error: fc.constantFrom(null, 'outcome_unknown', 'address_refused'),
      execution_id: fc.constantFrom(null, 'exe_1'),
      conversation_id: fc.constantFrom(null, 'con_1'),
      source_id: fc.constantFrom(null, 'msg_1'),
    })
    fc.assert(
      fc.property(message, (given) => {
        if (isRetryable(given, { confirm_duplicate: false }))
          expect(isRetryable(given, { confirm_duplicate: true })).toBe(true)
        if (isRetryable(given, { confirm_duplicate: true })) expect(given.status).toBe('FAILED')
      }),
    )
  })
})

it('an address bounces in any letter case, and with white space around it', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (address) => {
      expect(bounceKey(` ${address.toUpperCase()}\n`)).toBe(bounceKey(address))
      expect(bounceKey(bounceKey(address))).toBe(bounceKey(address))
    }),
  )
})

it.each([
  [[], true, ['email']],
  [['email'], false, []],
  [['A', 'email', 'B'], true, ['A', 'B', 'email']],
])('the features %j of a tenant, with a mail server: %s', (switched_on, sends_mails, expected) => {
  expect(featuresOf(switched_on, { sends_mails })).toEqual(expected)
})
