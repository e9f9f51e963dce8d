/** The updates of syncs, and their subscribers. */
import { scoped } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { atUpdate, type LiveSource, type Update, updateFields } from '../../schema/live/live.ts'
import { SyncStatus } from '../integrations/index.ts'
import { readSync } from './queries.ts'
import { IntegrationSync, type SyncRow } from './sync.ts'

export const IntegrationSyncUpdate = builder.objectRef<Update>('IntegrationSyncUpdate').implement({
  description: 'A sync of an integration that is new or has gone on.',
  fields: (t) =>
    updateFields(t, {
      status: t.field({
        type: SyncStatus,
        nullable: true,
        description:
          'The status to which the sync had come by this update: each change of it is told once. By now it may be another.',
        resolve: ({ status }) => status as SyncRow['status'] | null,
      }),
      integration_sync: t.prismaField({
        type: IntegrationSync,
        description: 'The sync as it is now, but with the `status` of the update.',
        resolve: async (query, update, _args, ctx) =>
          atUpdate(update, await readSync(ctx, { id: update.entity_id }, query)),
      }),
    }),
})

// Every user of the tenant sees every sync.
const SEEN_BY = scoped(
  'integration_syncs.seen_by',
  `select s.id as entity_id, u.id as value from integration_sync s
   join tenant_user u on u.tenant_id = s.tenant_id and u.environment = s.environment
   where s.tenant_id = $1 and s.environment = $2 and s.id in (select unnest($3::text[]))`,
)

const OF_INTEGRATION = scoped(
  'integration_syncs.names',
  `select s.id as entity_id, s.name as value from integration_sync s
   where s.tenant_id = $1 and s.environment = $2 and s.id in (select unnest($3::text[]))`,
)

/** The events of syncs. */
export const SYNC_EVENTS: LiveSource = {
  kind: 'INTEGRATION_SYNC',
  matches: () => true,
  seen_by: SEEN_BY,
  chosen: { by: OF_INTEGRATION, value: ({ name }) => name ?? null },
}
