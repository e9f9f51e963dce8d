import './create.ts'
import './update.ts'
import './rotate.ts'
import './revoke.ts'
import { dashboardAdmins } from '../../access/policies/policies.ts'
import { ApiError } from '../../errors/errors.ts'
import { windowProblem } from '../../lib/window.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { API_KEY, API_KEYS, readUsage } from './queries.ts'
import { MAX_USAGE_SECONDS, usageWindow } from './rules.ts'
import { ApiKeyScope, scopeCatalogue } from './scopes.ts'
import { ApiKeyUsage } from './usage.ts'

const keys = onTable(area, API_KEY)

keys.list('api_keys', API_KEYS, {
  description: 'Lists the keys of this environment, the newest first. Keys that no longer work stay listed.',
  rest: { method: 'GET', path: '/api-keys' },
  access: dashboardAdmins,
})

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

keys.read('api_key', {
  description: 'Gets a key, in whatever state.',
  rest: { method: 'GET', path: '/api-keys/{key_id}' },
  access: dashboardAdmins,
})

area.query('api_key_usage', (t) =>
  t.field({
    type: ApiKeyUsage,
    description: 'Counts the uses of a key, by day and operation, over at most 90 days.',
    rest: { method: 'GET', path: '/api-keys/{key_id}/usage' },
    access: dashboardAdmins,
    errors: ['api_key_not_found', 'invalid_window', 'window_too_large'],
    args: {
      key_id: t.arg(API_KEY.key),
      from: t.arg({ type: 'DateTime', description: 'The start. 30 days before `to` if it is left out.' }),
      to: t.arg({ type: 'DateTime', description: 'The end, exclusive. Now if it is left out.' }),
    },
    resolve: async (_root, { key_id, from, to }, ctx) => {
      const window = usageWindow(from ?? null, to ?? null, ctx.now)
      const problem = windowProblem(window, MAX_USAGE_SECONDS)
      if (problem) throw new ApiError(problem, { details: { ...window, max_seconds: MAX_USAGE_SECONDS } })
      await API_KEY.read(ctx, key_id)
      return await readUsage(ctx, key_id, window)
    },
  }),
)
