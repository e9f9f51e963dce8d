/** A skill and its versions, as they are stored and as callers see them. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { rowId } from '../../schema/scalars/entity-id.ts'
import type { SkillFile as StoredFile } from './rules.ts'

/** The row of a skill, with the columns that are computed for the caller. */
export interface SkillRow extends Omit<Row<'Skill'>, 'files'> {
  files: StoredFile[]
  /** The agents that have the skill, and that the caller does not see. */
  unseen_agent_ids: number[]
  /** The caller sees the agent of the execution that the skill was made of. */
  sees_source: boolean
}

export type VersionRow = Omit<Row<'SkillVersion'>, 'files'> & { files: StoredFile[] }

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

const FILES: { type: [typeof SkillFile]; description: string } = {
  type: [SkillFile],
  description: 'The files. `SKILL.md` is one of them.',
}

const from = madeOf<SkillRow>()

const SUMMARY = ['id', 'slug', 'name', 'description', 'allowed_tools', 'source', 'status', 'version'] as const

const agent_ids = {
  description: 'The agents that have the skill, of those that the caller sees.',
  ...from(['assigned_agent_ids', 'unseen_agent_ids'], ({ assigned_agent_ids, unseen_agent_ids }) =>
    assigned_agent_ids.filter((id) => !unseen_agent_ids.includes(id)),
  ),
} as const

const source_execution_id = {
  nullable: true,
  description:
    'The execution that the skill was made of. null: it was made of none, or of one that the caller does not see.',
  ...from(['source_execution_id', 'sees_source'], (row) =>
    row.sees_source ? row.source_execution_id : null,
  ),
} as const

/** A skill as lists have it: the files of many skills would be a hundred megabytes. */
export const SkillSummary = rowType('Skill', {
  variant: 'SkillSummary',
  description: 'A skill without its files.',
  fields: (t) => ({
    ...t.columns(...SUMMARY),
    agent_ids: t.intList(agent_ids),
    source_execution_id: t.id(source_execution_id),
    ...t.columns('created_by_name', 'created_at', 'updated_at', 'revision'),
  }),
})

export const Skill = rowType('Skill', {
  fields: (t) => ({
    ...t.columns(...SUMMARY),
    files: t.field({ ...FILES, ...from('files') }),
    agent_ids: t.intList(agent_ids),
    source_execution_id: t.id(source_execution_id),
    ...t.columns('created_by_name', 'created_at', 'updated_at', 'revision'),
  }),
})

const fromVersion = madeOf<VersionRow>()

const id = rowId<VersionRow>('skill_id', 'version')

const CONTENT = ['version', 'name', 'description', 'allowed_tools'] as const
const ORIGIN = ['created_at', 'created_by_name', 'restored_from_version'] as const

export const SkillVersionSummary = rowType('SkillVersion', {
  variant: 'SkillVersionSummary',
  description: 'A version of a skill without its files.',
  fields: (t) => ({ id: t.id(id), ...t.columns(...CONTENT, ...ORIGIN) }),
})

export const SkillVersion = rowType('SkillVersion', {
  fields: (t) => ({
    id: t.id(id),
    ...t.columns(...CONTENT),
    files: t.field({ ...FILES, ...fromVersion('files') }),
    ...t.columns(...ORIGIN),
  }),
})
