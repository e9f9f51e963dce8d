/** The skills of the service, and the statement that gives them to tenants. */
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { builtInSkills, giveAllBuiltIns } from '../../../src/areas/skills/built-in.ts'
import { giveBuiltInSkills } from '../../../src/areas/skills/jobs.ts'
import { isAvailable } from '../../../src/tools/executors/without-system.ts'
import { TOOLS } from '../../../src/tools/registry.ts'
import { ENVIRONMENT, testApp } from '../../setup/app.ts'
import { testDatabase } from '../../setup/database.ts'
import { tenantCommand } from '../../setup/tenant-command.ts'
import { type Msp, world } from '../../setup/world.ts'

const SKILLS = await builtInSkills()
const SLUGS = ['backup-alert', 'closing-note', 'password-reset', 'ticket-triage', 'user-onboarding']
const LATER = new Date('2027-01-01T00:00:00Z')

const granted = TOOLS.filter(
  (tool) => isAvailable(tool) && (tool.grant === 'GROUP' || tool.grant === 'REQUESTABLE'),
).map(({ name }) => name as string)
const always = TOOLS.filter(({ grant }) => grant === 'RUNTIME_ONLY' || grant === 'OWN_RULE')
  .filter(isAvailable)
  .map(({ name }) => name as string)

it('there are five', () => {
  expect(SKILLS.map(({ slug }) => slug)).toEqual(SLUGS)
})

describe.each(SKILLS)('the skill $slug', ({ id, slug, name, files, allowed_tools, version }) => {
  const content = files[0]?.content ?? ''
  const matter = parse(content.split(/^---\n/m)[1] ?? '')

  it('has the front matter of its folder', () => {
    expect(files[0]?.path).toBe('SKILL.md')
    expect(matter.name).toBe(slug)
    expect(id).toBe(`skl_built_in_${slug.replaceAll('-', '_')}`)
    expect(files.find(({ path }) => path === 'SKILL.md')?.content).toContain(`\n# ${name}\n`)
    expect(matter.description.length).toBeGreaterThan(0)
    expect(matter.description.length).toBeLessThanOrEqual(1024)
    expect(Number.isInteger(version) && version > 0).toBe(true)
  })

  it('allows the tools that it names, and no others', () => {
    const text = files.map((file) => file.content.replace(/^---\n.*?^---\n/ms, '')).join('\n')
    const named = [...text.matchAll(/`([a-z_]+\.[a-z_]+)`/g)].map(([, tool = '']) => tool)
    const own = named.filter((tool) => !always.includes(tool))
    expect([...new Set(own)].sort()).toEqual([...allowed_tools].sort())
    expect(allowed_tools.filter((tool) => !granted.includes(tool))).toEqual([])
  })

  it('has the files that it names', () => {
    const named = [...content.matchAll(/`(references\/[^`]+)`/g)].map(([, path]) => path)
    expect(files.map(({ path }) => path)).toEqual(['SKILL.md', ...named])
  })
})

const skillsOf = async ({ tenant_id }: Pick<Msp, 'tenant_id'>) =>
  (await testDatabase()).prisma.skill.findMany({
    where: { tenant_id },
    include: { versions: { orderBy: { version: 'asc' } } },
    orderBy: { slug: 'asc' },
  })

const giveTo = async ({ tenant_id }: Msp, version = 1) => {
  const skills = SKILLS.map((skill) => ({ ...skill, version, name: `${skill.name} ${version}` }))
  await giveAllBuiltIns((await testDatabase()).sql, ENVIRONMENT, LATER, { skills, tenant_id })
}

describe('built-in skills', () => {
  it('are given to each tenant once, by several processes at once', async () => {
    const msp = await world()
    await Promise.all([giveTo(msp), giveTo(msp), giveTo(msp)])
    const skills = await skillsOf(msp)
    expect(skills.map(({ slug }) => slug)).toEqual(SLUGS)
    for (const skill of skills) {
      expect(skill).toMatchObject({ environment: ENVIRONMENT, source: 'BUILT_IN', status: 'ACTIVE' })
      expect(skill).toMatchObject({ version: 1, revision: 1, created_by_name: 'Automation Service' })
      expect(skill.versions).toMatchObject([{ version: 1, files: skill.files }])
    }
  })

  it('follow a newer release, and never an older one', async () => {
    const msp = await world()
    await giveTo(msp, 1)
    await Promise.all([giveTo(msp, 3), giveTo(msp, 2), giveTo(msp, 3)])
    await giveTo(msp, 1)
    for (const skill of await skillsOf(msp)) {
      expect(skill.version).toBe(3)
      expect(skill.name).toMatch(/ 3$/)
      expect(skill.revision).toBe(skill.versions.length)
      expect(skill.versions.at(-1)).toMatchObject({ version: 3, name: skill.name })
    }
  })

  it('leave a slug of the tenant alone until its skill is archived', async () => {
    const msp = await world()
    const { prisma } = msp.database
    const row = { tenant_id: msp.tenant_id, environment: ENVIRONMENT, created_at: LATER, updated_at: LATER }
    const own = { id: 'skl_own', slug: 'closing-note', name: 'Ours', description: 'Ours', files: [] }
    await prisma.skill.create({ data: { ...row, ...own, status: 'DISABLED', created_by_name: 'Ada' } })
    await giveTo(msp)
    const slugs = async () => (await skillsOf(msp)).map(({ id, slug }) => `${slug} ${id.slice(0, 7)}`)
    expect((await slugs()).filter((slug) => slug.startsWith('closing-note'))).toEqual([
      'closing-note skl_own',
    ])
    await prisma.skill.updateMany({ where: { ...row, id: own.id }, data: { status: 'ARCHIVED' } })
    await giveTo(msp)
    expect(await skillsOf(msp)).toHaveLength(SKILLS.length + 1)
  })

  it('are given in the environment of the process alone', async () => {
    const msp = await world()
    await giveAllBuiltIns(msp.database.sql, 'elsewhere', LATER, { tenant_id: msp.tenant_id })
    expect(new Set((await skillsOf(msp)).map(({ environment }) => environment))).toEqual(
      new Set(['elsewhere']),
    )
  })

  it('come with a tenant that the operator makes', async () => {
    const { tenant_id } = await tenantCommand(
      'create',
      '--name',
      'Acme',
      '--owner-email',
      'ada@acme.example',
      '--data-residency',
      'UK',
    )
    expect((await skillsOf({ tenant_id })).map(({ slug }) => slug)).toEqual(SLUGS)
  })

  it('are given to all tenants by the loop', async () => {
    const msp = await world()
    const { services } = (await testApp()).app
    const asked: unknown[] = []
    // The database of the tests has thousands of tenants.
    const rows: typeof msp.database.sql.rows = (statement, [tenant_id, ...values] = []) => {
      asked.push(tenant_id)
      return msp.database.sql.rows(statement, [msp.tenant_id, ...values])
    }
    const database = { ...msp.database, sql: { ...msp.database.sql, rows } }
    const { signal } = new AbortController()
    const log = pino({ level: 'silent' })
    await giveBuiltInSkills.run({ services: { ...services, database }, now: LATER, signal, log })
    expect((await skillsOf(msp)).map(({ slug }) => slug)).toEqual(SLUGS)
    expect(asked).toEqual([null])
  })
})
