/** A skill and its versions, as they are stored and as callers see them. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowTypes } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import type { SkillFile as StoredFile } from '../../tools/skill-bundle.ts'

/** The row of a skill, with the columns that are computed for the caller. */
export interface SkillRow extends Omit<Row<'Skill'>, 'files'> {
  files: StoredFile[]
  /** The agents that have the skill, and that the caller does not see. */
  unseen_agent_ids: number[]
  /** The caller sees the agent of the execution that the skill was made of. */
  sees_source: boolean
}

export const SkillStatus = enumFrom('SkillStatus')

/** Shares of agents change what a caller sees of a skill without a new revision. */
export const skillEtag = ({ revision, unseen_agent_ids, sees_source }: SkillRow): string =>
  etagOf(revision, [unseen_agent_ids, sees_source])

const SkillFile = builder.objectRef<StoredFile>('SkillFile').implement({
  description: 'A file of a skill.',
  fields: (t) => ({
    path: t.exposeString('path', { description: 'Its path in the skill, such as `references/printers.md`.' }),
    content: t.exposeString('content', { description: 'Its text: at most 100 KB.' }),
    sha256: t.exposeString('sha256', {
      description: 'The SHA-256 of its text in UTF-8, in hexadecimal digits.',
    }),
  }),
})

const from = madeOf<SkillRow>()

const FILES: { type: [typeof SkillFile]; max_items: number; description: string } = {
  type: [SkillFile],
  max_items: 20,
  description: 'The files. `SKILL.md` is one of them.',
}

// The files of all skills of a page would be a hundred megabytes.
const WITHOUT = { without: ['files'] } as const

export const SKILL_TYPES = rowTypes('Skill', {
  ...WITHOUT,
  summary: 'A skill without its files.',
  fields: (t) => ({
    ...t.columns('id', 'slug', 'name', 'description', 'allowed_tools', 'source', 'status', 'version'),
    files: t.field({ ...FILES, ...from('files') }),
    agent_ids: t.intList({
      description: 'The agents that have the skill, of those that the caller sees.',
      ...from(['assigned_agent_ids', 'unseen_agent_ids'], ({ assigned_agent_ids, unseen_agent_ids }) =>
        assigned_agent_ids.filter((id) => !unseen_agent_ids.includes(id)),
      ),
    }),
    source_execution_id: t.id({
      nullable: true,
      description:
        'The execution that the skill was made of. null: it was made of none, or of one that the caller does not see.',
      ...from(['source_execution_id', 'sees_source'], (row) =>
        row.sees_source ? row.source_execution_id : null,
      ),
    }),
    ...t.columns('created_by_name', 'created_at', 'updated_at', 'revision'),
  }),
})

export const VERSION_TYPES = rowTypes('SkillVersion', {
  ...WITHOUT,
  summary: 'A version of a skill without its files.',
  fields: (t) => ({
    id: t.id(rowId<Row<'SkillVersion'>>('skill_id', 'version')),
    ...t.columns('version', 'name', 'description', 'allowed_tools'),
    files: t.field({ ...FILES, ...from('files') }),
    ...t.columns('created_at', 'created_by_name', 'restored_from_version'),
  }),
})
