import { scope } from '../../access/policies/policies.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { skillMdOf } from '../../tools/skill-bundle.ts'
import { area } from './area.ts'
import { CHANGEABLE } from './change.ts'
import { SKILL, SKILLS } from './queries.ts'
import { SKILL_TYPES, type SkillRow, VERSION_TYPES } from './skill.ts'

const access = scope('skills:read')

const skills = onTable(area, SKILL)

listOperation(area, 'skills', SKILLS, {
  of: SKILL_TYPES.summary,
  page: 'Skill',
  description:
    'Lists skills by name, without their files. ARCHIVED ones are listed only if they are asked for.',
  rest: { method: 'GET', path: '/skills' },
  access,
})

skills.read('skill', {
  description:
    'Gets a skill with its files, in whatever status. REST answers with `SKILL.md` alone, as it is stored, if `Accept` ' +
    'prefers `text/markdown`.',
  rest: { method: 'GET', path: '/skills/{skill_id}' },
  access,
  also_as: {
    media_type: 'text/markdown',
    description: 'The file `SKILL.md`.',
    of: (skill) => skillMdOf((skill as SkillRow).files),
  },
})

skills.versions(VERSION_TYPES, {
  list: {
    description: 'Lists the versions of a skill, the latest first, without their files.',
    rest: { method: 'GET', path: '/skills/{skill_id}/versions' },
    access,
  },
  read: {
    description: 'Gets a version of a skill with its files.',
    rest: { method: 'GET', path: '/skills/{skill_id}/versions/{version}' },
    access,
  },
  restore: {
    description:
      'Gives a skill the name, description, tools and files back that it had in a version, as its next version. A skill ' +
      'that has them stays as it is. One that is BUILT_IN or ARCHIVED is refused.',
    rest: { method: 'POST', path: '/skills/{skill_id}/versions/{version}/restore' },
    access: scope('skills:write'),
    errors: ['skill_read_only'],
    from: CHANGEABLE,
  },
})
