import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import './tickets.ts'
import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { found } from '../../errors/errors.ts'
import { wantedFields } from '../../schema/selection.ts'
import { EndCompany } from '../end-companies/index.ts'
import { area } from './area.ts'
import { EndUser } from './end-user.ts'
import { END_USERS, END_USERS_OF_COMPANY } from './queries.ts'

listOperation(area, 'end_users', END_USERS, {
  of: EndUser,
  description: 'Lists the people at the tenant’s end companies, by name in any letter case, then by id.',
  rest: { method: 'GET', path: '/end-users' },
  access: scope('end_users:read'),
})

area.query('end_user', (t) =>
  t.prismaField({
    type: EndUser,
    description: 'Gets an end user.',
    rest: { method: 'GET', path: '/end-users/{end_user_id}' },
    access: scope('end_users:read'),
    errors: ['end_user_not_found'],
    args: {
      end_user_id: t.arg({ type: 'ID', required: true, description: 'The `id` of the end user.' }),
    },
    resolve: async (query, _root, { end_user_id }, ctx, info) => {
      const where = { tenant_id_environment_id: ownKey(ctx, { id: end_user_id }) }
      const name = wantedFields(info).has('end_company_name') && { select: { name: true } }
      const include = { end_company: name, ...query.include }
      const row = await db(ctx).endUser.findUnique({ ...query, include, where })
      const end_user = found(row, 'end_user_not_found', end_user_id)
      return { ...end_user, end_company_name: end_user.end_company?.name }
    },
  }),
)

addPages(EndCompany, 'end_users', END_USERS_OF_COMPANY, 'id', {
  of: EndUser,
  access: scope('end_users:read'),
  description: 'The people at the company, by name in any letter case, then by id.',
})
