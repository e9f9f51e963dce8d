import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ROLES } from '../../src/access/policies/roles.ts'
import { GROUP_NAMES, GROUPS } from '../../src/areas/tenant/permission-group-catalogue.ts'
import {
  approvalProblems,
  approverProblems,
  groupsWith,
  leavesNoOwner,
} from '../../src/areas/tenant/rules.ts'

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
  const created_at = new Date('2026-01-01T00:00:00Z')

  it('are those of the catalogue, by name', () => {
    const names = groupsWith([], created_at).map(({ name }) => name)
    expect(names).toEqual(['DEVICES', 'DOCUMENTATION', 'IDENTITY', 'TECHNICIANS', 'TICKETS', 'TIME_ENTRIES'])
  })

  it('are the catalogue’s if the tenant decided nothing', () => {
    for (const group of groupsWith([], created_at)) {
      expect(group).toEqual({
        name: group.name,
        ...GROUPS[group.name],
        approver_technician_ids: [],
        revision: 1,
        updated_at: created_at,
      })
    }
  })

  it('are the tenant’s if it decided', () => {
    const updated_at = new Date('2026-05-05T00:00:00Z')
    const decided = { requires_approval: true, approver_technician_ids: [3] }
    const setting = { name: 'TICKETS', ...decided, revision: 2, updated_at }
    const groups = groupsWith([setting, { ...setting, name: 'GONE' }], created_at)
    expect(groups).toHaveLength(GROUP_NAMES.length)
    expect(groups.find(({ name }) => name === 'TICKETS')).toMatchObject(setting)
    expect(groups.filter((group) => group.updated_at === updated_at)).toHaveLength(1)
  })

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
