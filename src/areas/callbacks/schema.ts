import { scope } from '../../access/policies/policies.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { pageOf } from '../../schema/lists/page.ts'
import { NO_FIELDS, wantedFields } from '../../schema/selection.ts'
import { area } from './area.ts'
import { Callback, callbackId } from './callback.ts'
import { CallbackMatch } from './callback-match.ts'
import './reprocess.ts'
import './test-match.ts'
import { CALLBACKS, MATCHES, MATCHES_OF_CALLBACK, readCallback } from './queries.ts'
import { retentionWarnings } from './rules/callbacks.ts'

listOperation(area, 'callbacks', CALLBACKS, {
  of: Callback,
  description: 'Lists the callbacks of the last 30 days, the latest first, then by `id` downwards.',
  rest: { method: 'GET', path: '/callbacks' },
  access: scope('callbacks:read'),
  check: (ctx, args) => ctx.warnings.push(...retentionWarnings(args, ctx.now)),
})

area.query('callback', (t) =>
  t.prismaField({
    type: Callback,
    description: 'Gets a callback.',
    rest: { method: 'GET', path: '/callbacks/{callback_id}' },
    access: scope('callbacks:read'),
    errors: ['callback_not_found'],
    args: { callback_id: t.arg(callbackId) },
    resolve: (query, _root, { callback_id }, ctx, info) =>
      readCallback(ctx, callback_id, wantedFields(info), query),
  }),
)

area.query('callback_matches', (t) =>
  t.field({
    type: pageOf(CallbackMatch),
    description:
      'Lists how the agents that the caller sees were matched with a callback, by `agent_id`. An agent without a match ' +
      'selects none of its changes.',
    rest: { method: 'GET', path: '/callbacks/{callback_id}/matches' },
    access: scope('callbacks:read'),
    errors: ['callback_not_found'],
    args: MATCHES.args,
    resolve: async (root, args, ctx, info) => {
      const page = await MATCHES.resolve(root, args, ctx, info)
      if (page.items.length === 0) await readCallback(ctx, String(args.callback_id), NO_FIELDS)
      return page
    },
  }),
)

addPages(Callback, 'matches', MATCHES_OF_CALLBACK, 'id', {
  of: CallbackMatch,
  description: 'Its matches with the agents that the caller sees, by `agent_id`.',
})
