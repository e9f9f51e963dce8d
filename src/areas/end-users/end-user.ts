/** An end user as it is answered. */
import { scope } from '../../access/policies/policies.ts'
import { pageType } from '../../schema/lists/page.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { CustomerStatus, endCompanyById } from '../end-companies/index.ts'

/** An end user with the name of the company. */
export interface EndUserRow extends Row<'EndUser'> {
  end_company_name?: string
}

const from = madeOf<EndUserRow>()

export const EndUser = rowType('EndUser', {
  fields: (t) => ({
    id: t.exposeID('id'),
    psa_contact_id: t.exposeID('psa_contact_id'),
    name: t.exposeString('name'),
    email: t.expose('email', { type: 'EmailAddress', nullable: true }),
    phone: t.exposeString('phone', { nullable: true }),
    title: t.exposeString('title', { nullable: true }),
    end_company_id: t.exposeID('end_company_id'),
    end_company_name: t.string({
      description: 'The name that the company has now.',
      ...from(['end_company_name'], ({ end_company_name }) => end_company_name as string),
    }),
    is_vip: t.exposeBoolean('is_vip'),
    status: t.expose('status', { type: CustomerStatus }),
    workplace_user_id: t.exposeID('workplace_user_id', { nullable: true }),
    last_ticket_at: t.expose('last_ticket_at', { type: 'DateTime', nullable: true }),
    last_synced_at: t.expose('last_synced_at', { type: 'DateTime', nullable: true }),
    end_company: t.relation('end_company', {
      graph_only: true,
      access: scope('end_companies:read'),
      description: 'The company.',
      ...loadedBy<EndUserRow>()(['end_company_id'], ({ end_company_id }, ctx) =>
        endCompanyById(ctx, end_company_id),
      ),
    }),
  }),
})

export const EndUserPage = pageType<EndUserRow>('EndUser', EndUser)
