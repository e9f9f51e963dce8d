/** Skills for tests. */
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { clock } from './app.ts'
import { skillFile, skillMd } from './skill-files.ts'
import type { Msp } from './world.ts'

type Skill = Partial<Prisma.SkillCreateManyInput> & { id: string }

/** ACTIVE skills of the MSP, each with its first version. */
export async function addSkills(
  { tenant_id, environment, database: { prisma } }: Pick<Msp, 'tenant_id' | 'environment' | 'database'>,
  skills: readonly Skill[],
): Promise<void> {
  const now = clock.now()
  const rows = skills.map((skill) => {
    const slug = skill.slug ?? skill.id.replaceAll('_', '-')
    const description = skill.description ?? `Use for ${skill.id}.`
    return {
      tenant_id,
      environment,
      slug,
      name: `Skill ${skill.id}`,
      description,
      files: [skillFile('SKILL.md', skillMd(slug, description, `# ${skill.id}\n`))],
      created_by_name: 'Ada Admin',
      created_at: now,
      updated_at: now,
      ...skill,
    }
  })
  await prisma.skill.createMany({ data: rows })
  await prisma.skillVersion.createMany({
    data: rows.map(({ id, name, description, files, allowed_tools = [], created_by_name, version = 1 }) => ({
      tenant_id,
      environment,
      skill_id: id,
      version,
      name,
      description,
      files,
      allowed_tools,
      created_by_name,
      created_at: now,
    })),
  })
}
