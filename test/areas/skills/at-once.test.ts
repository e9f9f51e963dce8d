import { describe, expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { apis } from '../../setup/api.ts'
import { counted, TIMES, times } from '../../setup/at-once.ts'
import { countActivities } from '../../setup/audit-log.ts'
import { type Msp, world } from '../../setup/world.ts'
import { create, read, restore, rowsOf, setAgents, update } from './calls.ts'

/** The versions of the tenant's one skill, in order. */
const versionsOf = async ({ database: { prisma }, tenant_id }: Msp) =>
  (await prisma.skillVersion.findMany({ where: { tenant_id }, orderBy: { version: 'asc' } })).map(
    ({ version }) => version,
  )
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('of changes of one revision exactly one is made', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    const answers = await times((n) =>
      n % 2
        ? update(api, msp.admin, data.id, { name: `Other ${n}` }, { 'if-match': '"1"' })
        : update(api, msp.admin, data.id, { instructions: `# ${n}` }, { 'if-match': '"1"' }),
    )
    expect(counted(answers)).toEqual({ 200: 1, version_conflict: TIMES - 1 })
    expect(answers.find(({ error }) => error)?.status).toBe(409)
    expect(await versionsOf(msp)).toEqual([1, 2])
    const won = answers.find(({ status }) => status === 200)
    expect((await read(api, msp.admin, data.id)).data).toEqual(won?.data)
    expect(await countActivities(msp)).toBe(2)
  })

  it('changes of a skill make versions without a gap', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    const answers = await times((n) => update(api, msp.admin, data.id, { description: `For ${n}.` }))
    expect(counted(answers)).toEqual({ 200: TIMES })
    expect(await versionsOf(msp)).toEqual(upTo(TIMES + 1))
    expect(new Set(answers.map(({ data }) => data.version)).size).toBe(TIMES)
    expect((await read(api, msp.admin, data.id)).data).toMatchObject({
      version: TIMES + 1,
      revision: TIMES + 1,
    })
  })

  it('restores of a version make one version', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    await update(api, msp.admin, data.id, { description: 'Other.' })
    const answers = await times(() => restore(api, msp.admin, data.id, 1))
    expect(counted(answers)).toEqual({ 200: TIMES })
    expect(await versionsOf(msp)).toEqual([1, 2, 3])
    expect(await countActivities(msp)).toBe(3)
  })

  it('a slug is given to one skill', async () => {
    const msp = await world()
    const answers = await times((n) => create(api, msp.admin, { description: `For ${n}.` }))
    expect(counted(answers)).toEqual({ 200: 1, skill_name_taken: TIMES - 1 })
    const id = answers.find(({ status }) => status === 200)?.data.id
    for (const { status, error } of answers)
      if (error) expect([status, error.details.skill_id]).toEqual([409, id])
    expect(await rowsOf(msp)).toEqual([1, 1])
  })

  it('a skill that is archived meanwhile is changed no more', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    const answers = await times((n) =>
      n === TIMES / 2
        ? api.call(msp.admin, 'archive_skill', { skill_id: data.id })
        : update(api, msp.admin, data.id, { description: `For ${n}.` }),
    )
    const { 200: done = 0, skill_read_only: refused = 0 } = counted(answers)
    expect([done + refused, answers[TIMES / 2]?.status]).toEqual([TIMES, 200])
    const { data: now } = await read(api, msp.admin, data.id)
    expect(now).toMatchObject({ status: 'ARCHIVED', version: done, revision: done + 1 })
    expect(await versionsOf(msp)).toEqual(upTo(done))
  })

  it('agents and content that are set lose nothing of each other', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const { data } = await create(api, msp.admin)
    const answers = await times((n) =>
      n % 2
        ? setAgents(api, msp.admin, data.id, [1, 2])
        : update(api, msp.admin, data.id, { description: `For ${n}.` }),
    )
    expect(counted(answers)).toEqual({ 200: TIMES })
    const now = (await read(api, msp.admin, data.id)).data
    expect(now).toMatchObject({ agent_ids: [1, 2], version: 1 + TIMES / 2, revision: 2 + TIMES / 2 })
    expect(await versionsOf(msp)).toEqual(upTo(1 + TIMES / 2))
    const last = answers.find(({ data }) => data.version === now.version)
    expect(now.files).toEqual(last?.data.files)
  })
})
