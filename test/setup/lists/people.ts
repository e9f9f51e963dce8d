import { STATUSES, statusOf } from '../../../src/areas/api-keys/rules.ts'
import type { ApiKey, TenantUser } from '../../../src/db/generated/client/client.ts'
import { clock } from '../app.ts'
import { days } from '../world.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from './sampler.ts'

export const tenant_users: ListSampler<TenantUser> = {
  async add({ database: { prisma }, tenant_id, environment }, numbers) {
    await prisma.tenantUser.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        id: `usr_${n}`,
        subject: `sub_${tenant_id}_${n}`,
        name: `${at(['Ada', 'ÉMILE', 'b_c'], n)} ${n % 5}`,
        email: `${n}@${at(['acme', 'contoso'], n)}.test`,
        role: at(['USER', 'VIEWER', 'ADMIN'] as const, n),
        created_at: instant(n),
        updated_at: instant(n),
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.tenantUser.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.tenantUser.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    role: isEqual('role', ['ADMIN', 'VIEWER']),
    search: isIn(({ name, email }) => [name, email], ['émile', 'CONTOSO', '_', '%']),
  },
}

export const api_keys: ListSampler<ApiKey> = {
  async add({ database: { prisma }, tenant_id, environment, owner }, numbers) {
    const soon = (count: number) => new Date(clock.now().getTime() + days(count))
    await prisma.apiKey.createMany({
      data: numbers.map((n) => ({
        tenant_id,
        environment,
        id: `key_${n}`,
        key_hash: Buffer.from(`${tenant_id}_${n}`),
        name: `${at(['Nightly', 'ÉTÉ 100%', 'a_b'], n)} ${n}`,
        description: at([null, 'Backups'], n),
        prefix: `svc_sk_test_${n % 4}`,
        last_four: '0000',
        created_by_user_id: owner.id,
        created_by_name: 'Owner',
        created_at: instant(n),
        updated_at: instant(n),
        expires_at: at([soon(9), soon(-1), soon(9), soon(9)], n),
        sunset_at: at([null, null, soon(1)], n),
        revoked_at: n % 5 === 4 ? soon(-1) : null,
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.apiKey.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.apiKey.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: {
    status: {
      values: [...STATUSES, ['ACTIVE', 'REVOKED']],
      meets: (row, value: string | string[]) => [value].flat().includes(statusOf(row, clock.now())),
    },
    search: isIn(
      (row) => [row.name, row.description, row.prefix],
      ['NIGHT', 'été', 'backups', 'svc_sk_test_3', '%'],
    ),
  },
}
