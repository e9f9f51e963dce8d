/** Skills for tests of runs: of agent 1 unless they say otherwise. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import { skillFile } from './skill-files.ts'
import { addSkills as addRows } from './skills.ts'
import type { Msp } from './world.ts'

interface Bundle extends Partial<Pick<Prisma.SkillCreateManyInput, 'status' | 'description'>> {
  slug: string
  allowed_tools?: string[]
  assigned_agent_ids?: number[]
  /** Contents by path. */
  files?: Readonly<Record<string, string>>
}

type Place = Pick<Msp, 'tenant_id' | 'environment' | 'database'>

const filesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, content]) => skillFile(path, content))

/** Skills with one version. */
export const addSkills = (place: Place, ...bundles: readonly Bundle[]): Promise<void> =>
  addRows(
    place,
    bundles.map(({ files = { 'SKILL.md': 'Be thorough.' }, ...bundle }) => ({
      id: `skl_${bundle.slug}`,
      description: `How to ${bundle.slug}`,
      assigned_agent_ids: [1],
      ...bundle,
      files: filesOf(files),
    })),
  )

/** The second version of the skill, which becomes the latest. */
export async function changeSkill(
  { tenant_id, environment, database }: Place,
  slug: string,
  { files = {}, allowed_tools = [] }: Pick<Bundle, 'files' | 'allowed_tools'>,
): Promise<void> {
  const changed = { description: 'Changed.', allowed_tools, files: filesOf(files) }
  const place = { tenant_id, environment }
  await database.prisma.skill.updateMany({
    where: { ...place, slug },
    data: { ...changed, version: 2, revision: 2 },
  })
  await database.prisma.skillVersion.create({
    data: {
      ...place,
      ...changed,
      skill_id: `skl_${slug}`,
      version: 2,
      name: slug,
      created_by_name: 'Ada',
      created_at: clock.now(),
    },
  })
}
