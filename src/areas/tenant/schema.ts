import './users.ts'
import './permission-groups.ts'
import { ofTenant } from '../../access/credential.ts'
import { anyCaller } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { scoped, sql } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { REGISTRY } from '../integrations/index.ts'
import { area } from './area.ts'
import { Me } from './me.ts'

interface TenantRow {
  id: string
  name: string
  environment: string
  environments: string[]
  psa_type: string | null
  psa_connected: boolean
  data_residency: string
  timezone: string | null
  created_at: Date
  features: string[]
}

const Tenant = builder.objectRef<TenantRow>('Tenant').implement({
  description: 'One managed service provider, as the caller’s environment has it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the tenant, the same in every environment.' }),
    name: t.exposeString('name', { description: 'The MSP’s name.' }),
    environment: t.exposeString('environment', { description: 'The environment of this call.' }),
    environments: t.exposeStringList('environments', {
      description: 'This environment and every other that the tenant has settings in, by name.',
    }),
    psa_type: t.exposeString('psa_type', {
      nullable: true,
      description: 'The kind of PSA system the tenant works in. null: none was chosen yet.',
    }),
    psa_connected: t.exposeBoolean('psa_connected', {
      description: 'Whether a PSA integration is connected in this environment.',
    }),
    data_residency: t.exposeString('data_residency', {
      description: 'Where the tenant’s data is kept: US, EU, UK, CA or AU.',
    }),
    timezone: t.exposeString('timezone', {
      nullable: true,
      description: 'IANA zone name. null: times are read as UTC.',
    }),
    created_at: t.expose('created_at', { type: 'DateTime', description: 'When the tenant was created.' }),
    features: t.exposeStringList('features', { description: 'What is switched on for this tenant.' }),
  }),
})

const READ = scoped(
  'tenant.read',
  `select t.id, t.name, $2::text as environment, t.psa_type, t.data_residency, s.timezone, t.created_at, t.features,
     array(select e.environment from settings e where e.tenant_id = t.id union select $2::text order by 1)
       as environments,
     exists (
       select 1 from integration_connection c
       where c.tenant_id = $1 and c.environment = $2 and c.connected and c.name = any($3::text[])
     ) as psa_connected
   from tenant t left join settings s on s.tenant_id = $1 and s.environment = $2
   where t.id = $1`,
)

const PSA_NAMES = REGISTRY.filter(({ category }) => category === 'PSA').map(({ name }) => name)

area.query('tenant', (t) =>
  t.field({
    type: Tenant,
    description: 'Gets the caller’s tenant.',
    rest: { method: 'GET', path: '/tenant' },
    access: anyCaller,
    resolve: async (_root, _args, ctx) => {
      const [row] = await sql<TenantRow>(ctx, READ, [PSA_NAMES])
      return ofTenant(row)
    },
  }),
)

area.query('me', (t) =>
  t.field({
    type: Me,
    description: 'Tells who calls, what they may do, and how much of their limits is left.',
    rest: { method: 'GET', path: '/tenant/me' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => callerOf(ctx),
  }),
)
