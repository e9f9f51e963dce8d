import { scope } from '../../access/policies/policies.ts'
import { listOperation } from '../../schema/lists/list-operation.ts'
import { NO_FIELDS } from '../../schema/selection.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import { readVersion, SKILL, SKILL_VERSIONS, SKILLS, VERSION } from './queries.ts'
import { skillMdOf } from './rules.ts'
import { type SkillRow, SkillSummary, SkillVersion, SkillVersionSummary } from './skill.ts'
import './change.ts'

const access = scope('skills:read')

listOperation(area, 'skills', SKILLS, {
  of: SkillSummary,
  page: 'Skill',
  description:
    'Lists skills by name, without their files. ARCHIVED ones are listed only if they are asked for.',
  rest: { method: 'GET', path: '/skills' },
  access,
})

onTable(area, SKILL).read('skill', {
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

listOperation(area, 'skill_versions', SKILL_VERSIONS, {
  of: SkillVersionSummary,
  page: 'SkillVersion',
  description: 'Lists the versions of a skill, the latest first, without their files.',
  rest: { method: 'GET', path: '/skills/{skill_id}/versions' },
  access,
  errors: ['skill_not_found'],
  check: (ctx, { skill_id }) => SKILL.select(ctx, skill_id as string, NO_FIELDS),
})

area.query('skill_version', (t) =>
  t.prismaField({
    type: SkillVersion,
    description: 'Gets a version of a skill with its files.',
    rest: { method: 'GET', path: '/skills/{skill_id}/versions/{version}' },
    access,
    errors: ['skill_not_found', 'skill_version_not_found'],
    args: { skill_id: t.arg(SKILL.key), version: t.arg(VERSION) },
    async resolve(query, _root, { skill_id, version }, ctx) {
      await SKILL.select(ctx, skill_id, NO_FIELDS)
      return (await readVersion(ctx, skill_id, version, query)) as never
    },
  }),
)
