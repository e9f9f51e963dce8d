/** The updates of requests to technicians, and their subscribers. */
import { NAMED_ON_REQUESTS } from '../../access/policies/visibility.ts'
import { scoped } from '../../db/db.ts'
import { builder } from '../../schema/builder.ts'
import { atUpdate, type LiveSource, type Update, updateFields } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { seenThroughAgent } from '../agents/index.ts'
import { readTilRequest } from './queries.ts'
import { TilRequest, type TilRequestRow, TilRequestStatus } from './til-request.ts'

export const TilRequestUpdate = builder.objectRef<Update>('TilRequestUpdate').implement({
  description: 'A request to technicians that is new or has changed.',
  fields: (t) =>
    updateFields(t, {
      status: t.field({
        type: TilRequestStatus,
        nullable: true,
        description:
          'The status to which the request had come by this update: each change of it is told once. By now it may be ' +
          'another. null: the update is from before updates had it.',
        resolve: ({ status }) => status as TilRequestRow['status'] | null,
      }),
      til_request: t.field({
        type: TilRequest,
        description: 'The request as it is now, but with the `status` of the update.',
        resolve: async (update, _args, ctx, info) =>
          atUpdate(update, await readTilRequest(ctx, update.entity_id, wantedFields(info))),
      }),
    }),
})

// The callers who may read a request: those who see its agent, its technicians, and the user whose call it is.
const SEEN_BY = scoped(
  'til_requests.seen_by',
  `${seenThroughAgent('til_request', 'id')}
   union all
   ${NAMED_ON_REQUESTS}
   union all
   select r.id, r.requested_by_id from til_request r
   where r.tenant_id = $1 and r.environment = $2 and r.id in (select unnest($3::text[]))
     and r.agent_id is null and r.requested_by_type = 'USER'`,
)

const TECHNICIANS = scoped(
  'til_requests.technicians_of',
  `select til_request_id as entity_id, technician_id as value from til_request_technician
   where tenant_id = $1 and environment = $2 and til_request_id in (select unnest($3::text[]))`,
)

/** The events of requests to technicians. */
export const TIL_REQUEST_EVENTS: LiveSource = {
  kind: 'TIL_REQUEST',
  matches: () => true,
  seen_by: SEEN_BY,
  chosen: { by: TECHNICIANS, value: ({ technician_id }) => technician_id },
}
