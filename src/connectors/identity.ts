/**
 * The port to an identity provider: accounts, groups and licences of the customers' people. No password passes it. What
 * holds of every port is in `port.ts`.
 */
import type { Connector, Outcomes, PortContext, PortDescription, Search } from './port.ts'

export interface Account {
  account_id: string
  psa_company_id: string
  user_name: string
  display_name: string
  /** False: it cannot be used to sign in. */
  enabled: boolean
  /** True after too many failed sign-ins. */
  locked: boolean
  has_second_factor: boolean
  /** The names of its groups and licences, in their order. */
  groups: readonly string[]
  licences: readonly string[]
}

export interface Group {
  group_id: string
  name: string
}

export interface SignIn {
  at: Date
  succeeded: boolean
  country: string | null
}

export interface Licence {
  name: string
  total: number
  assigned: number
}

interface AccountDraft {
  psa_company_id: string
  user_name: string
  display_name: string
  /** The contact who gets the first password. */
  recipient_contact_id: string
}

interface LicenceOrder {
  psa_company_id: string
  licence: string
  count: number
}

/** The identity provider of one tenant. Writes to an account answer with it as it is then. */
export interface Identity extends Outcomes {
  /** The accounts whose user name or display name has the words, by user name. */
  searchAccounts(search: Search): Promise<readonly Account[]>
  account(account_id: string): Promise<Account | null>
  /** The groups of the company, by name. */
  groupsOf(psa_company_id: string): Promise<readonly Group[]>
  /** The sign-ins of the account since the instant, the newest first. */
  signInsOf(account_id: string, since: Date): Promise<readonly SignIn[]>
  /** The licences of the company, by name. */
  licencesOf(psa_company_id: string): Promise<readonly Licence[]>
  createAccount(account: AccountDraft, idempotency_key: string): Promise<Account>
  /** Sets a new password, which the contact gets and must change. */
  resetPassword(account_id: string, recipient_contact_id: string, idempotency_key: string): Promise<Account>
  unlock(account_id: string, idempotency_key: string): Promise<Account>
  /** It cannot be used to sign in, and it is signed out everywhere. */
  disable(account_id: string, idempotency_key: string): Promise<Account>
  revokeSessions(account_id: string, idempotency_key: string): Promise<Account>
  /** The group is one of the account's company. */
  addToGroup(account_id: string, group_id: string, idempotency_key: string): Promise<Account>
  removeFromGroup(account_id: string, group_id: string, idempotency_key: string): Promise<Account>
  /** Assigns a licence that the company has left. An account has a licence once. */
  assignLicence(account_id: string, licence: string, idempotency_key: string): Promise<Account>
  /** Orders licences for a company, which has them then. Answers with the order. */
  orderLicences(order: LicenceOrder, idempotency_key: string): Promise<{ order_id: string }>
}

export const IDENTITY: PortDescription<Identity> = {
  upstream: 'IDENTITY_PROVIDER',
  calls: {
    searchAccounts: 'READ',
    account: 'READ',
    groupsOf: 'READ',
    signInsOf: 'READ',
    licencesOf: 'READ',
    createAccount: 'WRITE',
    resetPassword: 'WRITE',
    unlock: 'WRITE',
    disable: 'WRITE',
    revokeSessions: 'WRITE',
    addToGroup: 'WRITE',
    removeFromGroup: 'WRITE',
    assignLicence: 'WRITE',
    orderLicences: 'WRITE',
    outcomeOf: 'OUTCOME',
  },
}

export type IdentityConnector = Connector<Identity>

/** The identity provider of the caller's tenant, through the budgeted client. */
export const identityOf = (
  ctx: PortContext & { services: { connectors: { identity: IdentityConnector } } },
): Identity => ctx.services.connectors.identity(ctx)
