/** The SQL of skills, and how changes reach them. */
import { restrictedUser, SEEN_AGENTS } from '../../access/policies/visibility.ts'
import { callerOf } from '../../access/viewer.ts'
import { ascending } from '../../db/query/keyset.ts'
import { ApiError } from '../../errors/errors.ts'
import { searchFor } from '../../schema/lists/list.ts'
import { defineTable } from '../../schema/tables/table.ts'
import { eventsOfChange } from './events.ts'
import { SKILL_TYPES, type SkillRow, skillEtag } from './skill.ts'

/** BUILT_IN: the service’s own. The others have their status. */
type State = 'BUILT_IN' | SkillRow['status']

export const SKILL = defineTable<SkillRow, State>()('Skill', {
  alias: 's',
  noun: 'skill',
  type: SKILL_TYPES.of,
  argument: 'skill_id',
  description: 'The id of the skill.',
  not_found: 'skill_not_found',
  prefix: 'skl',
  etag: skillEtag,
  tagged: ['unseen_agent_ids', 'sees_source'],
  parameters: { user: (ctx) => restrictedUser(callerOf(ctx)) },
  computed: {
    unseen_agent_ids: `array(select id from unnest(s.assigned_agent_ids) id
      where $user::text is not null and id <> all(array(${SEEN_AGENTS})))`,
    sees_source: `($user::text is null or s.source_agent_id = any(array(${SEEN_AGENTS})))`,
  },
  unread: ['search_text'],
  constant: ['slug', 'source', 'source_execution_id', 'source_agent_id', 'created_by_name'],
  unique: {
    skill_name_taken: {
      columns: ['slug'],
      among: { status: { not: 'ARCHIVED' } },
      details: ({ id }) => ({ skill_id: id }),
    },
  },
  versions: {
    model: 'SkillVersion',
    content: ['name', 'description', 'allowed_tools', 'files'],
    not_found: 'skill_version_not_found',
  },
  // Versions keep the files.
  recorded: ({ slug, name, description, allowed_tools, assigned_agent_ids: agent_ids, ...row }) => {
    const { status, version, source_execution_id } = row
    return { slug, name, description, allowed_tools, agent_ids, status, version, source_execution_id }
  },
  events: eventsOfChange,
  state: {
    of: ({ source, status }) => (source === 'BUILT_IN' ? source : status),
    refusal: ({ source, status }) => new ApiError('skill_read_only', { details: { source, status } }),
  },
})

/** The skills of the tenant. Archived ones are among them only if they are asked for. */
export const SKILLS = SKILL.list({
  name: 'skills',
  order: [ascending('sort_name', 'text'), ascending('id', 'text')],
  filters: {
    status: {
      ...SKILL.by.isOneOf(
        'status',
        'Only skills with one of these statuses',
        null,
        ' All but ARCHIVED if it is left out.',
      ),
      otherwise: `s.status <> 'ARCHIVED'`,
    },
    source: SKILL.by.is('source', 'Only skills of this maker.'),
    agent_id: {
      type: 'Int',
      min: 1,
      description: 'Only skills that this agent has, if the caller sees the agent.',
      where: (id) => ({
        text: `?::int = any(s.assigned_agent_ids) and ?::int in (${SEEN_AGENTS})`,
        values: [id, id],
      }),
    },
    search: searchFor('s.search_text', 'Only skills with this in their name, `slug` or description.'),
  },
})
