/** Accounts, groups and licences in the identity provider. */
import type { Account, Identity } from '../../connectors/identity.ts'
import { daysBefore } from '../../lib/time.ts'
import { requireFound } from '../failure.ts'
import { type Search, searchOf } from '../search.ts'
import { inIdentity } from '../tool-context.ts'

interface OfAccount {
  account_id: string
}

interface OfCompany {
  company_id: string
}

const SIGN_IN_DAYS = 30

const summaryOf = ({ account_id, user_name, display_name, enabled, locked }: Account) => ({
  account_id,
  user_name,
  display_name,
  enabled,
  locked,
})

/** A tool that changes an account. */
const changes = <Args>(
  change: (identity: Identity, args: Args & OfAccount, key: string) => Promise<Account>,
) =>
  inIdentity(async (identity, args: Args & OfAccount, { key }) => {
    const { account_id } = await change(identity, args, key)
    return { account_id }
  })

export const IDENTITY_EXECUTORS = {
  'identity.search': inIdentity(async (identity, search: Search) => ({
    results: (await identity.searchAccounts(searchOf(search))).map(summaryOf),
  })),
  'identity.read': inIdentity(async (identity, { account_id }: OfAccount) => {
    const account = requireFound(await identity.account(account_id), 'account_not_found')
    const { groups, licences, has_second_factor } = account
    return { ...summaryOf(account), groups, licences, has_second_factor }
  }),
  'identity.list_groups': inIdentity(async (identity, { company_id }: OfCompany) => ({
    groups: await identity.groupsOf(company_id),
  })),
  'identity.list_sign_ins': inIdentity(async (identity, { account_id }: OfAccount, { ctx }) => {
    requireFound(await identity.account(account_id), 'account_not_found')
    const sign_ins = await identity.signInsOf(account_id, daysBefore(ctx.now, SIGN_IN_DAYS))
    return {
      sign_ins: sign_ins.map(({ at, succeeded, country }) => ({ at: at.toISOString(), succeeded, country })),
    }
  }),
  'identity.create': inIdentity(async (identity, args: NewAccount, { key }) => {
    const { company_id: psa_company_id, ...account } = args
    const { account_id } = await identity.createAccount({ psa_company_id, ...account }, key)
    return { account_id }
  }),
  'identity.reset_password': changes((identity, args: { recipient_contact_id: string } & OfAccount, key) =>
    identity.resetPassword(args.account_id, args.recipient_contact_id, key),
  ),
  'identity.unlock': changes((identity, { account_id }, key) => identity.unlock(account_id, key)),
  'identity.disable': changes((identity, { account_id }, key) => identity.disable(account_id, key)),
  'identity.revoke_sessions': changes((identity, { account_id }, key) =>
    identity.revokeSessions(account_id, key),
  ),
  'identity.add_to_group': changes((identity, args: { group_id: string } & OfAccount, key) =>
    identity.addToGroup(args.account_id, args.group_id, key),
  ),
  'identity.remove_from_group': changes((identity, args: { group_id: string } & OfAccount, key) =>
    identity.removeFromGroup(args.account_id, args.group_id, key),
  ),
  'identity.assign_licence': changes((identity, args: { licence: string } & OfAccount, key) =>
    identity.assignLicence(args.account_id, args.licence, key),
  ),
  'licence.list': inIdentity(async (identity, { company_id }: OfCompany) => ({
    licences: await identity.licencesOf(company_id),
  })),
  'licence.order': inIdentity(
    async (identity, args: OfCompany & { licence: string; count: number }, { key }) => {
      const { company_id: psa_company_id, licence, count } = args
      const { order_id } = await identity.orderLicences({ psa_company_id, licence, count }, key)
      return { order_id }
    },
  ),
}

interface NewAccount extends OfCompany {
  user_name: string
  display_name: string
  recipient_contact_id: string
}
