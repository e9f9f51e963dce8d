import { scope } from '../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../access/viewer.ts'
import { ApiError } from '../../errors/errors.ts'
import { refuseSecrets } from '../../gateway/refuse-secrets.ts'
import { newId } from '../../lib/ids.ts'
import { builder } from '../../schema/builder.ts'
import { change, type PatchOf, targetOf } from '../../schema/changes/change.ts'
import { area } from './area.ts'
import { eventsOfChange } from './events.ts'
import { audiences, category, checkedReaders, confidence, content, evidence, restrictedTo } from './input.ts'
import { AgentMemory, MemoryAudience, type MemoryRow } from './memory.ts'
import { MEMORY, titleOf, writerOf } from './queries.ts'

const MemoryPatch = builder.inputType('MemoryPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    content: t.string({
      ...content,
      description: 'Other content makes a new memory, which replaces this one. It holds no secret.',
    }),
    category: t.field(category),
    audiences: t.field({ ...audiences, type: [MemoryAudience] }),
    confidence: t.float(confidence),
    evidence: t.string(evidence),
    restricted_to_agent_ids: t.idList(restrictedTo),
  }),
})

area.mutation('update_memory', (t) =>
  t.field({
    type: AgentMemory,
    description:
      'Changes a memory. Other content makes a new memory with the rest of this one, which it replaces; the answer ' +
      'is the new one. An API key with no acting user does not replace a pinned memory.',
    rest: { method: 'PATCH', path: '/memories/{memory_id}' },
    access: scope('memories:write'),
    errors: [
      'memory_not_found',
      'memory_deleted',
      'memory_superseded',
      'memory_pinned',
      'secret_in_content',
      'version_conflict',
    ],
    etag: MEMORY.etag,
    args: { memory_id: t.arg(MEMORY.key), input: t.arg({ type: MemoryPatch, required: true }) },
    resolve: async (_root, { memory_id, input }, ctx) => {
      const memory = await MEMORY.lock(ctx, memory_id)
      // A memory that was read can be sent back, whatever its texts are and whichever of its agents the caller sees.
      const { content: text, evidence: facts } = input
      refuseSecrets({
        content: text === memory.content ? null : text,
        evidence: facts === memory.evidence ? null : facts,
      })
      const patch: PatchOf<typeof MEMORY> = {
        ...(await checkedReaders(ctx, input, { known: memory.restricted_agent_ids })),
        ...(input.category && { category: input.category }),
        ...(typeof input.confidence === 'number' && { confidence: input.confidence }),
        ...(facts !== undefined && { evidence: facts || null }),
      }
      const common = { from: ['ACTIVE'] } as const
      if (!text || text === memory.content)
        return await change(ctx, MEMORY, memory, { ...common, verb: 'updated', decide: () => patch })
      const created_by = await writerOf(ctx)
      const id = newId('mem')
      let successor: MemoryRow | undefined
      await change(ctx, MEMORY, memory, {
        ...common,
        verb: 'superseded',
        to: 'SUPERSEDED',
        decide: ({ pinned_at }) => {
          // Contract silent: an API key with no acting user writes automatically.
          if (pinned_at && created_by === 'API_KEY')
            throw new ApiError('memory_pinned', { details: { pinned_at } })
          return { state: 'SUPERSEDED' as const, superseded_by: id }
        },
        beforeWrite: async (before) => {
          successor = await MEMORY.insert(ctx, {
            ...before,
            ...patch,
            id,
            content: text,
            supersedes_id: before.id,
            created_by,
            created_by_user_name: recordedName(callerOf(ctx)),
            last_confirmed_at: null,
          })
        },
        otherEvents: () => (successor ? eventsOfChange('created', successor) : []),
        otherTargets: () => [targetOf(MEMORY, { id, name: titleOf({ content: text }) })],
      })
      if (!successor) throw new Error('A memory was replaced by none')
      return successor
    },
  }),
)
