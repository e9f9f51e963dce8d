import { describe, expect, it } from 'vitest'
import { assignmentOf, endingBy, isOpen, refusedBy } from '../../src/areas/dispatch/assigning/endings.ts'

const AT = new Date('2026-11-20T09:30:00Z')

describe('the ending by a ticket', () => {
  it.each([
    ['is gone', null, 'FAILED'],
    ['is closed', { assignee_psa_id: null, closed_at: AT }, 'EXPIRED'],
    ['is assigned', { assignee_psa_id: 1, closed_at: null }, 'EXPIRED'],
    ['is closed and assigned', { assignee_psa_id: 1, closed_at: AT }, 'EXPIRED'],
    ['is open and of nobody', { assignee_psa_id: null, closed_at: null }, undefined],
  ])('that %s', (_name, ticket, status) => {
    expect(endingBy(ticket)?.status).toBe(status)
  })
})

describe('the ending by a refusal', () => {
  it.each([
    ['TECHNICIAN_NOT_FOUND', 'The PSA refused the technician: it does not know the technician.'],
    ['CONTACT_NOT_FOUND', 'The PSA refused the technician: contact not found.'],
  ] as const)('%s is said in words', (reason, words) => {
    expect(refusedBy(reason)).toEqual({ status: 'FAILED', reason: words })
  })
})

it.each([
  ['SUGGESTED', true],
  ['NONE_FITS', true],
  ['APPLIED', false],
  ['OVERRIDDEN', false],
  ['EXPIRED', false],
  ['FAILED', false],
] as const)('a decision that is %s is open: %s', (status, open) => {
  expect(isOpen({ status })).toBe(open)
})

it('each technician of a decision has one key', () => {
  const override = { by_name: 'Ada', comment: 'Knows it.' }
  expect(assignmentOf('dsp_1', { technician_id: 2, psa_id: 12 })).toEqual({
    technician_id: 2,
    psa_id: 12,
    key: 'dsp_1/assign/2',
  })
  expect(assignmentOf('dsp_1', { technician_id: 2, psa_id: 12 }, override).key).toBe('dsp_1/assign/2')
})
