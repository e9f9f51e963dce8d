/** An end company as it is read and answered. */
import { builder } from '../../schema/builder.ts'

export interface EndCompanyRow {
  id: string
  psa_company_id: string
  name: string
  in_scope: boolean
  status: 'ACTIVE' | 'INACTIVE'
  domains: string[]
  workplace_tenant_id: string | null
  is_vip: boolean
  link_count: number
  end_user_count: number
  last_synced_at: Date | null
}

/** The columns of a row of `end_company c`. */
export const COLUMNS = `c.id, c.psa_company_id, c.name, c.in_scope, c.status::text as status,
  coalesce(c.domains, '{}') as domains, c.workplace_tenant_id, c.is_vip, c.end_user_count, c.last_synced_at,
  (select count(*)::int from company_link l
   where l.tenant_id = c.tenant_id and l.environment = c.environment
     and l.psa_company_id = c.psa_company_id and not l.hidden) as link_count`

export const EndCompanyStatus = builder.enumType('EndCompanyStatus', {
  description: 'Whether the PSA still works with the company.',
  values: {
    ACTIVE: { description: 'A customer.' },
    INACTIVE: { description: 'No longer a customer.' },
  },
})

export const EndCompany = builder.objectRef<EndCompanyRow>('EndCompany').implement({
  description: 'One customer of the MSP, as the PSA knows it.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Opaque identifier in this API.' }),
    psa_company_id: t.exposeString('psa_company_id', { description: 'The company’s id in the PSA.' }),
    name: t.exposeString('name', { description: 'The company’s name in the PSA.' }),
    in_scope: t.exposeBoolean('in_scope', {
      description: 'Whether the company filters let the agents work for this company.',
    }),
    status: t.expose('status', {
      type: EndCompanyStatus,
      description: 'Whether the PSA still works with the company.',
    }),
    domains: t.exposeStringList('domains', { description: 'E-mail domains of the company.' }),
    workplace_tenant_id: t.exposeString('workplace_tenant_id', {
      nullable: true,
      description: 'The workplace-suite tenant the company is mapped to. null: none.',
    }),
    is_vip: t.exposeBoolean('is_vip', { description: 'Whether the MSP treats the company as a VIP.' }),
    link_count: t.exposeInt('link_count', {
      description: 'Entities of integrations that are mapped to the company and listed in company links.',
    }),
    end_user_count: t.exposeInt('end_user_count', { description: 'End users known at the company.' }),
    last_synced_at: t.expose('last_synced_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the company was last read from the PSA. null: never.',
    }),
  }),
})
