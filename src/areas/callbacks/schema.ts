import { scope } from '../../access/policies/policies.ts'
import { defineArea } from '../../schema/builder.ts'
import { pageType } from '../../schema/page.ts'
import { addField } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { checkWindow } from '../../schema/window.ts'
import { Callback, type CallbackRow } from './callback.ts'
import { CallbackMatchPage } from './callback-match.ts'
import { CALLBACKS, MATCHES, MATCHES_OF_CALLBACK, readCallback } from './queries.ts'
import { retentionWarnings } from './rules.ts'

const area = defineArea({
  name: 'Callbacks',
  slug: 'callbacks',
  description:
    'The webhook events of the PSA, and why each of them made agents run or did not. Events are kept for 30 days. ' +
    'Matches are seen by callers who see their agent.',
  example: `
query WhyNothingRan {
  callbacks(matched: false, status: PROCESSED, page_size: 10) {
    items {
      id change_types entity_type entity_number received_at
      matches(page_size: 10) {
        items { agent_name result reason_code failed_conditions { field operator expected actual } }
      }
    }
    pagination { next_cursor has_more }
  }
}

# query OfOneTicket {
#   callbacks(entity_type: TICKET, entity_id: "120001") {
#     items { id status change_types matched_count execution_ids }
#   }
# }`,
})

area.query('callbacks', (t) =>
  t.field({
    type: pageType<CallbackRow>('Callback', Callback),
    description: 'Lists the callbacks of the last 30 days, the latest first, then by `id` downwards.',
    rest: { method: 'GET', path: '/callbacks' },
    access: scope('callbacks:read'),
    errors: ['invalid_window'],
    args: CALLBACKS.args,
    resolve: (root, args, ctx, info) => {
      checkWindow(args)
      ctx.warnings.push(...retentionWarnings(args, ctx.now))
      return CALLBACKS.resolve(root, args, ctx, info)
    },
  }),
)

area.query('callback', (t) =>
  t.field({
    type: Callback,
    description: 'Gets a callback.',
    rest: { method: 'GET', path: '/callbacks/{callback_id}' },
    access: scope('callbacks:read'),
    errors: ['callback_not_found'],
    args: {
      callback_id: t.arg({ type: 'ID', required: true, description: 'The `id` of the callback.' }),
    },
    resolve: (_root, { callback_id }, ctx, info) => readCallback(ctx, callback_id, wantedFields(info)),
  }),
)

area.query('callback_matches', (t) =>
  t.field({
    type: CallbackMatchPage,
    description: 'Lists how the agents that the caller sees were matched with a callback, by `agent_id`.',
    rest: { method: 'GET', path: '/callbacks/{callback_id}/matches' },
    access: scope('callbacks:read'),
    errors: ['callback_not_found'],
    args: MATCHES.args,
    resolve: async (root, args, ctx, info) => {
      const page = await MATCHES.resolve(root, args, ctx, info)
      if (page.items.length === 0) await readCallback(ctx, String(args.callback_id), new Set())
      return page
    },
  }),
)

addField(Callback, 'matches', (t) =>
  t.field({
    type: CallbackMatchPage,
    graph_only: true,
    description: 'Its matches with the agents that the caller sees, by `agent_id`.',
    ...MATCHES_OF_CALLBACK.below<CallbackRow>('id'),
  }),
)
