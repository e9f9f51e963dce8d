/** Accounts, groups and licences of the customers' people, and their mail. */
import {
  choice,
  done,
  flag,
  id,
  instant,
  list,
  object,
  optional,
  results,
  search,
  text,
  whole,
} from '../json-schema.ts'
import { reads, writes } from '../tool.ts'

const ACCOUNT = id('The id of the account in the identity provider.')
const CHANGED = done('account_id', 'The id of the account.')
const identity = { works_in: 'IDENTITY_PROVIDER', permission_group: 'IDENTITY' } as const
const change = { ...identity, requires_approval: true } as const

const SUMMARY = {
  account_id: ACCOUNT,
  user_name: text('The name to sign in with.'),
  display_name: text('The name as people read it.'),
  enabled: flag('False if it cannot be used to sign in.'),
  locked: flag('True after too many failed sign-ins.'),
}

const GROUP = id('The id of the group.')

export const IDENTITY_TOOLS = [
  reads('identity.search', {
    ...identity,
    title: 'Search accounts',
    description: 'Finds accounts by name or e-mail address.',
    input: search('the name or e-mail address', { company_id: id('Only accounts of this company.') }),
    output: results(SUMMARY),
  }),
  reads('identity.read', {
    ...identity,
    title: 'Read account',
    description: 'Reads an account with its groups, licences and second factors.',
    input: object({ account_id: ACCOUNT }),
    output: object({
      ...SUMMARY,
      groups: list(text('The name of a group.'), 1000),
      licences: list(text('The name of a licence.')),
      has_second_factor: flag('True if a second factor is registered.'),
    }),
  }),
  reads('identity.list_groups', {
    ...identity,
    title: 'List groups',
    description: 'Lists the groups of a company.',
    input: object({ company_id: id('The company.') }),
    output: object({ groups: list(object({ group_id: GROUP, name: text('The name.') }), 1000) }),
  }),
  reads('identity.list_sign_ins', {
    ...identity,
    system: 'MICROSOFT_ENTRA_ID',
    title: 'List sign-ins',
    description: 'Lists the sign-ins of an account in the last 30 days, newest first.',
    input: object({ account_id: ACCOUNT }),
    output: object({
      sign_ins: list(
        object({
          at: instant('When it was.'),
          succeeded: flag('True if it succeeded.'),
          country: optional(text('The country of the address.')),
        }),
      ),
    }),
  }),
  writes('identity.create', {
    ...change,
    title: 'Create account',
    description:
      'Creates an account. The first password goes to the person named as recipient, never to the agent.',
    input: object({
      company_id: id('The company.'),
      user_name: text('The name to sign in with.'),
      display_name: text('The name as people read it.'),
      recipient_contact_id: id('The contact who gets the first password.'),
    }),
    output: CHANGED,
  }),
  writes('identity.reset_password', {
    ...change,
    title: 'Reset password',
    description: 'Sets a new password, which the contact gets and must change. The agent never sees it.',
    destructive: true,
    input: object({ account_id: ACCOUNT, recipient_contact_id: id('The contact who gets it.') }),
    output: CHANGED,
  }),
  writes('identity.unlock', {
    ...change,
    title: 'Unlock account',
    description: 'Unlocks an account after too many failed sign-ins.',
    idempotent: true,
    input: object({ account_id: ACCOUNT }),
    output: CHANGED,
  }),
  writes('identity.disable', {
    ...change,
    title: 'Disable account',
    description: 'Disables an account and signs it out everywhere.',
    destructive: true,
    idempotent: true,
    input: object({ account_id: ACCOUNT }),
    output: CHANGED,
  }),
  writes('identity.revoke_sessions', {
    ...change,
    title: 'Revoke sessions',
    description: 'Signs an account out everywhere.',
    destructive: true,
    idempotent: true,
    input: object({ account_id: ACCOUNT }),
    output: CHANGED,
  }),
  writes('identity.add_to_group', {
    ...change,
    title: 'Add to group',
    description: 'Adds an account to a group.',
    idempotent: true,
    input: object({ account_id: ACCOUNT, group_id: GROUP }),
    output: CHANGED,
  }),
  writes('identity.remove_from_group', {
    ...change,
    title: 'Remove from group',
    description: 'Removes an account from a group.',
    destructive: true,
    idempotent: true,
    input: object({ account_id: ACCOUNT, group_id: GROUP }),
    output: CHANGED,
  }),
  writes('identity.assign_licence', {
    ...change,
    title: 'Assign licence',
    description: 'Assigns a licence that the company has left.',
    idempotent: true,
    input: object({ account_id: ACCOUNT, licence: text('The name of the licence.') }),
    output: CHANGED,
  }),
  reads('licence.list', {
    works_in: 'MARKETPLACE',
    title: 'List licences',
    description: 'Lists the licences of a company: how many there are, and how many are assigned.',
    input: object({ company_id: id('The company.') }),
    output: object({
      licences: list(
        object({
          name: text('The name.'),
          total: whole('The number in all.', 0, 1_000_000),
          assigned: whole('The number of those that are assigned.', 0, 1_000_000),
        }),
      ),
    }),
  }),
  writes('licence.order', {
    works_in: 'MARKETPLACE',
    title: 'Order licences',
    description: 'Orders further licences for a company.',
    requires_approval: true,
    input: object({
      company_id: id('The company.'),
      licence: text('The name of the licence.'),
      count: whole('The number to order.', 1, 1000),
    }),
    output: done('order_id', 'The id of the order.'),
  }),
  reads('stock.search', {
    works_in: 'DISTRIBUTOR',
    title: 'Search stock',
    description: 'Finds products of a distributor, with how many are in stock.',
    input: search('the name or part number'),
    output: results({
      part_number: text('The part number.'),
      name: text('The name.', 500),
      in_stock: whole('The number in stock.', 0, 10_000_000),
    }),
  }),
  reads('mail.search', {
    works_in: 'EMAIL_SECURITY',
    title: 'Search mail',
    description: 'Finds messages that were held or delivered, by sender, recipient or subject.',
    input: search('the sender, the recipient or the subject', {
      company_id: id('Only mail of this company.'),
    }),
    output: results({
      message_id: id('The id of the message.'),
      sender: text('The sender.', 320),
      subject: text('The subject.', 1000),
      state: choice('The outcome.', 'DELIVERED', 'HELD', 'REJECTED'),
    }),
  }),
  writes('mail.release', {
    works_in: 'EMAIL_SECURITY',
    title: 'Release message',
    description: 'Delivers a message that was held.',
    requires_approval: true,
    idempotent: true,
    input: object({ message_id: id('The message.') }),
    output: done('message_id', 'The id of the message.'),
  }),
  writes('mail.block_sender', {
    works_in: 'EMAIL_SECURITY',
    title: 'Block sender',
    description: 'Rejects further mail of a sender to a company.',
    requires_approval: true,
    destructive: true,
    idempotent: true,
    input: object({ company_id: id('The company.'), sender: text('The address of the sender.', 320) }),
    output: object({ sender: text('The address.', 320) }),
  }),
]
