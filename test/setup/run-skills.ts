/** Skills for tests of runs, with all that the database has of them. */
import { createHash } from 'node:crypto'
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import type { Msp } from './world.ts'

type Row = Prisma.SkillCreateManyInput

interface Bundle extends Partial<Pick<Row, 'status' | 'description'>> {
  slug: string
  allowed_tools?: string[]
  assigned_agent_ids?: number[]
  /** Contents by path. */
  files?: Readonly<Record<string, string>>
}

const filesOf = (files: Readonly<Record<string, string>>) =>
  Object.entries(files).map(([path, content]) => ({
    path,
    content,
    sha256: createHash('sha256').update(content).digest('hex'),
  }))

type Place = Pick<Msp, 'tenant_id' | 'environment' | 'database'>

/** Skills with one version, of agent 1 unless they say otherwise. */
export async function addSkills(
  { tenant_id, environment, database }: Place,
  ...bundles: readonly Bundle[]
): Promise<void> {
  for (const { files = { 'SKILL.md': 'Be thorough.' }, ...bundle } of bundles) {
    const { slug, description = `How to ${slug}`, allowed_tools = [] } = bundle
    const common = {
      tenant_id,
      environment,
      name: slug,
      description,
      allowed_tools,
      files: filesOf(files),
      created_by_name: 'Ada',
      created_at: clock.now(),
    }
    const { assigned_agent_ids = [1], status = 'ACTIVE' as const } = bundle
    const skill = { ...common, id: `skl_${slug}`, slug, assigned_agent_ids, status, updated_at: clock.now() }
    await database.prisma.skill.create({ data: skill })
    await database.prisma.skillVersion.create({ data: { ...common, skill_id: skill.id, version: 1 } })
  }
}

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
