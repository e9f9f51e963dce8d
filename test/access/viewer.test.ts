import { describe, expect, it } from 'vitest'
import { personOf, type Viewer } from '../../src/access/viewer.ts'

describe('the person who acts', () => {
  const caller = { tenant_id: 't', environment: 'e', id: 'i', scopes: new Set<never>(), expires_at: null }
  const own = { own_scopes: new Set<never>(), creator_role: 'OWNER', sunset_at: null } as const
  const acting_user = { id: 'u', name: 'Grace', role: 'ADMIN' } as const

  it.each<[Viewer, string]>([
    [{ ...caller, type: 'USER', name: 'Ada', role: 'ADMIN' }, 'Ada'],
    [{ ...caller, ...own, type: 'API_KEY', name: 'Key', acting_user: null }, 'Key'],
    [{ ...caller, ...own, type: 'API_KEY', name: 'Key', acting_user }, 'Grace'],
  ])('of %j is %s', (viewer, expected) => {
    expect(personOf(viewer)).toBe(expected)
  })
})
