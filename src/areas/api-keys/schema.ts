import './create.ts'
import './update.ts'
import './rotate.ts'
import './revoke.ts'
import { dashboardAdmins } from '../../access/policies.ts'
import { ApiError } from '../../errors.ts'
import { windowProblem } from '../../lib/window.ts'
import { SEARCH } from '../../schema/bounds.ts'
import { page, pageArgs, pageType } from '../../schema/page.ts'
import { ApiKey, type ApiKeyRow, ApiKeyStatus, keyEtag, keyId, listKeys, readKey } from './api-key.ts'
import { area } from './area.ts'
import { MAX_USAGE_SECONDS, usageWindow } from './rules.ts'
import { ApiKeyScope, explained } from './scopes.ts'
import { ApiKeyUsage, readUsage } from './usage.ts'

const ApiKeyPage = pageType<ApiKeyRow>('ApiKey', ApiKey)

area.query('api_keys', (t) =>
  t.field({
    type: ApiKeyPage,
    description:
      'Lists the keys of this environment, the newest first. Keys that no longer work stay listed.',
    rest: { method: 'GET', path: '/api-keys' },
    access: dashboardAdmins,
    args: {
      status: t.arg({
        type: [ApiKeyStatus],
        min_items: 1,
        description: 'Only keys in one of these states: separated by commas, or repeated.',
      }),
      search: t.arg.string({
        ...SEARCH,
        description: 'Only keys with this in their name, description or `prefix`.',
      }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx) =>
      page(
        ctx,
        'api_keys',
        args,
        (after, limit) => listKeys(ctx, { status: args.status, search: args.search, after, limit }),
        ({ created_at, id }) => [created_at.toISOString(), id],
      ),
  }),
)

area.query('api_key_scopes', (t) =>
  t.field({
    type: [ApiKeyScope],
    description: 'Lists the scopes that a key can have.',
    rest: { method: 'GET', path: '/api-keys/scopes' },
    access: dashboardAdmins,
    resolve: (_root, _args, ctx) => explained(ctx.services.operations()),
  }),
)

area.query('api_key', (t) =>
  t.field({
    type: ApiKey,
    description: 'Gets a key, in whatever state.',
    rest: { method: 'GET', path: '/api-keys/{key_id}' },
    access: dashboardAdmins,
    errors: ['api_key_not_found'],
    etag: keyEtag,
    args: { key_id: t.arg(keyId) },
    resolve: (_root, { key_id }, ctx) => readKey(ctx, key_id),
  }),
)

area.query('api_key_usage', (t) =>
  t.field({
    type: ApiKeyUsage,
    description: 'Counts the uses of a key, by day and operation, over at most 90 days.',
    rest: { method: 'GET', path: '/api-keys/{key_id}/usage' },
    access: dashboardAdmins,
    errors: ['api_key_not_found', 'invalid_window', 'window_too_large'],
    args: {
      key_id: t.arg(keyId),
      from: t.arg({ type: 'DateTime', description: 'The start. 30 days before `to`, where it is left out.' }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now, where it is left out.' }),
    },
    resolve: async (_root, { key_id, from, to }, ctx) => {
      const window = usageWindow(from ?? null, to ?? null, ctx.now)
      const problem = windowProblem(window, MAX_USAGE_SECONDS)
      if (problem) throw new ApiError(problem, { details: { ...window, max_seconds: MAX_USAGE_SECONDS } })
      await readKey(ctx, key_id)
      return await readUsage(ctx, key_id, window)
    },
  }),
)
