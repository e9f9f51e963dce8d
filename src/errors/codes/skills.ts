import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const SKILLS = {
  skill_not_found: noSuch('skill'),
  skill_version_not_found: noSuch('version of the skill'),
  skill_name_taken: {
    status: 409,
    message: 'Another skill has this slug.',
    fix: 'Choose another slug, or archive the skill in details.skill_id first.',
    details: z.object({ skill_id: text('The skill that has the slug.', 'skl_7') }),
  },
  skill_read_only: {
    status: 409,
    message: 'The skill cannot be changed.',
    fix: 'See details.source and details.status. Of a BUILT_IN skill only the agents change, of an ARCHIVED one nothing does: create a skill of your own from it.',
    details: z.object({
      source: text('The `source` of the skill.', 'BUILT_IN'),
      status: text('The `status` of the skill.', 'ACTIVE'),
    }),
  },
} as const satisfies ErrorTable
