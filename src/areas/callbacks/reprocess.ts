/** `reprocess_callback`: processes a callback again. */
import { scope } from '../../access/policies/policies.ts'
import { scoped, sql } from '../../db/db.ts'
import { ApiError, found } from '../../errors/errors.ts'
import { recordedWrite, writeRecorded } from '../../gateway/activity.ts'
import type { Context } from '../../gateway/context.ts'
import { enqueue } from '../../jobs/enqueue.ts'
import type { Row } from '../../schema/models.ts'
import { wantedFields } from '../../schema/selection.ts'
import { area } from './area.ts'
import { Callback, callbackId } from './callback.ts'
import { PROCESS_CALLBACK } from './processing/job.ts'
import { readCallback } from './queries.ts'
import { isReprocessable } from './rules/retries.ts'

const LOCK = scoped(
  'callbacks.lock',
  `select c.status, c.filter_reason, c.received_at from callback c
   where c.tenant_id = $1 and c.environment = $2 and c.id = $3::text for update`,
)

const REPROCESS = recordedWrite(
  'callbacks.reprocess',
  `update callback set status = 'QUEUED', filter_reason = null, error = null, processed_at = null, attempts = 0,
     away_since = null, looks = 0, has_job = true, is_again = true
   where tenant_id = $1 and environment = $2 and id = $3::text
   returning id`,
)

async function reprocess(ctx: Context, id: string): Promise<void> {
  const rows = await sql<Pick<Row<'Callback'>, 'status' | 'filter_reason' | 'received_at'>>(ctx, LOCK, [id])
  const callback = found(rows[0], 'callback_not_found', id)
  const { status, filter_reason } = callback
  if (!isReprocessable(callback, ctx.now))
    throw new ApiError('callback_not_reprocessable', { details: { id, current_status: status } })
  await enqueue(ctx, PROCESS_CALLBACK, { callback_id: id })
  await writeRecorded(ctx, REPROCESS, [id], {
    action: 'callback.reprocessed',
    targets: [{ type: 'callback', id, name: id }],
    before: { status, filter_reason },
    after: { status: 'QUEUED', filter_reason: null },
  })
}

// Contract silent: it is processed at once, without the configured sleep, by the rules and agents of now.
area.mutation('reprocess_callback', (t) =>
  t.prismaField({
    type: Callback,
    description:
      'Processes a callback again that is FAILED or FILTERED_OUT, within 7 days of its receipt. It is QUEUED, and keeps ' +
      'the changes that were found for it. Agents that it has started are not started a second time.',
    rest: { method: 'POST', path: '/callbacks/{callback_id}/reprocess' },
    access: scope('callbacks:write'),
    errors: ['callback_not_found', 'callback_not_reprocessable'],
    args: { callback_id: t.arg(callbackId) },
    resolve: async (query, _root, { callback_id }, ctx, info) => {
      await reprocess(ctx, callback_id)
      return await readCallback(ctx, callback_id, wantedFields(info), query)
    },
  }),
)
