import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { SCHEDULED_WORK, SCHEDULED_WORK_LIST } from './queries.ts'
import './cancel.ts'
import './create.ts'
import './reschedule.ts'

const entries = onTable(area, SCHEDULED_WORK)

entries.list('scheduled_work', SCHEDULED_WORK_LIST, {
  description:
    'Lists the runs of TRIGGERED agents that are or were queued for a time, of the agents that the caller sees. ' +
    'Pages have cursors, or numbers in their place.',
  rest: { method: 'GET', path: '/scheduled-work' },
  access: scope('scheduled_work:read'),
})

entries.read('scheduled_work_entry', {
  description:
    'Gets an entry of scheduled work. One of an agent that the caller does not see is answered as one that does not exist.',
  rest: { method: 'GET', path: '/scheduled-work/{entry_id}' },
  access: scope('scheduled_work:read'),
})
