import { expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { type Answer, type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import { type Caller, world } from '../../setup/world.ts'
import { acting, agentsOfPeople, revisionsOf } from './people.ts'

const read = (api: Api, caller: Caller, agent_id: unknown) => api.call(caller, 'agent_shares', { agent_id })

const put = (api: Api, caller: Caller, agent_id: unknown, shares: readonly object[], headers = {}) =>
  api.call(caller, 'set_agent_shares', { agent_id, input: { shares } }, headers)

const problems = ({ error }: Answer) => error?.details.field_errors?.map(({ field, code }) => [field, code])

describeApi('the shares of an agent', (api) => {
  it('are replaced, and who stays keeps the instant at which it was shared', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const first = await put(api, msp.admin, 1, [{ user_id: msp.viewer.id }])
    const shared_at = expect.any(String)
    expect([first.status, first.data]).toEqual([
      200,
      {
        agent_id: 1,
        shares: [{ user_id: msp.viewer.id, name: 'Viewer', can_edit: false, shared_at }],
        revision: 2,
      },
    ])
    clock.advance(60_000)
    const second = await put(api, msp.admin, 1, [
      { user_id: msp.viewer.id, can_edit: true },
      { user_id: msp.user.id, can_edit: true },
    ])
    expect(second.data.shares).toEqual([
      { user_id: msp.user.id, name: 'User', can_edit: true, shared_at },
      { ...first.data.shares[0], can_edit: true },
    ])
    expect(second.data.shares[0].shared_at > first.data.shares[0].shared_at).toBe(true)
    expect(await read(api, msp.admin, 1)).toMatchObject({ data: second.data, etag: second.etag })
    const none = await put(api, msp.admin, 1, [])
    expect(none.data).toEqual({ agent_id: 1, shares: [], revision: 4 })
  })

  it('let users see, run and change the agent as far as they say', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const sees = async (caller: Caller) => (await api.call(caller, 'agent', { agent_id: 1 })).status
    const pauses = async (caller: Caller) => (await api.call(caller, 'pause_agent', { agent_id: 1 })).status
    expect([await sees(msp.user), await sees(msp.viewer)]).toEqual([404, 404])
    await put(api, msp.admin, 1, [{ user_id: msp.user.id }, { user_id: msp.viewer.id, can_edit: true }])
    expect([await sees(msp.user), await sees(msp.viewer)]).toEqual([200, 200])
    expect([await pauses(msp.user), await pauses(msp.viewer)]).toEqual([403, 403])
    await put(api, msp.admin, 1, [{ user_id: msp.user.id, can_edit: true }])
    expect([await pauses(msp.user), await sees(msp.viewer)]).toEqual([200, 404])
  })

  it('sent back as they were read change nothing', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await share(msp, 1, msp.user.id, true)
    await share(msp, 1, msp.viewer.id)
    const before = await read(api, msp.owner, 1)
    clock.advance(1000)
    const input =
      api.name === 'rest'
        ? before.data
        : {
            shares: before.data.shares.map(({ user_id, can_edit }: object & Record<string, unknown>) => ({
              user_id,
              can_edit,
            })),
          }
    const again = await api.call(
      msp.owner,
      'set_agent_shares',
      { agent_id: 1, input },
      { 'if-match': before.etag ?? '' },
    )
    expect([again.status, again.data, again.etag]).toEqual([200, before.data, before.etag])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('have the revision of the agent, and its If-Match', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const before = await read(api, msp.owner, 1)
    const shared = await put(api, msp.owner, 1, [{ user_id: msp.user.id }], { 'if-match': before.etag ?? '' })
    expect([shared.status, shared.data.revision]).toEqual([200, 2])
    const late = await put(api, msp.owner, 1, [], { 'if-match': before.etag ?? '' })
    expect([...outcome(late), late.error?.details.current_etag]).toEqual([
      409,
      'version_conflict',
      shared.etag,
    ])
    expect((await api.call(msp.owner, 'agent', { agent_id: 1 })).data.revision).toBe(2)
    expect(await revisionsOf(msp, 1)).toEqual([])
  })

  it('are recorded with those before', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await put(api, msp.owner, 1, [{ user_id: msp.user.id }])
    const [entry] = await activitiesOf(msp)
    expect(entry).toMatchObject({
      action: 'agent.shared',
      targets: [{ type: 'agent', id: '1', name: 'Agent 1' }],
      before: { shares: [] },
      after: { shares: [{ user_id: msp.user.id, can_edit: false }] },
    })
  })

  it('are read and replaced by the creator, by ADMIN and OWNER, and by keys with no acting user', async () => {
    const msp = await agentsOfPeople()
    const everything = [200, 200, 200, 200, 200]
    const ofUser = [200, 403, 403, 404, 404]
    const cases: [Caller, number[], number[]][] = [
      [msp.owner, everything, everything],
      [msp.admin, everything, everything],
      [msp.key, everything, everything],
      [msp.user, ofUser, ofUser],
      [await acting(msp, msp.user), ofUser, ofUser],
      [msp.viewer, [404, 404, 404, 404, 200], [403, 403, 403, 403, 403]],
    ]
    for (const [caller, reads, writes] of cases) {
      const answers = { reads: [] as number[], writes: [] as number[] }
      for (const id of [1, 2, 3, 4, 5]) {
        const stored = (await read(api, msp.owner, id)).data.shares
        answers.reads.push((await read(api, caller, id)).status)
        const same = stored.map(({ user_id, can_edit }: Record<string, unknown>) => ({ user_id, can_edit }))
        answers.writes.push((await put(api, caller, id, same)).status)
      }
      expect(answers).toEqual({ reads, writes })
    }
  })

  it('with users who cannot have one are refused, and all of them stay', async () => {
    const msp = await world()
    const other = await world()
    await addAgents(msp, [{ id: 1, created_by_user_id: msp.admin.id }])
    await share(msp, 1, msp.viewer.id)
    const before = await read(api, msp.owner, 1)
    const { user } = msp
    const given = [user.id, 'nobody', other.user.id, msp.admin.id, user.id]
    const refused = await put(
      api,
      msp.owner,
      1,
      given.map((user_id) => ({ user_id })),
    )
    expect(outcome(refused)).toEqual([422, 'request_validation_failed'])
    expect(problems(refused)).toEqual([
      ['shares.1.user_id', 'unknown'],
      ['shares.2.user_id', 'unknown'],
      ['shares.3.user_id', 'creator'],
      ['shares.4.user_id', 'duplicate'],
    ])
    expect(await read(api, msp.owner, 1)).toMatchObject({ data: before.data, etag: before.etag })
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('are 200 at most', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const many = await put(api, msp.owner, 1, Array(201).fill({ user_id: msp.user.id }))
    expect([...outcome(many), problems(many)]).toEqual([
      422,
      'request_validation_failed',
      [['shares', 'length']],
    ])
  })

  it('cost as many statements for one as for many', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const count = () => countStatements(msp.database, () => read(api, msp.key, 1))
    await count()
    const none = await count()
    for (const user of [msp.user, msp.viewer, msp.admin]) await share(msp, 1, user.id)
    expect([none, await count()]).toEqual([3, 3])
  })
})
