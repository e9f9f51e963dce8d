/** Writes to the local identity provider. */
import { scoped, scopedInsert, sql } from '../../db/db.ts'
import { insert, insertOf } from '../../db/query/insert.ts'
import type { Statement } from '../../db/sql.ts'
import { newId } from '../../lib/ids.ts'
import type { Account, Identity } from '../identity.ts'
import { type PortContext, PortRefusal } from '../port.ts'
import { need, once } from './once.ts'

/** A change of the account `$3`; `$4` is the instant. */
const changeOf = (name: string, assignments: string): Statement =>
  scoped(
    name,
    `update identity_account a set ${assignments}
     where a.tenant_id = $1 and a.environment = $2 and a.account_id = $3::text and $4::timestamptz is not null
     returning a.account_id`,
  )

const UNLOCK = changeOf('identity.unlock', 'locked = false')
const DISABLE = changeOf('identity.disable', 'enabled = false, sessions_revoked_at = $4::timestamptz')
const REVOKE = changeOf('identity.revoke_sessions', 'sessions_revoked_at = $4::timestamptz')

const CONTACT = scoped(
  'identity.contact',
  `select c.contact_id from psa_contact c
   where c.tenant_id = $1 and c.environment = $2 and c.contact_id = $3::text and c.psa_company_id = $4::text`,
)

const LOCK = scoped(
  'identity.lock',
  `select a.psa_company_id, a.licences from identity_account a
   where a.tenant_id = $1 and a.environment = $2 and a.account_id = $3::text for update`,
)

const RESET_PASSWORD = scoped(
  'identity.reset_password',
  `update identity_account a set password_contact_id = $4::text
   where a.tenant_id = $1 and a.environment = $2 and a.account_id = $3::text`,
)

const COMPANY = scoped(
  'identity.company',
  `select c.psa_company_id from end_company c
   where c.tenant_id = $1 and c.environment = $2 and c.psa_company_id = $3::text`,
)

const CREATE = insertOf('identity.create', 'IdentityAccount', {
  columns: ['account_id', 'psa_company_id', 'user_name', 'display_name', 'password_contact_id'],
  on_conflict: 'do nothing',
  returning: ['account_id'],
})

const GROUP = scoped(
  'identity.group',
  `select g.group_id from identity_group g
   where g.tenant_id = $1 and g.environment = $2 and g.group_id = $3::text and g.psa_company_id = $4::text`,
)

const JOIN = insertOf('identity.join', 'IdentityMembership', {
  columns: ['account_id', 'group_id'],
  on_conflict: 'do nothing',
})

const LEAVE = scoped(
  'identity.leave',
  `delete from identity_membership m
   where m.tenant_id = $1 and m.environment = $2 and m.account_id = $3::text and m.group_id = $4::text`,
)

// Two accounts that want the last licence wait for each other.
const LOCK_LICENCE = scoped(
  'identity.lock_licence',
  `select l.total from identity_licence l
   where l.tenant_id = $1 and l.environment = $2 and l.psa_company_id = $3::text and l.name = $4::text for update`,
)

const ASSIGNED = scoped(
  'identity.assigned',
  `select count(*)::int as assigned from identity_account a
   where a.tenant_id = $1 and a.environment = $2 and a.psa_company_id = $3::text and $4::text = any(a.licences)`,
)

const ASSIGN = scoped(
  'identity.assign',
  `update identity_account a set licences = array_append(a.licences, $4::text)
   where a.tenant_id = $1 and a.environment = $2 and a.account_id = $3::text`,
)

// Contract silent: an order is filled at once, also one of a licence that the company did not have before.
const ORDER = scopedInsert(
  'identity.order_licences',
  `insert into identity_licence (tenant_id, environment, psa_company_id, name, total)
   values ($1, $2, $3, $4, $5)
   on conflict (tenant_id, environment, psa_company_id, name) do update
   set total = identity_licence.total + excluded.total`,
)

interface Locked {
  psa_company_id: string
  licences: string[]
}

