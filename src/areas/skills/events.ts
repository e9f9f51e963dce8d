/** The events of skills. */
import { changedFields } from '../../schema/events/changed-fields.ts'
import { declareEvents, text, texts, whole, word } from '../../schema/events/declare.ts'
import { EVERYBODY } from '../../schema/events/sight.ts'
import type { SkillRow } from './skill.ts'

const CHANGES = ['CREATED', 'CHANGED', 'ARCHIVED', 'RESTORED', 'AGENTS_SET'] as const
type Change = (typeof CHANGES)[number]

const SKILL_EVENTS = declareEvents('skill', {
  data: {
    skill_id: text('The skill.'),
    slug: text('The slug of the skill.'),
    name: text('The name of the skill.'),
    status: text('The status of the skill.'),
    source: text('The maker of the skill.'),
    version: whole('The latest version of the skill.'),
    change: word(
      'The kind of change. RESTORED: an earlier version was restored. AGENTS_SET: the skill was given to agents.',
      CHANGES,
    ),
    changed_fields: texts('The fields that changed. Empty for a new skill.'),
  },
  seen: EVERYBODY,
  about: ({ skill_id }) => ({ id: skill_id }),
  events: { updated: 'A skill was created, changed, archived, restored or given to agents.' },
})

const BY_VERB: Readonly<Record<string, Change>> = {
  created: 'CREATED',
  updated: 'CHANGED',
  archived: 'ARCHIVED',
  restored: 'RESTORED',
  agents_set: 'AGENTS_SET',
}

/** The columns whose fields have other names. Columns that are computed for the caller are no fields. */
const FIELDS: Readonly<Record<string, string | null>> = {
  assigned_agent_ids: 'agent_ids',
  unseen_agent_ids: null,
  sees_source: null,
}

/** The events of a change, by its past verb. A change of the status to ARCHIVED archives the skill too. */
export function eventsOfChange(verb: string, skill: SkillRow, before: SkillRow | null) {
  const { id: skill_id, slug, name, status, source, version } = skill
  const is_archived = before !== null && status === 'ARCHIVED' && before.status !== 'ARCHIVED'
  const change = is_archived ? 'ARCHIVED' : BY_VERB[verb]
  if (!change) throw new Error(`No event tells of skills that are ${verb}`)
  const changed_fields = changedFields(before ?? skill, skill).flatMap((column) => {
    const field = FIELDS[column]
    return field === undefined ? [column] : (field ?? [])
  })
  return [SKILL_EVENTS.updated({ skill_id, slug, name, status, source, version, change, changed_fields })]
}
