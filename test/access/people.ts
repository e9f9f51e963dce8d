/** Rows of a tenant that only this test knows. */
import type { AddressGuard } from '../../src/access/credential.ts'
import type { Role } from '../../src/access/roles.ts'
import type { Database } from '../../src/db/database.ts'
import { newId } from '../../src/lib/ids.ts'

export const ENVIRONMENT = 'dev'

/** A new user of the tenant, which is made with the first; `subject` is their id with `sub-` before it. */
export async function addUser(
  { prisma }: Database,
  { tenant_id, role, environment = ENVIRONMENT }: { tenant_id: string; role: Role; environment?: string },
): Promise<{ id: string; name: string; role: Role }> {
  const id = newId('usr')
  const at = new Date()
  const tenant = {
    id: tenant_id,
    name: tenant_id,
    data_residency: 'EU',
    referral_code: 'TESTCODE',
    created_at: at,
  }
  await prisma.tenant.createMany({ data: tenant, skipDuplicates: true })
  await prisma.tenantUser.create({
    data: {
      tenant_id,
      environment,
      id,
      subject: `sub-${id}`,
      name: `User ${id.slice(-4)}`,
      email: `${id}@example.com`,
      role,
      created_at: at,
      updated_at: at,
    },
  })
  return { id, name: `User ${id.slice(-4)}`, role }
}

interface KeyChanges {
  tenant_id: string
  created_by_user_id: string
  key_hash: Uint8Array
  scopes?: string[]
  acting_user_id?: string | null
  allow_acting_user_header?: boolean
  allowed_cidrs?: string[]
  expires_at?: Date
  sunset_at?: Date | null
  revoked_at?: Date | null
  environment?: string
}

/** A new key's row. */
export async function addKey({ prisma }: Database, changes: KeyChanges): Promise<string> {
  const id = newId('key')
  const at = new Date('2026-01-01T00:00:00Z')
  await prisma.apiKey.create({
    data: {
      environment: ENVIRONMENT,
      id,
      name: `Key ${id}`,
      prefix: 'svc_sk_dev_abcdef',
      last_four: 'wxyz',
      scopes: ['agents:read'],
      created_by_name: 'Somebody',
      created_at: at,
      updated_at: at,
      expires_at: new Date('2027-01-01T00:00:00Z'),
      ...changes,
      key_hash: Uint8Array.from(changes.key_hash),
    },
  })
  return id
}

/** Lets every credential be looked up. */
export const unguarded: AddressGuard = { key: async () => {}, user: async () => () => {} }