const lock = (own: PortContext, id: string): Promise<Locked> =>
  need(sql<Locked>(own, LOCK, [id]), 'ACCOUNT_NOT_FOUND')

async function assign(own: PortContext, account_id: string, licence: string): Promise<void> {
  const { psa_company_id, licences } = await lock(own, account_id)
  if (licences.includes(licence)) return
  const of = [psa_company_id, licence]
  const { total } = await need(sql<{ total: number }>(own, LOCK_LICENCE, of), 'NO_LICENCE_LEFT')
  const [{ assigned = 0 } = {}] = await sql<{ assigned?: number }>(own, ASSIGNED, of)
  if (assigned >= total) throw new PortRefusal('NO_LICENCE_LEFT')
  await sql(own, ASSIGN, [account_id, licence])
}

type Writes = Pick<
  Identity,
  | 'createAccount'
  | 'resetPassword'
  | 'unlock'
  | 'disable'
  | 'revokeSessions'
  | 'addToGroup'
  | 'removeFromGroup'
  | 'assignLicence'
  | 'orderLicences'
>

export function identityWritesOf(
  ctx: PortContext,
  accountOf: (id: string) => Promise<Account | null>,
): Writes {
  async function write(
    id: string,
    key: string,
    make: (own: PortContext) => Promise<unknown>,
  ): Promise<Account> {
    const account = await accountOf(await once(ctx, 'IDENTITY_PROVIDER', key, id, make))
    if (!account) throw new PortRefusal('ACCOUNT_NOT_FOUND')
    return account
  }
  const changed =
    (statement: Statement) =>
    (id: string, key: string): Promise<Account> =>
      write(id, key, (own) => need(sql(own, statement, [id, ctx.now]), 'ACCOUNT_NOT_FOUND'))
  const group = async (own: PortContext, id: string, group_id: string): Promise<void> => {
    const { psa_company_id } = await lock(own, id)
    await need(sql(own, GROUP, [group_id, psa_company_id]), 'GROUP_NOT_FOUND')
  }
  return {
    createAccount({ psa_company_id, user_name, display_name, recipient_contact_id }, key) {
      const id = newId('acc')
      return write(id, key, async (own) => {
        await need(sql(own, COMPANY, [psa_company_id]), 'COMPANY_NOT_FOUND')
        await need(sql(own, CONTACT, [recipient_contact_id, psa_company_id]), 'CONTACT_NOT_FOUND')
        const account = { account_id: id, psa_company_id, user_name, display_name }
        const made = await insert(own, CREATE, { ...account, password_contact_id: recipient_contact_id })
        if (!made) throw new PortRefusal('USER_NAME_TAKEN')
      })
    },
    resetPassword: (id, recipient_contact_id, key) =>
      write(id, key, async (own) => {
        const { psa_company_id } = await lock(own, id)
        await need(sql(own, CONTACT, [recipient_contact_id, psa_company_id]), 'CONTACT_NOT_FOUND')
        await sql(own, RESET_PASSWORD, [id, recipient_contact_id])
      }),
    unlock: changed(UNLOCK),
    disable: changed(DISABLE),
    revokeSessions: changed(REVOKE),
    addToGroup: (id, group_id, key) =>
      write(id, key, async (own) => {
        await group(own, id, group_id)
        await insert(own, JOIN, { account_id: id, group_id })
      }),
    removeFromGroup: (id, group_id, key) =>
      write(id, key, async (own) => {
        await group(own, id, group_id)
        await sql(own, LEAVE, [id, group_id])
      }),
    assignLicence: (id, licence, key) => write(id, key, (own) => assign(own, id, licence)),
    async orderLicences({ psa_company_id, licence, count }, key) {
      const order_id = await once(ctx, 'IDENTITY_PROVIDER', key, newId('ord'), async (own) => {
        await need(sql(own, COMPANY, [psa_company_id]), 'COMPANY_NOT_FOUND')
        await sql(own, ORDER, [psa_company_id, licence, count])
      })
      return { order_id }
    },
  }
}
