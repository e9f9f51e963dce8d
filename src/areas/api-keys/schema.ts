import './create.ts'
import './update.ts'
import './rotate.ts'
import './revoke.ts'
import { dashboardAdmins } from '../../access/policies/policies.ts'
import { ApiError } from '../../errors/errors.ts'
import { windowProblem } from '../../lib/window.ts'
import { pageType } from '../../schema/lists/page.ts'
import { ApiKey, keyEtag, keyId } from './api-key.ts'
import { area } from './area.ts'
import { API_KEYS, readKey, readUsage } from './queries.ts'
import { MAX_USAGE_SECONDS, usageWindow } from './rules.ts'
import { ApiKeyScope, scopeCatalogue } from './scopes.ts'
import { ApiKeyUsage } from './usage.ts'

area.query('api_keys', (t) =>
  t.field({
    type: pageType('ApiKey', ApiKey),
    description:
      'Lists the keys of this environment, the newest first. Keys that no longer work stay listed.',
    rest: { method: 'GET', path: '/api-keys' },
    access: dashboardAdmins,
    args: API_KEYS.args,
    resolve: API_KEYS.resolve,
  }),
)

area.query('api_key_scopes', (t) =>
  t.field({
    type: [ApiKeyScope],
    max_items: 100,
    description: 'Lists the scopes that a key can have.',
    rest: { method: 'GET', path: '/api-keys/scopes' },
    access: dashboardAdmins,
    resolve: (_root, _args, ctx) => scopeCatalogue(ctx.services.operations()),
  }),
)

area.query('api_key', (t) =>
  t.prismaField({
    type: ApiKey,
    description: 'Gets a key, in whatever state.',
    rest: { method: 'GET', path: '/api-keys/{key_id}' },
    access: dashboardAdmins,
    errors: ['api_key_not_found'],
    etag: keyEtag,
    args: { key_id: t.arg(keyId) },
    resolve: (query, _root, { key_id }, ctx) => readKey(ctx, key_id, query),
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
      from: t.arg({ type: 'DateTime', description: 'The start. 30 days before `to` if it is left out.' }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now if it is left out.' }),
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
