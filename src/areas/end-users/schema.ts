import './tickets.ts'
import { scope } from '../../access/policies/policies.ts'
import type { Row } from '../../schema/models.ts'
import { addField } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { EndCompany } from '../end-companies/index.ts'
import { area } from './area.ts'
import { EndUser, EndUserPage } from './end-user.ts'
import { END_USERS, END_USERS_OF_COMPANY, readEndUser } from './queries.ts'

area.query('end_users', (t) =>
  t.field({
    type: EndUserPage,
    description: 'Lists the people at the tenant’s end companies, by name in any letter case, then by id.',
    rest: { method: 'GET', path: '/end-users' },
    access: scope('end_users:read'),
    args: END_USERS.args,
    resolve: END_USERS.resolve,
  }),
)

area.query('end_user', (t) =>
  t.field({
    type: EndUser,
    description: 'Gets an end user.',
    rest: { method: 'GET', path: '/end-users/{end_user_id}' },
    access: scope('end_users:read'),
    errors: ['end_user_not_found'],
    args: {
      end_user_id: t.arg({ type: 'ID', required: true, description: 'The `id` of the end user.' }),
    },
    resolve: (_root, { end_user_id }, ctx, info) => readEndUser(ctx, end_user_id, wantedFields(info)),
  }),
)

addField(EndCompany, 'end_users', (t) =>
  t.field({
    type: EndUserPage,
    graph_only: true,
    access: scope('end_users:read'),
    description: 'The people at the company, by name in any letter case, then by id.',
    ...END_USERS_OF_COMPANY.below<Row<'EndCompany'>>('id'),
  }),
)
