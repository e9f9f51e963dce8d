/** The activity log: its list. */

import { admins } from '../../../access/policies/policies.ts'
import { descending } from '../../../db/query/keyset.ts'
import type { Condition } from '../../../db/query/list.ts'
import { projection } from '../../../db/query/projection.ts'
import { filtersOf } from '../../../schema/lists/column-filters.ts'
import { defineList, facet } from '../../../schema/lists/list.ts'
import { listOperation } from '../../../schema/lists/list-operation.ts'
import { area } from '../area.ts'
import { startOf } from '../rules.ts'
import { checkLogWindow } from '../window.ts'
import { ActivityEntry, type ActivityRow, ActorType } from './activity-entry.ts'

const by = filtersOf('ActivityEntry', 'c')

const SINCE_START = 'c.occurred_at >= $from::timestamptz'

/** The condition that some target has these fields. */
const hasTarget = (target: object): Condition => ({
  text: 'c.targets @> ?::jsonb',
  values: [JSON.stringify([target])],
  custom_plan: true,
})

const ACTIVITY_LOG = defineList<ActivityRow>()({
  name: 'activity_log',
  from: 'activity_entry c',
  columns: projection('ActivityEntry', 'c', { always: ['id'] }),
  order: [descending('occurred_at', 'timestamptz'), descending('id', 'text')],
  facets: { actor_type: 'c.actor_type', action: 'c.action' },
  parameters: { from: ({ now }, { from }) => startOf('activity_log', from, now) },
  filters: {
    from: {
      type: 'DateTime',
      description:
        'Only changes of this instant or later. One more than 400 days ago is moved forward to then, with a warning.',
      where: SINCE_START,
      otherwise: SINCE_START,
    },
    to: by.before('occurred_at', 'changes'),
    actor_type: {
      type: ActorType,
      description: 'Only changes by this sort of actor.',
      where: facet('c.actor_type = ?::text'),
    },
    actor_id: by.is('actor_id', 'Only changes by the user, key or agent of this id.', 'indexed'),
    action: {
      type: 'String',
      min_length: 1,
      max_length: 120,
      description: 'Only changes with this `action`, such as `settings.updated`.',
      where: facet('c.action = ?::text'),
    },
    target_type: {
      type: 'String',
      min_length: 1,
      max_length: 120,
      description: 'Only changes of a thing of this `type`, such as `api_key`.',
      where: (type, { target_id }) => (target_id == null ? hasTarget({ type }) : null),
    },
    target_id: {
      type: 'ID',
      description: 'Only changes of a thing with this `id`; with `target_type`, of one that has both.',
      where: (id, { target_type: type }) => hasTarget(type == null ? { id } : { type, id }),
    },
  },
})

listOperation(area, 'activity_log', ACTIVITY_LOG, {
  of: ActivityEntry,
  description:
    'Lists the changes that people and programs made in the last 400 days, the newest first, then by `id` downwards.',
  rest: { method: 'GET', path: '/activity-log' },
  access: admins('audit_log:read'),
  check: (ctx, args) => checkLogWindow(ctx, 'activity_log', args),
})
