/** What must not compile: a change of a column that its statement does not write. */
import { MEMORY } from '../../src/areas/memories/queries.ts'
import { SCHEDULE } from '../../src/areas/technicians/schedules/queries.ts'
import type { Row } from '../../src/db/query/models.ts'
import type { Context } from '../../src/gateway/context.ts'
import { change, changeAll, defineResource } from '../../src/schema/changes/change.ts'
import { updateAllOf, updateOf, upsertOf } from '../../src/schema/changes/row-update.ts'

type Memory = Row<'AgentMemory'>

declare const ctx: Context
declare const memory: Memory
declare const patch: Partial<Memory>

const common = { noun: 'memory', etag: () => '', named: () => ({ id: '', name: '' }) }

export async function changes(): Promise<void> {
  for (const write of [
    updateOf('AgentMemory', { key: ['id'], columns: ['category'] }),
    updateAllOf('AgentMemory', { key: ['id'], columns: ['category'] }),
    upsertOf('AgentMemory', { key: ['id'], columns: ['category'] }),
  ]) {
    const resource = defineResource<Memory>()({ ...common, write })
    await change(ctx, resource, memory, {
      verb: 'updated',
      decide: () => ({ category: 'SEMANTIC' as const }),
    })
    // @ts-expect-error: it is not among the columns.
    await change(ctx, resource, memory, { verb: 'updated', decide: () => ({ evidence: 'New' }) })
    // @ts-expect-error: the same of several rows.
    await changeAll(ctx, resource, [memory], { verb: 'updated', decide: () => ({ evidence: 'New' }) })
    // @ts-expect-error: it might have any column.
    await change(ctx, resource, memory, { verb: 'updated', decide: () => patch })
  }

  // @ts-expect-error: nothing writes the content of a stored memory.
  await change(ctx, MEMORY, memory, { verb: 'updated', decide: () => ({ evidence: 'New', content: 'New' }) })

  // @ts-expect-error: only an assignment moves technicians.
  await changeAll(ctx, SCHEDULE, [], { verb: 'updated', decide: () => ({ technician_ids: [] }) })
}

// @ts-expect-error: the model has no such column.
updateOf('AgentMemory', { key: ['id'], columns: ['category', 'proof'] })
