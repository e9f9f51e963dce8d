import { scope } from '../../access/policies/policies.ts'
import { addPages, listOperation } from '../../schema/lists/list-operation.ts'
import { AFTER, follow } from '../../schema/live/live.ts'
import { wantedFields } from '../../schema/selection.ts'
import { Execution, executionId, requireExecution } from '../executions/index.ts'
import { area } from './area.ts'
import './events.ts'
import './deciding/approve.ts'
import './deciding/reject.ts'
import './deciding/answer.ts'
import './deciding/reassign.ts'
import { EXECUTION_TIL_REQUESTS, readTilRequest, TIL_REQUESTS, TIL_REQUESTS_OF_EXECUTION } from './queries.ts'
import { TilRequest, tilRequestEtag, tilRequestId } from './til-request.ts'
import { TIL_REQUEST_EVENTS, TilRequestUpdate } from './updates.ts'

const ORDER =
  'Open requests come first, the oldest before the others; closed ones follow, the last closed first.'

listOperation(area, 'til_requests', TIL_REQUESTS, {
  of: TilRequest,
  description: `Lists the requests to technicians that the caller sees. ${ORDER}`,
  rest: { method: 'GET', path: '/til-requests' },
  access: scope('til_requests:read'),
})

area.query('til_request', (t) =>
  t.prismaField({
    type: TilRequest,
    description:
      'Gets a request to technicians, for callers who see its agent and for the technicians who are named on it. Any ' +
      'other request is answered as one that does not exist.',
    rest: { method: 'GET', path: '/til-requests/{til_request_id}' },
    access: scope('til_requests:read'),
    errors: ['til_request_not_found'],
    etag: tilRequestEtag,
    args: { til_request_id: t.arg(tilRequestId) },
    resolve: (query, _root, { til_request_id }, ctx, info) =>
      readTilRequest(ctx, til_request_id, wantedFields(info), { query }),
  }),
)

listOperation(area, 'execution_til_requests', EXECUTION_TIL_REQUESTS, {
  of: TilRequest,
  description:
    'Lists the requests to technicians that an execution raised, across all its pauses. An execution from before ' +
    `12 August 2026 has none here. ${ORDER}`,
  rest: { method: 'GET', path: '/executions/{execution_id}/til-requests' },
  access: scope('til_requests:read'),
  errors: ['execution_not_found'],
  args: { execution_id: executionId },
  check: (ctx, { execution_id }) => requireExecution(ctx, String(execution_id)),
})

area.subscription('til_request_updates', (t) =>
  t.field({
    type: TilRequestUpdate,
    description:
      'Tells of requests to technicians that are new or change. The caller gets those that they could read.',
    access: scope('til_requests:read'),
    errors: ['invalid_cursor'],
    args: {
      technician_id: t.arg.int({ min: 1, description: 'Only requests that this technician may decide.' }),
      after: t.arg(AFTER),
    },
    subscribe: (_root, args, ctx) => follow(ctx, 'til_request_updates', TIL_REQUEST_EVENTS, args),
    resolve: (update) => update,
  }),
)

addPages(Execution, 'til_requests', TIL_REQUESTS_OF_EXECUTION, 'execution_id', {
  of: TilRequest,
  access: scope('til_requests:read'),
  description: 'The requests to technicians that the execution raised.',
})
