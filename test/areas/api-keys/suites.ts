import fc from 'fast-check'
import { STATUSES, statusOf } from '../../../src/areas/api-keys/rules.ts'
import type { ApiKey } from '../../../src/db/generated/client/client.ts'
import { clock } from '../../setup/app.ts'
import { tellOfExpiryOf } from '../../setup/due.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, instant, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { text, textOrNone } from '../../setup/suites/sent-back.ts'
import { days } from '../../setup/world.ts'

const NIGHTLY = { name: 'Nightly sync', scopes: ['settings:read'] }

const api_keys: ListSampler<ApiKey> = {
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
  steady: 'people make its rows, one by one',
}

export const SUITES: AreaSuites = {
  who_may: {
    api_keys: 'dashboard admins',
    api_key: 'dashboard admins',
    api_key_scopes: 'dashboard admins',
    api_key_usage: 'dashboard admins',
    create_api_key: 'dashboard admins',
    update_api_key: 'dashboard admins',
    rotate_api_key: 'dashboard admins',
    revoke_api_key: 'dashboard admins',
  },
  examples: {
    reads: {
      api_keys: { status: ['ACTIVE'], page_size },
      api_key: { key_id: 'key_reporting' },
      api_key_scopes: {},
      api_key_usage: { key_id: 'key_reporting' },
    },
    writes: {
      create_api_key: {
        input: {
          name: 'Backup reports',
          description: 'Opens a ticket for each backup that failed.',
          scopes: ['agents:run', 'executions:read'],
          expires_in_days: 90,
          allowed_cidrs: ['203.0.113.0/24'],
        },
      },
      update_api_key: { key_id: 'key_reporting', input: { description: 'Figures for the monthly reports.' } },
      rotate_api_key: { key_id: 'key_spare' },
      revoke_api_key: { key_id: 'key_partner', input: { reason: 'The contract has ended.' } },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const { prisma } = msp.database
    const { tenant_id, environment } = msp
    const { user_id } = await of('tenant')
    const key_id = `key_${id}`
    const now = clock.now()
    await prisma.apiKey.create({
      data: {
        ...ownedBy(msp),
        id: key_id,
        name: mark,
        key_hash: Buffer.from(mark),
        prefix: 'svc',
        last_four: '0000',
        created_by_user_id: String(user_id),
        created_by_name: mark,
        expires_at: new Date(now.getTime() + days(9)),
      },
    })
    const day = new Date(`${now.toISOString().slice(0, 10)}T00:00:00Z`)
    await prisma.apiKeyUsage.create({
      data: { tenant_id, environment, key_id, day, operation: mark, requests: 1, errors: 0 },
    })
    return { key_id }
  },
  events: {
    'api_key.created': ({ call }) => call('create_api_key', { input: NIGHTLY }),
    async 'api_key.rotated'({ call }) {
      const { id } = await call('create_api_key', { input: NIGHTLY })
      await call('rotate_api_key', { key_id: id })
    },
    async 'api_key.revoked'({ call }) {
      const { id } = await call('create_api_key', { input: NIGHTLY })
      await call('revoke_api_key', { key_id: id })
    },
    async 'api_key.expiring'({ msp, call }) {
      await call('create_api_key', { input: { ...NIGHTLY, expires_in_days: 14 } })
      await tellOfExpiryOf(msp)
    },
  },
  shown_by: { api_key_scopes: 'nothing' },
  not_walked: ['RotatedApiKey.rotated_from'],
  lists: { api_keys },
  channel_writes: {
    create_api_key: 'is refused',
    update_api_key: 'is refused',
    rotate_api_key: 'is refused',
    revoke_api_key: 'is refused',
  },
  fetched_again: {
    create_api_key: ['api_keys'],
    rotate_api_key: ['api_keys'],
  },
  sent_back: {
    update_api_key: {
      read_only: ['acting_user_id', 'allow_acting_user_header'],
      written_first: true,
      bodies: () =>
        fc.record({
          name: text,
          description: textOrNone,
          scopes: fc.subarray(['settings:write', 'settings:read', 'agents:run'], { minLength: 1 }),
          allowed_cidrs: fc.subarray(['127.0.0.0/8', '::1/128', '10.0.0.1/32']),
        }),
    },
  },
  error_codes: {
    404: 'api_key_not_found',
    409: `api_key_not_active api_key_already_rotated api_key_limit_reached api_key_name_taken
      secret_already_issued`,
  },
}
