import { scope } from '../../access/policies/policies.ts'
import { area } from './area.ts'
import { readEntry, SCHEDULED_WORK } from './queries.ts'
import { entryEtag, entryId, ScheduledWork, ScheduledWorkPage } from './scheduled-work.ts'
import './cancel.ts'
import './create.ts'
import './reschedule.ts'

area.query('scheduled_work', (t) =>
  t.field({
    type: ScheduledWorkPage,
    description:
      'Lists the runs of TRIGGERED agents that are or were queued for a time, of the agents that the caller sees. ' +
      'Pages have cursors, or numbers in their place.',
    rest: { method: 'GET', path: '/scheduled-work' },
    access: scope('scheduled_work:read'),
    args: SCHEDULED_WORK.args,
    resolve: SCHEDULED_WORK.resolve,
  }),
)

area.query('scheduled_work_entry', (t) =>
  t.prismaField({
    type: ScheduledWork,
    description:
      'Gets an entry of scheduled work. One of an agent that the caller does not see is answered as one that does not exist.',
    rest: { method: 'GET', path: '/scheduled-work/{entry_id}' },
    access: scope('scheduled_work:read'),
    errors: ['scheduled_work_not_found'],
    etag: entryEtag,
    args: { entry_id: t.arg(entryId) },
    resolve: (query, _root, { entry_id }, ctx) => readEntry(ctx, entry_id, query),
  }),
)
