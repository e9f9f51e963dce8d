import { describe, expect, it } from 'vitest'
import { inOrder, preferenceProblems } from '../../src/areas/inbox/rules/preferences.ts'

describe('the preferences of an inbox', () => {
  it('have each kind once, whatever the order in which they were given', () => {
    expect(inOrder(['FEEDBACK', 'DISPATCH', 'FEEDBACK'])).toEqual(['DISPATCH', 'FEEDBACK'])
    expect(inOrder([])).toEqual([])
  })

  it('are refused by the place of each quiet kind that is mailed', () => {
    expect(preferenceProblems(['DISPATCH'], ['FEEDBACK'])).toEqual([])
    const problems = preferenceProblems(['DISPATCH', 'FEEDBACK'], ['FEEDBACK', 'ESCALATION', 'DISPATCH'])
    expect(problems).toMatchObject([
      { field: 'quiet_kinds.0', location: 'body', code: 'exclusive' },
      { field: 'quiet_kinds.2', location: 'body', code: 'exclusive' },
    ])
  })
})
