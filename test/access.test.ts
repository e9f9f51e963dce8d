import { describe, expect, it } from 'vitest'
import { ROLE_SCOPES } from '../src/access/scopes.ts'
import { isAtLeast, type Role } from '../src/access/viewer.ts'
import type { Operation } from '../src/graphql/operation.ts'
import { apis, published } from './setup/api.ts'
import { requiredArguments } from './setup/samples.ts'
import { type Caller, world } from './setup/world.ts'

const { operations } = await published()
const msp = await world()

type Kind =
  | { type: 'nobody' | 'wrong key' | 'key without scopes' | 'key of everything' }
  | { type: 'user' | 'key in the name of'; role: Role }

const callers: [Kind, Caller | null][] = [
  [{ type: 'nobody' }, null],
  [{ type: 'wrong key' }, { id: '', token: 'svc_sk_test_wrong' }],
  [{ type: 'key without scopes' }, await msp.newKey({ scopes: [] })],
  [{ type: 'key of everything' }, msp.key],
  [{ type: 'user', role: 'OWNER' }, msp.owner],
  [{ type: 'user', role: 'ADMIN' }, msp.admin],
  [{ type: 'user', role: 'USER' }, msp.user],
  [{ type: 'user', role: 'VIEWER' }, msp.viewer],
  [{ type: 'key in the name of', role: 'ADMIN' }, await msp.newKey({ acting_user_id: msp.admin.id })],
  [{ type: 'key in the name of', role: 'VIEWER' }, await msp.newKey({ acting_user_id: msp.viewer.id })],
]

/** What the contract's rules say of the caller, written apart from the code that enforces them. */
function expected({ access }: Operation, kind: Kind): string {
  if (kind.type === 'wrong key') return 'invalid_credentials'
  if (access.kind === 'anyone') return 'allowed'
  if (kind.type === 'nobody') return 'unauthenticated'
  if (access.kind === 'caller') return 'allowed'
  const isKey = kind.type.startsWith('key')
  if (access.kind === 'dashboard') {
    if (isKey) return 'dashboard_jwt_required'
    return 'role' in kind && isAtLeast(kind.role, access.role) ? 'allowed' : 'forbidden'
  }
  if (kind.type === 'key without scopes') return 'insufficient_scope'
  if (!('role' in kind)) return 'allowed'
  if (!ROLE_SCOPES[kind.role].has(access.scope)) return 'forbidden'
  return access.kind === 'role' && !isAtLeast(kind.role, access.role) ? 'forbidden' : 'allowed'
}

const name = (kind: Kind): string => ('role' in kind ? `${kind.type} ${kind.role}` : kind.type)

describe.each(apis)('access through $name', (api) => {
  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      const args = requiredArguments(operation)
      const answers: Record<string, string> = {}
      for (const [kind, caller] of callers) {
        const { status, error } = await api.call(caller, operation.name, args)
        expect(status, `${operation.name} by ${name(kind)}`).toBeLessThan(500)
        answers[name(kind)] = status === 401 || status === 403 ? (error?.code ?? '') : 'allowed'
      }
      expect(answers).toEqual(
        Object.fromEntries(callers.map(([kind]) => [name(kind), expected(operation, kind)])),
      )
    },
  )
})
