import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { apis, describeApi } from '../../setup/api.ts'
import { addSkills } from '../../setup/skills.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Msp, world } from '../../setup/world.ts'
import { create, read, restore, setAgents, update } from './calls.ts'

/** Skills with these ids, each of agents 1 and 2, and each with three versions. */
async function addSome(msp: Msp, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => `skl_${n}`)
  await addSkills(
    msp,
    ids.map((id) => ({ id, assigned_agent_ids: [1, 2], version: 3 })),
  )
}

describeApi('statements', (api) => {
  it.each(['admin', 'user'] as const)(
    'of lists are as many for 50 skills as for one, for the %s',
    async (who) => {
      const counts = []
      for (const skills of [1, 50]) {
        const msp = await world()
        await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
        await addSome(msp, skills)
        const list = async () => {
          const { data } = await api.call(msp[who], 'skills', { agent_id: 1, page_size: 50 })
          expect(data).toHaveLength(skills)
        }
        await list()
        counts.push(await countStatements(msp.database, list))
      }
      expect(counts).toEqual([2, 2])
    },
  )

  it('of reads are as many as without agents', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    await addSome(msp, 1)
    const counts = []
    for (const work of [
      () => read(api, msp.user, 'skl_0'),
      () => api.call(msp.user, 'skill_versions', { skill_id: 'skl_0' }),
      () => api.call(msp.user, 'skill_version', { skill_id: 'skl_0', version: 3 }),
    ]) {
      await work()
      counts.push(await countStatements(msp.database, work))
    }
    expect(counts).toEqual([2, 3, 3])
  })
})

// Statements inside a transaction are visible on PostgreSQL only.
it.runIf(process.env.DATABASE_URL).each(apis)(
  'changes through $name take as many statements whatever the skill has',
  async (api) => {
    const counted = async (count: number) => {
      const msp = await world()
      const agent_ids = Array.from({ length: count }, (_, n) => n + 1)
      await addAgents(
        msp,
        agent_ids.map((id) => ({ id })),
      )
      const files = [
        { path: 'SKILL.md', content: '---\nname: a\ndescription: b\n---\n' },
        ...agent_ids.map((id) => ({ path: `${id}`, content: `${id}` })),
      ]
      const { data } = await create(api, msp.admin)
      const counts = []
      for (const work of [
        () => api.call(msp.admin, 'create_skill', { input: { files, agent_ids } }),
        () => update(api, msp.admin, data.id, { description: `For ${count}.`, agent_ids }),
        () => setAgents(api, msp.admin, data.id, agent_ids.slice(1)),
        () => restore(api, msp.admin, data.id, 1),
        () => api.call(msp.admin, 'archive_skill', { skill_id: data.id }),
      ])
        counts.push(await countStatements(msp.database, async () => expect((await work()).status).toBe(200)))
      return counts
    }
    const few = await counted(2)
    expect(await counted(15)).toEqual(few)
    expect(Math.max(...few)).toBeLessThan(12)
  },
)
