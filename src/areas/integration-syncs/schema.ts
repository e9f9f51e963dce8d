import { scope } from '../../access/policies/policies.ts'
import { found } from '../../errors/errors.ts'
import { builder } from '../../schema/builder.ts'
import { change } from '../../schema/changes/change.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { AFTER, follow } from '../../schema/live/live.ts'
import { requireIntegration } from '../integrations/index.ts'
import { area } from './area.ts'
import { judgeUnfinished } from './judge.ts'
import './put-customers.ts'
import { INTEGRATION_SYNCS, readSync, SYNC, tellConnection } from './queries.ts'
import { startSync } from './start.ts'
import { IntegrationSync, syncEtag } from './sync.ts'
import './sync-scripts.ts'
import { IntegrationSyncUpdate, SYNC_EVENTS } from './updates.ts'

const name = {
  type: 'ID',
  required: true,
  description: 'The `id` of the integration, in lower case.',
} as const

listOperation(area, 'integration_syncs', INTEGRATION_SYNCS, {
  of: IntegrationSync,
  description: 'Lists the syncs of an integration, the latest first. They are kept for 90 days.',
  rest: { method: 'GET', path: '/integrations/{name}/syncs' },
  access: scope('integrations:read'),
  errors: ['unknown_integration'],
  check: (_ctx, { name }) => requireIntegration(String(name)),
})

area.query('integration_sync', (t) =>
  t.prismaField({
    type: IntegrationSync,
    description: 'Gets a sync of an integration, with how far it is.',
    rest: { method: 'GET', path: '/integrations/{name}/syncs/{sync_id}' },
    access: scope('integrations:read'),
    errors: ['unknown_integration', 'integration_sync_not_found'],
    etag: syncEtag,
    args: { name: t.arg(name), sync_id: t.arg(SYNC.key) },
    resolve: (query, _root, { name, sync_id }, ctx) => {
      requireIntegration(name)
      return readSync(ctx, { id: sync_id, name }, query)
    },
  }),
)

const SyncRequest = builder.inputType('SyncRequest', {
  description: 'What the sync reads.',
  fields: (t) => ({
    is_full: t.boolean({
      defaultValue: false,
      description:
        'true: everything is read, and what the system no longer has is marked as gone. false: what has changed ' +
        'since the last sync, if that was full within a day and the system can tell.',
    }),
    accept_missing: t.boolean({
      defaultValue: false,
      description:
        'true: everything is read, and what the system no longer has is marked, however much it is. false: if more than 20 ' +
        'rows and more than a fifth of them are gone, none is marked.',
    }),
  }),
})

area.mutation('sync_integration', (t) =>
  t.field({
    type: IntegrationSync,
    description:
      'Starts a sync of a connected integration. The companies, contacts and technicians of a PSA are read and stored ' +
      'as end companies, end users and names of technicians; then the customers of every system find their companies again. ' +
      'Of an RMM the scripts are read, all of them at every sync. ' +
      'The answer is QUEUED; `integration_sync` and ' +
      '`integration_sync_updates` tell how far it is. One that is under way is answered with 409 `sync_already_running`. ' +
      'Companies and contacts that a full sync does not find are marked as INACTIVE, and scripts by `removed_at`. If they are ' +
      'more than 20 and more than a fifth of those that are there, none is marked, the sync is PARTIAL, and `error` has both numbers; a sync with ' +
      '`accept_missing` marks them. A sync that reads fewer rows than the system counts marks none either, and is PARTIAL.',
    rest: { method: 'POST', path: '/integrations/{name}/sync' },
    access: scope('integrations:write'),
    errors: [
      'unknown_integration',
      'integration_not_connected',
      'integration_not_syncable',
      'sync_already_running',
    ],
    etag: syncEtag,
    args: {
      name: t.arg(name),
      input: t.arg({ type: SyncRequest, description: 'May be left out.' }),
    },
    resolve: (_root, args, ctx) =>
      startSync(ctx, requireIntegration(args.name), {
        is_full: args.input?.is_full ?? false,
        accept_missing: args.input?.accept_missing ?? false,
      }),
  }),
)

area.mutation('cancel_integration_sync', (t) =>
  t.field({
    type: IntegrationSync,
    description:
      'Cancels a sync that has not ended. What it has stored stays. One that is cancelled already is answered as it is.',
    rest: { method: 'POST', path: '/integrations/{name}/syncs/{sync_id}/cancel' },
    access: scope('integrations:write'),
    errors: ['unknown_integration', 'integration_sync_not_found', 'sync_not_cancellable', 'version_conflict'],
    etag: syncEtag,
    args: { name: t.arg(name), sync_id: t.arg(SYNC.key) },
    resolve: async (_root, { name, sync_id }, ctx) => {
      requireIntegration(name)
      const row = await SYNC.lock(ctx, sync_id)
      found(row.name === name ? row : null, SYNC.not_found, sync_id)
      return await change(ctx, SYNC, row, {
        verb: 'cancelled',
        from: ['QUEUED', 'RUNNING', 'CANCELLED'],
        to: 'CANCELLED',
        decide: () => ({ status: 'CANCELLED' as const, finished_at: ctx.now }),
        beforeWrite: async (sync) => {
          await tellConnection(ctx, { ...sync, status: 'CANCELLED' })
          await judgeUnfinished(ctx, sync)
        },
      })
    },
  }),
)

area.subscription('integration_sync_updates', (t) =>
  t.field({
    type: IntegrationSyncUpdate,
    description: 'Tells of syncs that are new or go on: their status, and what each part has read.',
    access: scope('integrations:read'),
    errors: ['unknown_integration', 'invalid_cursor'],
    args: {
      name: t.arg({ type: 'ID', description: 'Only syncs of this integration, by its `id`.' }),
      after: t.arg(AFTER),
    },
    subscribe: async (_root, args, ctx) => {
      if (args.name) requireIntegration(args.name)
      return await follow(ctx, 'integration_sync_updates', SYNC_EVENTS, args)
    },
    resolve: (update) => update,
  }),
)
