import { expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { addSkills } from '../../setup/skills.ts'
import { type Caller, world } from '../../setup/world.ts'
import { create, problemsOf, read, rowsOf, setAgents, update } from './calls.ts'

/** Agent 1 is the USER's, 2 is shared with the VIEWER, and only people above them see agent 3; each has an execution. */
async function shared() {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }, { id: 3 }])
  await share(msp, 2, msp.viewer.id)
  await addExecutions(
    msp,
    [1, 2, 3].map((agent_id) => ({ agent_id, execution_id: `exe_${agent_id}` })),
  )
  await addExecutions(msp, [
    { agent_id: 1, execution_id: 'exe_failed', status: 'FAILED' },
    { agent_id: 1, execution_id: 'exe_open', status: 'RUNNING' },
  ])
  return msp
}

describeApi('of the agents of a skill', (api) => {
  const agentsOf = async (caller: Caller) => (await read(api, caller, 'skl_1')).data.agent_ids

  it('each caller reads those that they see', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [1, 2, 3] }])
    const callers = [msp.key, msp.admin, msp.user, msp.viewer]
    const expected = [[1, 2, 3], [1, 2, 3], [1], [2]]
    expect(await Promise.all(callers.map(agentsOf))).toEqual(expected)
    const listed = callers.map(async (caller) => (await api.call(caller, 'skills')).data[0].agent_ids)
    expect(await Promise.all(listed)).toEqual(expected)
  })

  it('lists are narrowed by those alone that the caller sees', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [1, 2, 3] }])
    const count = async (caller: Caller, agent_id: number) =>
      (await api.call(caller, 'skills', { agent_id })).data.length
    expect([await count(msp.admin, 3), await count(msp.user, 1)]).toEqual([1, 1])
    expect([await count(msp.user, 2), await count(msp.viewer, 3), await count(msp.viewer, 1)]).toEqual([
      0, 0, 0,
    ])
  })

  it('are set in place of those before, once each, by people who see every agent', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [1, 3] }])
    const set = await setAgents(api, msp.admin, 'skl_1', [2, 1, 2])
    expect([set.status, set.data]).toMatchObject([200, { agent_ids: [1, 2], revision: 2, version: 1 }])
    expect((await update(api, msp.admin, 'skl_1', { agent_ids: [] })).data.agent_ids).toEqual([])
    const acting = await msp.newKey({ acting_user_id: msp.user.id })
    for (const caller of [msp.user, msp.viewer, acting])
      expect((await setAgents(api, caller, 'skl_1', [1])).status).toBe(403)
    expect(await agentsOf(msp.admin)).toEqual([])
  })

  it('those that were read are sent back, which changes nothing', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [1, 2, 3] }])
    const { data, etag } = await read(api, msp.admin, 'skl_1')
    const again = await setAgents(api, msp.admin, 'skl_1', data.agent_ids, { 'if-match': etag ?? '' })
    expect([again.status, again.data, again.etag]).toEqual([200, data, etag])
  })

  it('those that there are not in the tenant are refused', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [3] }])
    const other = await world()
    await addAgents(other, [{ id: 77 }])
    const answers = [
      await create(api, msp.admin, { agent_ids: [1, 77, 999] }),
      await setAgents(api, msp.admin, 'skl_1', [1, 77, 999]),
      await update(api, msp.admin, 'skl_1', { agent_ids: [1, 77, 999] }),
    ]
    for (const answer of answers) {
      expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
      expect(problemsOf(answer)).toEqual([1, 2].map((index) => `agent_ids.${index} unknown`))
    }
    expect(await rowsOf(msp)).toEqual([1, 1])
    const missing = await setAgents(api, msp.admin, 'skl_2', [999])
    expect(outcome(missing)).toEqual([404, 'skill_not_found'])
  })

  it('the tag of the skill is of those that the caller sees', async () => {
    const msp = await shared()
    await addSkills(msp, [{ id: 'skl_1', assigned_agent_ids: [1, 2, 3] }])
    const before = await read(api, msp.user, 'skl_1')
    await share(msp, 2, msp.user.id)
    const after = await read(api, msp.user, 'skl_1')
    expect([before.data.revision, after.data.revision]).toEqual([1, 1])
    expect(after.etag).not.toBe(before.etag)
  })
})

describeApi('the execution that a skill is made of', (api) => {
  it('is read by who sees its agent, and null for others', async () => {
    const msp = await shared()
    const { data } = await create(api, msp.admin, { source_execution_id: 'exe_1' })
    expect(data.source_execution_id).toBe('exe_1')
    const source = async (caller: Caller) => [
      (await read(api, caller, data.id)).data.source_execution_id,
      (await api.call(caller, 'skills')).data[0].source_execution_id,
    ]
    expect(await source(msp.admin)).toEqual(['exe_1', 'exe_1'])
    expect(await source(msp.user)).toEqual(['exe_1', 'exe_1'])
    expect(await source(msp.viewer)).toEqual([null, null])
  })

  it.each(['exe_failed', 'exe_open', 'exe_none', 'exe_theirs', 'a\0b'])(
    'is COMPLETED and one of the tenant, which %j is not',
    async (source_execution_id) => {
      const [msp, other] = [await shared(), await world()]
      await addAgents(other, [{ id: 1 }])
      await addExecutions(other, [{ agent_id: 1, execution_id: 'exe_theirs' }])
      const answer = await create(api, msp.admin, { source_execution_id })
      expect(outcome(answer)).toEqual([422, 'request_validation_failed'])
      const code = source_execution_id.includes('\0') ? 'characters' : 'unknown'
      expect(problemsOf(answer)).toEqual([`source_execution_id ${code}`])
      expect(await rowsOf(msp)).toEqual([0, 0])
    },
  )
})
