import './users.ts'
import './permission-groups.ts'
import { anyCaller } from '../../access/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { scoped, sql } from '../../db/db.ts'
import { builder } from '../../graphql/builder.ts'
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
      description: 'Every environment that the tenant has settings in, by name.',
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
  `select t.id, t.name, s.environment, t.psa_type, t.data_residency, s.timezone, t.created_at, t.features,
     array(select e.environment from settings e where e.tenant_id = t.id order by 1) as environments,
     exists (
       select 1 from integration_connection c
       where c.tenant_id = s.tenant_id and c.environment = s.environment and c.connected
         and c.name = any($3::text[])
     ) as psa_connected
   from settings s join tenant t on t.id = s.tenant_id
   where s.tenant_id = $1 and s.environment = $2`,
)

const PSA_NAMES = REGISTRY.filter(({ category }) => category === 'PSA').map(({ name }) => name)

area.query('tenant', (t) =>
  t.field({
    type: Tenant,
    description: 'The caller’s tenant.',
    rest: { method: 'GET', path: '/tenant' },
    access: anyCaller,
    resolve: async (_root, _args, ctx) => {
      const [row] = await sql<TenantRow>(ctx, READ, [PSA_NAMES])
      if (!row) throw new Error('A tenant without settings')
      return row
    },
  }),
)

area.query('me', (t) =>
  t.field({
    type: Me,
    description: 'Who calls, what they may do, and how they stand with their limits.',
    rest: { method: 'GET', path: '/tenant/me' },
    access: anyCaller,
    resolve: (_root, _args, ctx) => callerOf(ctx),
  }),
)
