/** The local identity provider: an adapter of the port that keeps everything in the service's own database. */
import { scoped, sql } from '../../db/db.ts'
import { searchable, wordPatterns } from '../../lib/like-pattern.ts'
import type { Account, Group, Identity, IdentityConnector, Licence, SignIn } from '../identity.ts'
import type { PortContext } from '../port.ts'
import { identityWritesOf } from './identity-writes.ts'
import { outcomesOf } from './once.ts'

const ACCOUNTS = `select a.account_id, a.psa_company_id, a.user_name, a.display_name, a.enabled, a.locked,
    a.has_second_factor, array(
      select g.name from identity_membership m
        join identity_group g on g.tenant_id = m.tenant_id and g.environment = m.environment
          and g.group_id = m.group_id
      where m.tenant_id = a.tenant_id and m.environment = a.environment and m.account_id = a.account_id
      order by g.name
    ) as groups, array(select unnest(a.licences) order by 1) as licences
  from identity_account a where a.tenant_id = $1 and a.environment = $2`

const ACCOUNT = scoped('identity.account', `${ACCOUNTS} and a.account_id = $3::text`)

const SEARCH = scoped(
  'identity.search',
  `${ACCOUNTS} and ($3::text is null or a.psa_company_id = $3::text)
     and ${searchable(`a.user_name || ' ' || a.display_name`)} like all($4::text[])
   order by a.user_name limit $5::int`,
)

const GROUPS = scoped(
  'identity.groups',
  `select g.group_id, g.name from identity_group g
   where g.tenant_id = $1 and g.environment = $2 and g.psa_company_id = $3::text order by g.name, g.group_id`,
)

const SIGN_INS = scoped(
  'identity.sign_ins',
  `select s.at, s.succeeded, s.country from identity_sign_in s
   where s.tenant_id = $1 and s.environment = $2 and s.account_id = $3::text and s.at >= $4::timestamptz
   order by s.at desc, s.sign_in_id limit 200`,
)

const LICENCES = scoped(
  'identity.licences',
  `select l.name, l.total, (
     select count(*)::int from identity_account a
     where a.tenant_id = l.tenant_id and a.environment = l.environment and a.psa_company_id = l.psa_company_id
       and l.name = any(a.licences)
   ) as assigned
   from identity_licence l
   where l.tenant_id = $1 and l.environment = $2 and l.psa_company_id = $3::text order by l.name`,
)

/** The account, or null. */
const accountOf = async (ctx: PortContext, account_id: string): Promise<Account | null> =>
  (await sql<Account>(ctx, ACCOUNT, [account_id]))[0] ?? null

const connect = (ctx: PortContext): Identity => ({
  ...identityWritesOf(ctx, (id) => accountOf(ctx, id)),
  searchAccounts: ({ words, psa_company_id, limit }) =>
    sql<Account>(ctx, SEARCH, [psa_company_id, wordPatterns(words), limit]),
  account: (account_id) => accountOf(ctx, account_id),
  groupsOf: (psa_company_id) => sql<Group>(ctx, GROUPS, [psa_company_id]),
  signInsOf: (account_id, since) => sql<SignIn>(ctx, SIGN_INS, [account_id, since]),
  licencesOf: (psa_company_id) => sql<Licence>(ctx, LICENCES, [psa_company_id]),
  outcomeOf: outcomesOf(ctx, 'IDENTITY_PROVIDER'),
})

export const localIdentity: IdentityConnector = Object.assign(connect, { joins_transactions: true as const })
