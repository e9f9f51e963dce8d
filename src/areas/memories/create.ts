import { scope } from '../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../access/viewer.ts'
import { refuseSecrets } from '../../gateway/refuse-secrets.ts'
import { builder } from '../../schema/builder.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { audiences, category, checkedReaders, confidence, content, evidence, restrictedTo } from './input.ts'
import { MemoryAudience, MemoryDerivation, MemoryScopeType } from './memory.ts'
import { MEMORY, writerOf } from './queries.ts'
import { newConfidence, scopeProblems } from './rules.ts'

const MemoryDraft = builder.inputType('MemoryDraft', {
  description: 'The memory to keep.',
  fields: (t) => ({
    content: t.string({ ...content, required: true }),
    category: t.field({ ...category, required: true }),
    scope_type: t.field({
      type: MemoryScopeType,
      required: true,
      description: 'The kind of thing that the memory is about.',
    }),
    scope_id: t.id({
      min_length: 1,
      max_length: 200,
      nullable: true,
      description: 'The id of the thing that the memory is about; null if `scope_type` is TENANT.',
    }),
    audiences: t.field({ ...audiences, type: [MemoryAudience], defaultValue: ['ALL'] }),
    derivation: t.field({
      type: MemoryDerivation,
      defaultValue: 'STATED',
      description: 'The source of the knowledge.',
    }),
    confidence: t.float({
      ...confidence,
      description: 'The trust in the memory. What a person stated has 1. Otherwise 0.8 if it is left out.',
    }),
    evidence: t.string(evidence),
    restricted_to_agent_ids: t.idList({ ...restrictedTo, defaultValue: [] }),
    test_mode: t.boolean({
      defaultValue: false,
      description: 'true: a test of an agent makes the memory.',
    }),
  }),
})

onTable(area, MEMORY).create('create_memory', {
  description: 'Keeps a memory. What a person states is taken for certain: its confidence is 1.',
  rest: { method: 'POST', path: '/memories' },
  access: scope('memories:write'),
  errors: ['secret_in_content'],
  input: MemoryDraft,
  async values(ctx, input) {
    const { content: text, category: sort, scope_type } = input
    const scope_id = input.scope_id ?? null
    const derivation = input.derivation ?? 'STATED'
    refuseSecrets({ content: text, evidence: input.evidence })
    const readers = await checkedReaders(ctx, input, { problems: scopeProblems(scope_type, scope_id) })
    const created_by = await writerOf(ctx)
    const asked = input.confidence ?? null
    const kept = newConfidence({ derivation, confidence: asked, by_person: created_by !== 'API_KEY' })
    if (asked !== null && asked !== kept)
      ctx.warnings.push(`not_applied: confidence is ${kept} for what a person stated`)
    return {
      content: text,
      category: sort,
      scope_type,
      scope_id,
      derivation,
      created_by,
      confidence: kept,
      evidence: input.evidence || null,
      audiences: readers.audiences ?? ['ALL'],
      restricted_agent_ids: readers.restricted_agent_ids ?? [],
      created_by_user_name: recordedName(callerOf(ctx)),
      test_mode: input.test_mode ?? false,
    }
  },
})
