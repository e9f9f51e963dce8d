/** The bodies that make and change skills, and the checks that need more than their bounds. */
import { bodyProblem, invalid } from '../../errors/errors.ts'
import type { Context } from '../../gateway/context.ts'
import { refuseSecrets } from '../../gateway/refuse-secrets.ts'
import { builder, type SchemaTypes } from '../../schema/builder.ts'
import {
  type Bundle,
  bundleOf,
  MAX_DESCRIPTION,
  MAX_SLUG,
  type Sent,
  SLUG,
} from '../../tools/skill-bundle.ts'
import { seenAgents } from '../agents/index.ts'
import { SkillStatus } from './skill.ts'

const PATH = {
  matches: /^[A-Za-z0-9._ -]+(\/[A-Za-z0-9._ -]+)*$/,
  expected: 'a relative path of letters, digits, dots, spaces, hyphens and underscores',
}

const SkillFileInput = builder.inputType('SkillFileInput', {
  description: 'A file of a skill.',
  fields: (t) => ({
    path: t.string({
      required: true,
      max_length: 255,
      pattern: PATH,
      description: 'Its path in the skill, with no part `.` or `..`. No two are alike in any letter case.',
    }),
    content: t.string({ required: true, description: 'Its text: at most 100 KB. It holds no secret.' }),
    sha256: t.string({
      nullable: true,
      pattern: { matches: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits' },
      description: 'The SHA-256 of its text. A text with another one is refused.',
    }),
  }),
})

type Fields = PothosSchemaTypes.InputFieldBuilder<SchemaTypes, 'InputObject'>

/** The fields of both bodies. */
const content = (t: Fields) => ({
  name: t.string({ min_length: 1, max_length: 120, description: 'The name of the skill for people.' }),
  description: t.string({
    min_length: 1,
    max_length: MAX_DESCRIPTION,
    description:
      'The work that the skill is for, and when agents use it. It stands in `SKILL.md` too, and is the same there.',
  }),
  instructions: t.string({
    min_length: 1,
    max_length: 20_000,
    description: 'The text of `SKILL.md`, in place of `files`. Front matter that it lacks is written.',
  }),
  files: t.field({
    type: [SkillFileInput],
    min_items: 1,
    max_items: 20,
    description:
      'All files: at most 1 MB. One is `SKILL.md`, whose front matter has `name` (the slug), `description` and ' +
      '`allowed-tools`; what it lacks is written from the body.',
  }),
  allowed_tools: t.stringList({
    max_length: 100,
    description:
      'The tools that a run may use from its reading of the skill on, as far as the agent has them. Empty: all that ' +
      'the agent has.',
  }),
  agent_ids: t.intList({
    min: 1,
    description: 'The agents that have the skill, of those that the caller sees.',
  }),
})

export const SkillDraft = builder.inputType('SkillDraft', {
  description:
    'The skill to create, by its files or by its instructions. What a read of a skill answers can be sent.',
  fields: (t) => ({
    slug: t.string({
      min_length: 1,
      max_length: MAX_SLUG,
      pattern: SLUG,
      description:
        'The name by which agents know the skill. If it is left out, it is the `name` in the front matter of `SKILL.md`, ' +
        'or made of the name.',
    }),
    ...content(t),
    status: t.field({ type: SkillStatus, defaultValue: 'ACTIVE', description: 'The status of the skill.' }),
    source_execution_id: t.id({
      nullable: true,
      max_length: 200,
      description: 'The COMPLETED execution that the skill is made of. null: none.',
    }),
  }),
})

export const SkillPatch = builder.inputType('SkillPatch', {
  description: 'The fields to change. A field that is left out keeps its value.',
  fields: (t) => ({
    slug: t.string({ description: 'The slug of the skill. Another one is refused with read_only_field.' }),
    ...content(t),
    status: t.field({ type: SkillStatus, description: 'The status of the skill. ARCHIVED is final.' }),
  }),
})

/** Bytes of the largest body: 20 files of 100 KB are refused by their size in all. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024

/** The bundle that the body makes; 422 with all problems. */
export function checkedBundle(ctx: Context, sent: Sent, stored: Bundle | null): Bundle {
  const made = bundleOf(sent, stored)
  if ('problems' in made) throw invalid(made.problems)
  const { bundle, foreign_tools } = made
  // A skill that was read can be sent back, whatever its texts are.
  const known = new Set(stored?.files.map(({ sha256 }) => sha256))
  const texts = bundle.files.flatMap(({ content, sha256 }, index) =>
    sent.files && !known.has(sha256) ? [[`files.${index}.content`, content]] : [],
  )
  refuseSecrets({
    ...Object.fromEntries(texts),
    instructions: sent.instructions,
    name: bundle.name === stored?.name ? null : bundle.name,
    description: sent.description === stored?.description ? null : sent.description,
  })
  ctx.warnings.push(...foreign_tools.slice(0, 20).map((name) => `ignored_tool: ${name.slice(0, 64)}`))
  return bundle
}

/** The agents of the body; 422 for each that the caller does not see. */
export async function checkedAgents(ctx: Context, ids: readonly number[]): Promise<number[]> {
  const seen = await seenAgents(ctx, ids)
  const problems = ids.flatMap((id, index) =>
    seen.has(id) ? [] : [bodyProblem(`agent_ids.${index}`, 'unknown', 'is no agent that you see')],
  )
  if (problems.length > 0) throw invalid(problems)
  return [...seen].sort((a, b) => a - b)
}
