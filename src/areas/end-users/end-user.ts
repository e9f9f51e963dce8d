/** An end user as it is answered. */
import { scope } from '../../access/policies/policies.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { endCompanyById } from '../end-companies/index.ts'

/** An end user with the name of the company. */
export interface EndUserRow extends Row<'EndUser'> {
  end_company_name?: string
}

const from = madeOf<EndUserRow>()

export const EndUser = rowType('EndUser', {
  fields: (t) => ({
    ...t.columns('id', 'psa_contact_id', 'name', 'email', 'phone', 'title', 'end_company_id'),
    end_company_name: t.string({
      description: 'The name that the company has now.',
      ...from('end_company_name'),
    }),
    ...t.columns('is_vip', 'status', 'workplace_user_id', 'last_ticket_at', 'last_synced_at'),
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
