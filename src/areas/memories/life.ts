/** The life of a memory: it is pinned, confirmed, deleted and restored. */
import { scope } from '../../access/policies/policies.ts'
import type { Context } from '../../gateway/context.ts'
import type { OperationOptions } from '../../gateway/operation.ts'
import { type ChangeOf, change } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { AgentMemory, memoryEtag, memoryId } from './memory.ts'
import { lockMemory, MEMORY } from './queries.ts'
import { confirmedConfidence } from './rules.ts'

interface LifeOperation extends Required<Pick<OperationOptions, 'rest' | 'errors'>> {
  description: string
  change(ctx: Context): ChangeOf<typeof MEMORY>
}

/** Declares a change of one memory that takes no input. */
function lifeOperation(name: string, { change: changeIn, ...options }: LifeOperation): void {
  area.mutation(name, (t) =>
    t.field({
      ...options,
      type: AgentMemory,
      access: scope('memories:write'),
      etag: memoryEtag,
      args: { memory_id: t.arg(memoryId) },
      resolve: (_root, { memory_id }, ctx) => change(ctx, MEMORY, lockMemory(ctx, memory_id), changeIn(ctx)),
    }),
  )
}

const OF_ACTIVE = ['memory_not_found', 'memory_deleted', 'memory_superseded', 'version_conflict'] as const

lifeOperation('pin_memory', {
  description:
    'Pins a memory, so that automatic writers do not replace it. One that is pinned stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/pin' },
  errors: OF_ACTIVE,
  change: ({ now }) => ({
    verb: 'pinned',
    from: ['ACTIVE'],
    decide: ({ pinned_at }) => ({ pinned_at: pinned_at ?? now }),
  }),
})

lifeOperation('unpin_memory', {
  description: 'Takes the pin off a memory. One that is not pinned stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/unpin' },
  errors: OF_ACTIVE,
  change: () => ({ verb: 'unpinned', from: ['ACTIVE'], decide: () => ({ pinned_at: null }) }),
})

lifeOperation('confirm_memory', {
  description: 'Confirms a memory: its `confidence` is at least 0.95 from then on.',
  rest: { method: 'POST', path: '/memories/{memory_id}/confirm' },
  errors: OF_ACTIVE,
  change: ({ now }) => ({
    verb: 'confirmed',
    from: ['ACTIVE'],
    decide: ({ confidence }) => ({ last_confirmed_at: now, confidence: confirmedConfidence(confidence) }),
  }),
})

lifeOperation('delete_memory', {
  description: 'Deletes a memory. It can be restored for 30 days. One that is deleted stays as it is.',
  rest: { method: 'DELETE', path: '/memories/{memory_id}' },
  errors: ['memory_not_found', 'memory_superseded', 'version_conflict'],
  change: ({ now }) => ({
    verb: 'deleted',
    from: ['ACTIVE', 'DELETED'],
    to: 'DELETED',
    decide: () => ({ state: 'DELETED', deleted_at: now }),
  }),
})

lifeOperation('restore_memory', {
  description:
    'Restores a memory that was deleted in the last 30 days. One that is not deleted stays as it is.',
  rest: { method: 'POST', path: '/memories/{memory_id}/restore' },
  errors: ['memory_not_found', 'memory_superseded', 'version_conflict'],
  change: () => ({
    verb: 'restored',
    from: ['ACTIVE', 'DELETED'],
    to: 'ACTIVE',
    decide: () => ({ state: 'ACTIVE', deleted_at: null }),
  }),
})
