import fc from 'fast-check'
import type { TenantUser } from '../../../src/db/generated/client/client.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { ownedBy } from '../../setup/suites/owned.ts'
import { at, instant, isEqual, isIn, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some } from '../../setup/suites/sent-back.ts'

const tenant_users: ListSampler<TenantUser> = {
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
  steady: 'people make its rows, one by one',
}

export const SUITES: AreaSuites = {
  who_may: {
    tenant: 'any caller',
    me: 'any caller',
    permission_groups: 'any caller',
    permission_group: 'any caller',
    tenant_users: { scope: 'tenant:read', admins: true },
    tenant_user: { scope: 'tenant:read', admins: true },
    set_user_role: 'dashboard admins',
    link_user_technician: 'dashboard admins',
    update_permission_group: { scope: 'tenant:write', admins: true },
  },
  examples: {
    reads: {
      permission_groups: {},
      permission_group: { name: 'DEVICES' },
      tenant: {},
      me: {},
      tenant_users: { role: 'ADMIN', page_size },
      tenant_user: { user_id: from('tenant_users', 'id') },
    },
    writes: {
      update_permission_group: {
        name: 'DEVICES',
        input: { requires_approval: true, approver_technician_ids: [1, 3] },
      },
      set_user_role: { user_id: 'usr_accounts', input: { role: 'USER' } },
      link_user_technician: { user_id: 'usr_accounts', input: { technician_id: 5 } },
    },
  },
  async own_rows(msp, { id, mark, number, of }) {
    const { prisma } = msp.database
    const { created_at: _, ...updated } = ownedBy(msp)
    const { tenant_id, environment } = msp
    const { profile_id } = await of('technicians')
    const user_id = `usr_${id}`
    const approvers = { requires_approval: true, approver_technician_ids: [number] }
    await prisma.permissionGroupSetting.upsert({
      where: { tenant_id_environment_name: { tenant_id, environment, name: 'TICKETS' } },
      create: { ...updated, name: 'TICKETS', ...approvers },
      update: approvers,
    })
    await prisma.tenantUser.create({
      data: {
        ...ownedBy(msp),
        id: user_id,
        subject: `sub_${mark}`,
        name: mark,
        email: `${mark}@example.test`,
        role: 'VIEWER',
        technician_profile_id: Number(profile_id),
      },
    })
    return { user_id }
  },
  shown_by: { permission_groups: 'number', permission_group: 'number', tenant: 'nothing', me: 'nothing' },
  lists: { tenant_users },
  channel_writes: {
    set_user_role: {
      waits: 'for an approval',
      call: ({ msp }) => ({ user_id: msp.viewer.id, input: { role: 'OWNER' } }),
      by_key: 'dashboard_jwt_required',
    },
    link_user_technician: {
      waits: 'for an approval',
      call: ({ msp, profile_id }) => ({ user_id: msp.viewer.id, input: { technician_id: profile_id } }),
      by_key: 'dashboard_jwt_required',
    },
    update_permission_group: {
      waits: 'for an approval',
      call: () => ({ name: 'TECHNICIANS', input: { requires_approval: false } }),
    },
  },
  varying: ['me'],
  sent_back: {
    update_permission_group: {
      args: () => ({ name: 'TICKETS' }),
      bodies: (_msp, { ids }) =>
        some({
          requires_approval: fc.boolean(),
          approver_technician_ids: fc.subarray([Number(ids.profile_id)]),
        }),
    },
  },
  error_codes: {
    404: 'user_not_found permission_group_not_found',
    409: 'technician_already_linked last_owner',
  },
  single_rows: {
    'tenant.is_suspended': 'bench/ measures what reads it',
    'tenant.own': 'a tenant has no environment, to which Prisma is narrowed',
    'tenant.psa_type': 'a tenant has no environment, to which Prisma is narrowed',
  },
}
