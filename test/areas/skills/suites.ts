import fc from 'fast-check'
import type { Skill, SkillVersion } from '../../../src/db/generated/client/client.ts'
import { skillFile, skillMd } from '../../setup/skill-files.ts'
import { addSkills } from '../../setup/skills.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, isIn, type ListSampler } from '../../setup/suites/sampler.ts'
import { some, text } from '../../setup/suites/sent-back.ts'
import { draft } from './calls.ts'

const skill_id = from('skills', 'id')

const AGENTS = [1, 2, 3]
const numbered = (n: number): string => `skl_${String(n).padStart(3, '0')}`

const skills: ListSampler<Skill> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addSkills(
      msp,
      numbers.map((n) => ({
        id: numbered(n),
        slug: `skill-${n}`,
        name: `${at(['Printers', 'CAFÉ 100%', 'a_b'], n)} ${n >> 1}`,
        description: `${at(['For printers', 'For tills'], n)} ${n}`,
        status: at(['ACTIVE', 'ACTIVE', 'DISABLED', 'ARCHIVED'] as const, n),
        source: at(['TENANT', 'TENANT', 'BUILT_IN'] as const, n),
        assigned_agent_ids: at([[], [1], [2], [2, 3]], n >> 1),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.skill.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.skill.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': [{ value: ({ sort_name }) => sort_name }, { value: ({ id }) => id }] },
  lists: ({ status }, args) => args.status !== undefined || status !== 'ARCHIVED',
  filters: {
    status: isEqual('status', ['ARCHIVED', ['ACTIVE', 'DISABLED']]),
    source: isEqual('source', ['TENANT', 'BUILT_IN']),
    // Agent 2, which a USER does not see, has a test of its own.
    agent_id: {
      values: [1, 3, 999],
      meets: ({ assigned_agent_ids }, value: number) => assigned_agent_ids.includes(value),
    },
    search: isIn(
      ({ name, slug, description }) => [name, slug, description],
      ['print', 'é 1', '_', '%', 'tills'],
    ),
  },
  steady: 'people make its rows, one by one',
}

const skill_versions: ListSampler<SkillVersion> = {
  required: { skill_id: 'skl_1' },
  async add(msp, numbers) {
    const { prisma } = msp.database
    const known = await prisma.skill.count({ where: { tenant_id: msp.tenant_id } })
    if (known === 0)
      await addSkills(
        msp,
        ['skl_1', 'skl_2'].map((id) => ({ id, version: 10_000 })),
      )
    await prisma.skillVersion.createMany({
      data: numbers.map((n) => ({
        tenant_id: msp.tenant_id,
        environment: msp.environment,
        // Every fifth version is of another skill.
        skill_id: n % 5 === 0 ? 'skl_2' : 'skl_1',
        version: n + 1,
        name: `Version ${n}`,
        description: 'For versions.',
        files: [skillFile('SKILL.md', skillMd('versions', 'For versions.', `# ${n}\n`))],
        created_by_name: 'Ada Admin',
        created_at: instant(n),
      })),
    })
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.skillVersion.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, version) {
    await prisma.skillVersion.deleteMany({ where: { tenant_id, version: Number(version) } })
  },
  id: 'version',
  orders: { '': [{ value: ({ version }) => version, descending: true }] },
  filters: { skill_id: isEqual('skill_id', ['skl_1', 'skl_2']) },
  steady: 'people make its rows, one by one',
}

export const SUITES: AreaSuites = {
  who_may: {
    skills: { scope: 'skills:read' },
    skill: { scope: 'skills:read' },
    skill_versions: { scope: 'skills:read' },
    skill_version: { scope: 'skills:read' },
    create_skill: { scope: 'skills:write' },
    update_skill: { scope: 'skills:write' },
    archive_skill: { scope: 'skills:write' },
    set_skill_agents: { scope: 'skills:write' },
    restore_skill_version: { scope: 'skills:write' },
  },
  examples: {
    reads: {
      skills: { source: 'TENANT', page_size },
      skill: { skill_id },
      skill_versions: { skill_id, page_size },
      skill_version: { skill_id, version: 1 },
    },
    writes: {
      create_skill: {
        input: {
          name: 'Meeting room screens',
          description:
            'How screens in meeting rooms are looked after. Use for tickets about a room, its screen or its camera.',
          instructions:
            '# Meeting room screens\n\n1. Read the ticket, and find the device by the name of the room.\n2. Ask for the cable ' +
            'before anything is restarted.',
          allowed_tools: ['ticket.read', 'device.search', 'ticket.add_note'],
          agent_ids: [1],
        },
      },
      update_skill: {
        skill_id,
        input: { description: 'How this is done here. Use it for every such ticket.' },
      },
      restore_skill_version: { skill_id, version: 1 },
      set_skill_agents: { skill_id: 'skl_built_in_backup_alert', input: { agent_ids: [1, 2] } },
      archive_skill: { skill_id },
    },
  },
  async own_rows(msp, { id, mark }) {
    const skill_id = `skl_${id}`
    const slug = `skill-${id}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')
    await addSkills(msp, [{ id: skill_id, slug, name: mark, description: mark, created_by_name: mark }])
    return { skill_id, version: 1 }
  },
  events: {
    'skill.updated': ({ call }) => call('create_skill', { input: draft() }),
  },
  lists: { skills, skill_versions },
  channel_writes: {
    create_skill: 'runs at once',
    update_skill: 'runs at once',
    archive_skill: 'runs at once',
    set_skill_agents: 'runs at once',
    restore_skill_version: 'runs at once',
  },
  fetched_again: {
    create_skill: ['skills'],
    update_skill: ['skill_versions'],
    archive_skill: ['skills'],
    restore_skill_version: ['skill_versions'],
  },
  sent_back: {
    update_skill: {
      bodies: () =>
        some({ name: text, description: text, allowed_tools: fc.constantFrom([], ['ticket.read']) }),
    },
  },
  foreign_tables: { tenant: 'built-in skills are given to every tenant' },
  error_codes: {
    404: 'skill_not_found skill_version_not_found',
    409: 'skill_name_taken skill_read_only',
  },
}
