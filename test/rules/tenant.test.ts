import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROLES } from '../../src/access/policies/roles.ts'
import { GROUPS } from '../../src/areas/tenant/permission-group-catalogue.ts'
import { approvalProblems, approverProblems, leavesNoOwner } from '../../src/areas/tenant/rules.ts'

describe('a change of role', () => {
  const owner = { id: 'a', role: 'OWNER' } as const
  it.each([
    [[owner], 'a', 'ADMIN', true],
    [[owner], 'a', 'OWNER', false],
    [[owner, { id: 'b', role: 'OWNER' }], 'a', 'VIEWER', false],
    [[owner, { id: 'b', role: 'ADMIN' }], 'a', 'USER', true],
    [[owner, { id: 'b', role: 'ADMIN' }], 'b', 'USER', false],
  ] as const)('among %j, of %s to %s, leaves no OWNER: %s', (users, user_id, role, nobody) => {
    expect(leavesNoOwner(users, user_id, role)).toBe(nobody)
  })

  it('is refused if and only if nobody would be OWNER', () => {
    const roles = fc.array(fc.constantFrom(...ROLES), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(roles, fc.nat(), fc.constantFrom(...ROLES), (held, pick, role) => {
        const users = held.map((each, index) => ({ id: String(index), role: each }))
        const user_id = String(pick % users.length)
        const after = users.map((user) => (user.id === user_id ? role : user.role))
        fc.pre(held.includes('OWNER'))
        expect(leavesNoOwner(users, user_id, role)).toBe(!after.includes('OWNER'))
      }),
    )
  })
})

describe('permission groups', () => {
  it('ask first in the catalogue wherever they must', () => {
    for (const group of Object.values(GROUPS)) {
      expect(group.requires_approval || group.can_disable_approval).toBe(true)
    }
  })

  it('stop asking only if they may', () => {
    expect(approvalProblems({ can_disable_approval: false }, false)).toMatchObject([
      { field: 'requires_approval', location: 'body', code: 'always_required' },
    ])
    expect(approvalProblems({ can_disable_approval: false }, true)).toEqual([])
    expect(approvalProblems({ can_disable_approval: false }, undefined)).toEqual([])
    expect(approvalProblems({ can_disable_approval: true }, false)).toEqual([])
  })

  it('name every approver who is no technician', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9)), fc.uniqueArray(fc.nat(9)), (ids, known) => {
        const wrong = ids.flatMap((id, index) =>
          known.includes(id) ? [] : [`approver_technician_ids.${index}`],
        )
        expect(approverProblems(ids, new Set(known)).map(({ field }) => field)).toEqual(wrong)
      }),
    )
  })
})
