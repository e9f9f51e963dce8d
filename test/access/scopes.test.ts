import { describe, expect, it } from 'vitest'
import { ROLE_SCOPES, SCOPES } from '../../src/access/policies/scopes.ts'

describe('the scopes of a role', () => {
  it('VIEWER reads, and has an inbox', () => {
    const reads = SCOPES.filter((scope) => scope.endsWith(':read'))
    expect([...ROLE_SCOPES.VIEWER]).toEqual([...reads, 'inbox:write'])
  })

  it('USER reads, runs and edits agents, and does what follows from running them', () => {
    const more = [...ROLE_SCOPES.USER].filter((scope) => !ROLE_SCOPES.VIEWER.has(scope))
    expect(more.sort()).toEqual([
      'agents:run',
      'agents:write',
      'dispatch:write',
      'executions:write',
      'feedback:write',
      'memories:write',
      'scheduled_work:write',
      'til_requests:decide',
    ])
    expect([...ROLE_SCOPES.VIEWER].every((scope) => ROLE_SCOPES.USER.has(scope))).toBe(true)
  })

  it('ADMIN and OWNER have all there are', () => {
    for (const role of ['ADMIN', 'OWNER'] as const) expect([...ROLE_SCOPES[role]]).toEqual(SCOPES)
  })
})
