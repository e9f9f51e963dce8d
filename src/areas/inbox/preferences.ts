/** The preferences of users: which kinds are mailed, and which make no items. */
import { people } from '../../access/policies/policies.ts'
import { callerOf } from '../../access/viewer.ts'
import { type DatabaseContext, scoped, sql, tenancyOf } from '../../db/db.ts'
import { lockTenant } from '../../db/transaction.ts'
import { invalid } from '../../errors/errors.ts'
import type { MutationContext } from '../../gateway/context.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import { change, defineResource } from '../../schema/changes/change.ts'
import { upsertOf } from '../../schema/changes/row-update.ts'
import type { Row } from '../../schema/models.ts'
import { rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import { area } from './area.ts'
import { InboxKind } from './inbox-item.ts'
import { userOf } from './queries.ts'
import { inOrder, preferenceProblems } from './rules/preferences.ts'

type Preferences = Pick<
  Row<'InboxPreferences'>,
  'user_id' | 'mail_kinds' | 'quiet_kinds' | 'revision' | 'updated_at'
> & { user_name: string }

const InboxPreferences = rowType('InboxPreferences', {
  fields: (t) => ({
    id: t.id(rowId('user_id')),
    ...t.columns('mail_kinds', 'quiet_kinds', 'revision'),
  }),
})

const PREFERENCES = defineResource<Preferences>()({
  noun: 'inbox_preferences',
  etag: ({ revision }) => etagOf(revision),
  named: ({ user_id, user_name }) => ({ id: user_id, name: user_name }),
  recorded: ({ mail_kinds, quiet_kinds }) => ({ mail_kinds, quiet_kinds }),
  write: upsertOf('InboxPreferences', { key: ['user_id'], columns: ['mail_kinds', 'quiet_kinds'] }),
})

const COLUMNS = 'p.user_id, p.mail_kinds::text[], p.quiet_kinds::text[], p.revision, p.updated_at'

const READ = scoped(
  'inbox.preferences',
  `select ${COLUMNS} from inbox_preferences p where p.tenant_id = $1 and p.environment = $2 and p.user_id = $3`,
)
const LOCK = scoped('inbox.lock_preferences', `${READ.text} for update`)

type Stored = Omit<Preferences, 'user_name'>

/** The preferences of a user who has stored none. */
const DEFAULTS = { mail_kinds: [], quiet_kinds: [], revision: 1, updated_at: new Date(0) }

const readBy = async (ctx: DatabaseContext, statement: typeof READ, user_id: string) =>
  (await sql<Stored>(ctx, statement, [user_id]))[0]

/** The user’s preferences, once earlier changes of them are done; later ones wait until the transaction ends. */
async function lockPreferences(ctx: MutationContext, user_id: string): Promise<Stored> {
  const stored = await readBy(ctx, LOCK, user_id)
  if (stored) return stored
  await lockTenant(ctx, `${tenancyOf(ctx).environment} inbox_preferences ${user_id}`)
  return (await readBy(ctx, LOCK, user_id)) ?? { user_id, ...DEFAULTS }
}

area.query('inbox_preferences', (t) =>
  t.field({
    type: InboxPreferences,
    description: 'Gets what the caller wants in the inbox, and by mail.',
    rest: { method: 'GET', path: '/inbox/preferences' },
    access: people('inbox:read'),
    etag: ({ revision }) => etagOf(revision),
    resolve: async (_root, _args, ctx) => {
      const user_id = userOf(ctx)
      const stored = await readBy(ctx, READ, user_id)
      return { ...tenancyOf(ctx), ...(stored ?? { user_id, ...DEFAULTS }) }
    },
  }),
)

const InboxPreferencesReplacement = builder.inputType('InboxPreferencesReplacement', {
  description: 'The preferences as they shall be.',
  fields: (t) => ({
    mail_kinds: t.field({
      type: [InboxKind],
      required: true,
      max_items: 20,
      description:
        'The kinds that are mailed too, at most once an hour for an item. One that is there twice counts once.',
    }),
    quiet_kinds: t.field({
      type: [InboxKind],
      required: true,
      max_items: 20,
      description: 'The kinds that make no items, none of which is in `mail_kinds`.',
    }),
  }),
})

area.mutation('update_inbox_preferences', (t) =>
  t.field({
    type: InboxPreferences,
    description:
      'Replaces what the caller wants in the inbox, and by mail. Items that are there already stay.',
    rest: { method: 'PUT', path: '/inbox/preferences' },
    access: people('inbox:write'),
    errors: ['version_conflict'],
    etag: ({ revision }) => etagOf(revision),
    args: { input: t.arg({ type: InboxPreferencesReplacement, required: true }) },
    resolve: async (_root, { input: { mail_kinds, quiet_kinds } }, ctx) => {
      const problems = preferenceProblems(mail_kinds, quiet_kinds)
      if (problems.length > 0) throw invalid(problems)
      const user_id = userOf(ctx)
      const user_name = callerOf(ctx).person?.name ?? user_id
      const locked = { ...(await lockPreferences(ctx, user_id)), user_name }
      const changed = await change(ctx, PREFERENCES, locked, {
        verb: 'updated',
        decide: () => ({ mail_kinds: inOrder(mail_kinds), quiet_kinds: inOrder(quiet_kinds) }),
      })
      return { ...tenancyOf(ctx), ...changed }
    },
  }),
)
