/** The life of a memory: it is pinned, confirmed, deleted and restored. */
import { scope } from '../../access/policies/policies.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { MEMORY } from './queries.ts'
import { confirmedConfidence } from './rules.ts'

const memories = onTable(area, MEMORY)

const access = scope('memories:write')

memories.change('pin_memory', {
  description:
    'Pins a memory, so that automatic writers do not replace it. One that is pinned stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/pin' },
  access,
  errors: ['memory_deleted', 'memory_superseded'],
  change: ({ now }) => ({
    verb: 'pinned',
    from: ['ACTIVE'],
    decide: ({ pinned_at }) => ({ pinned_at: pinned_at ?? now }),
  }),
})

memories.change('unpin_memory', {
  description: 'Takes the pin off a memory. One that is not pinned stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/unpin' },
  access,
  errors: ['memory_deleted', 'memory_superseded'],
  change: () => ({ verb: 'unpinned', from: ['ACTIVE'], decide: () => ({ pinned_at: null }) }),
})

memories.change('confirm_memory', {
  description: 'Confirms a memory: its `confidence` is at least 0.95 from then on.',
  rest: { method: 'POST', path: '/memories/{memory_id}/confirm' },
  access,
  errors: ['memory_deleted', 'memory_superseded'],
  change: ({ now }) => ({
    verb: 'confirmed',
    from: ['ACTIVE'],
    decide: ({ confidence }) => ({ last_confirmed_at: now, confidence: confirmedConfidence(confidence) }),
  }),
})

memories.change('delete_memory', {
  description: 'Deletes a memory. It can be restored for 30 days. One that is deleted stays as it is.',
  rest: { method: 'DELETE', path: '/memories/{memory_id}' },
  access,
  errors: ['memory_superseded'],
  change: ({ now }) => ({
    verb: 'deleted',
    from: ['ACTIVE', 'DELETED'],
    to: 'DELETED',
    decide: () => ({ state: 'DELETED', deleted_at: now }),
  }),
})

memories.change('restore_memory', {
  description:
    'Restores a memory that was deleted in the last 30 days. One that is not deleted stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/restore' },
  access,
  errors: ['memory_superseded'],
  change: () => ({
    verb: 'restored',
    from: ['ACTIVE', 'DELETED'],
    to: 'ACTIVE',
    decide: () => ({ state: 'ACTIVE', deleted_at: null }),
  }),
})
