import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf, countActivities } from '../../setup/audit-log.ts'
import { type Caller, world } from '../../setup/world.ts'
import { create, PRINTERS, read, restore, rowsOf, setAgents, update } from './calls.ts'

const versions = (api: Api, caller: Caller, skill_id: string, args: object = {}) =>
  api.call(caller, 'skill_versions', { skill_id, ...args })
const version = (api: Api, caller: Caller, skill_id: string, number: unknown) =>
  api.call(caller, 'skill_version', { skill_id, version: number })

/** A skill that an ADMIN made, and an OWNER changed twice. */
async function changedSkill(api: Api) {
  const msp = await world()
  const { data } = await create(api, msp.admin)
  await update(api, msp.owner, data.id, { name: 'Moves' })
  const files = [
    { path: 'SKILL.md', content: PRINTERS },
    { path: 'a.md', content: '\uFEFFA\r\n' },
  ]
  await update(api, msp.owner, data.id, { files, allowed_tools: ['ticket.read'] })
  return { msp, id: data.id as string, first: data }
}

describeApi('versions of a skill', (api) => {
  it('are listed without their files, the latest first', async () => {
    const { msp, id } = await changedSkill(api)
    const { status, data } = await versions(api, msp.viewer, id)
    const common = { description: 'For printers that move.', created_at: expect.any(String) }
    expect([status, data]).toEqual([
      200,
      [
        { version: 3, name: 'Moves', allowed_tools: ['ticket.read'], created_by_name: 'Owner' },
        { version: 2, name: 'Moves', allowed_tools: [], created_by_name: 'Owner' },
        { version: 1, name: 'Printer moves', allowed_tools: [], created_by_name: 'Admin' },
      ].map((row) => ({ restored_from_version: null, ...common, ...row })),
    ])
    const page = await versions(api, msp.viewer, id, { page_size: 2 })
    expect(page.pagination?.has_more).toBe(true)
    const { data: rest } = await versions(api, msp.viewer, id, { cursor: page.pagination?.next_cursor })
    expect([...page.data, ...rest]).toEqual(data)
  })

  it('are read with the files that the skill had', async () => {
    const { msp, id, first } = await changedSkill(api)
    const { data } = await read(api, msp.key, id)
    const { name, description, allowed_tools, files } = first
    const one = await version(api, msp.viewer, id, 1)
    expect([one.status, one.data]).toMatchObject([
      200,
      { version: 1, name, description, allowed_tools, files },
    ])
    const { files: latest, version: number } = (await version(api, msp.viewer, id, 3)).data
    expect([latest, number]).toEqual([data.files, data.version])
  })

  it('are restored as the next version, which names the one that it is of', async () => {
    const { msp, id, first } = await changedSkill(api)
    const { status, data, etag } = await restore(api, msp.admin, id, 1, { 'if-match': '"3"' })
    const { name, description, allowed_tools, files } = first
    expect([status, data]).toMatchObject([
      200,
      { name, description, allowed_tools, files, version: 4, revision: 4 },
    ])
    expect((await read(api, msp.key, id)).data).toEqual(data)
    expect((await read(api, msp.key, id)).etag).toBe(etag)
    const [latest] = (await versions(api, msp.key, id)).data
    expect(latest).toMatchObject({ version: 4, restored_from_version: 1, created_by_name: 'Admin', name })
    expect((await activitiesOf(msp)).at(-1)?.action).toBe('skill.restored')
  })

  it.each([4, 1])('that say what the skill has leave it as it is, such as %d of 4', async (number) => {
    const { msp, id } = await changedSkill(api)
    const before = await restore(api, msp.admin, id, 1)
    const recorded = await countActivities(msp)
    const again = await restore(api, msp.admin, id, number)
    expect([again.status, again.data, again.etag]).toEqual([200, before.data, before.etag])
    expect([await rowsOf(msp), await countActivities(msp)]).toEqual([[1, 4], recorded])
  })

  it('leave the agents and the status where they are', async () => {
    const { msp, id } = await changedSkill(api)
    await addAgents(msp, [{ id: 1 }])
    await setAgents(api, msp.admin, id, [1])
    await update(api, msp.admin, id, { status: 'DISABLED' })
    expect((await restore(api, msp.admin, id, 1)).data).toMatchObject({
      agent_ids: [1],
      status: 'DISABLED',
      version: 4,
      revision: 6,
    })
  })

  it('are restored on the revision that was read', async () => {
    const { msp, id } = await changedSkill(api)
    expect(outcome(await restore(api, msp.admin, id, 1, { 'if-match': '"2"' }))).toEqual([
      409,
      'version_conflict',
    ])
    expect(await rowsOf(msp)).toEqual([1, 3])
  })

  it.each([0, -1, 4, 2_147_483_648, 1e21, '01', 'x', '\u0000'])('have no number %j', async (number) => {
    const { msp, id } = await changedSkill(api)
    const is_number = typeof number === 'number' && number < 2 ** 31
    for (const answer of [await version(api, msp.key, id, number), await restore(api, msp.admin, id, number)])
      expect(outcome(answer)).toEqual(
        api.name === 'rest' || is_number
          ? [404, 'skill_version_not_found']
          : [422, 'request_validation_failed'],
      )
  })

  it('of an archived skill are read, and not restored', async () => {
    const { msp, id } = await changedSkill(api)
    await api.call(msp.admin, 'archive_skill', { skill_id: id })
    const refused = await restore(api, msp.admin, id, 1)
    expect([...outcome(refused), refused.error?.details]).toMatchObject([
      409,
      'skill_read_only',
      { source: 'TENANT', status: 'ARCHIVED' },
    ])
    expect((await versions(api, msp.key, id)).data).toHaveLength(3)
    expect((await version(api, msp.key, id, 1)).status).toBe(200)
  })

  it('are no business of another tenant', async () => {
    const { id } = await changedSkill(api)
    const { admin } = await world()
    for (const answer of [
      await versions(api, admin, id),
      await version(api, admin, id, 1),
      await restore(api, admin, id, 1),
    ])
      expect(outcome(answer)).toEqual([404, 'skill_not_found'])
  })
})
