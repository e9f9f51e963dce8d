import { describe, expect, it } from 'vitest'
import { admins, anyCaller, anyone, dashboardAdmins, scope } from '../../src/access/policies/policies.ts'
import type { Role } from '../../src/access/policies/roles.ts'
import { ROLE_SCOPES, type Scope } from '../../src/access/policies/scopes.ts'
import type { Viewer } from '../../src/access/viewer.ts'
import { discoverOperation, healthOf, worstHealth } from '../../src/areas/meta/rules.ts'
import { keyViewer, userViewer } from '../access/people.ts'

describe('health', () => {
  it.each([
    [true, 0, 'OK'],
    [true, 250, 'OK'],
    [true, 250.01, 'DEGRADED'],
    [true, 1000, 'DEGRADED'],
    [false, 3, 'DOWN'],
  ] as const)('answered: %s, after %s ms: %s', (answered, latency_ms, health) => {
    expect(healthOf(answered, latency_ms)).toBe(health)
  })

  it.each([
    [[], 'OK'],
    [['OK'], 'OK'],
    [['OK', 'DEGRADED'], 'DEGRADED'],
    [['DOWN', 'DEGRADED', 'OK'], 'DOWN'],
  ] as const)('of the whole, if the parts are %j, is %s', (parts, health) => {
    expect(worstHealth(parts.map((status) => ({ status, latency_ms: 1 })))).toBe(health)
  })
})

describe('an operation', () => {
  const user = (role: Role): Viewer =>
    userViewer({ id: 'i', name: 'n', role, scopes: ROLE_SCOPES[role], own_scopes: ROLE_SCOPES[role] })
  const key = (...scopes: Scope[]): Viewer =>
    keyViewer({ id: 'i', name: 'n', scopes: new Set(scopes), own_scopes: new Set(scopes) })
  const withoutCreator: Viewer = { ...key('settings:write'), scopes: new Set() } as Viewer
  const write = scope('settings:write')

  it.each([
    ['for anyone', anyone, key(), true, [], null],
    ['for any caller', anyCaller, key(), true, [], null],
    ['with the key’s scope', write, key('settings:write'), true, [], null],
    ['without it', write, key('settings:read'), false, ['settings:write'], 'insufficient_scope'],
    ['with a scope that no role allows it', write, withoutCreator, false, [], 'forbidden'],
    ['of an ADMIN', write, user('ADMIN'), true, [], null],
    ['beyond a VIEWER', write, user('VIEWER'), false, ['settings:write'], 'forbidden'],
    ['for ADMINs, by a USER', admins('tenant:read'), user('USER'), false, [], 'forbidden'],
    ['for the dashboard, by a key', dashboardAdmins, key(), false, [], 'dashboard_jwt_required'],
    ['for the dashboard, by an OWNER', dashboardAdmins, user('OWNER'), true, [], null],
  ] as const)('%s', (_what, access, viewer, allowed, missing_scopes, reason) => {
    const operation = { id: 'get_x', name: 'x', rest: { method: 'GET', path: '/things/{id}' }, access }
    expect(discoverOperation(operation, viewer)).toEqual({
      name: 'get_x',
      graphql_field: 'x',
      method: 'GET',
      path: '/public-api/things/{id}',
      allowed,
      missing_scopes,
      reason,
      approval_group: null,
    })
  })
})
