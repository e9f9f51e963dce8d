import { expect, it } from 'vitest'
import { addAgents, share } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { type Caller, type Msp, world } from '../../setup/world.ts'
import { ids, list, read } from './calls.ts'

/** Agent 1 is the USER's, 2 the VIEWER's, 3 is shared with both, 4 is nobody's of theirs. */
async function sharedAgents(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [
    { id: 1, created_by_user_id: msp.user.id },
    { id: 2, created_by_user_id: msp.viewer.id },
    { id: 3, created_by_user_id: msp.admin.id },
    { id: 4 },
  ])
  await share(msp, 3, msp.user.id)
  await share(msp, 3, msp.viewer.id)
  return msp
}

describeApi('agents', (api) => {
  it('are seen by role, and by a key in the role of its acting user', async () => {
    const msp = await sharedAgents()
    const acting = (user: Caller) => msp.newKey({ acting_user_id: user.id })
    const everything = [1, 2, 3, 4]
    const cases: [Caller, number[], number[]][] = [
      [msp.owner, everything, []],
      [msp.admin, everything, []],
      [msp.key, everything, []],
      [await acting(msp.admin), everything, []],
      [msp.user, [1, 3], [3]],
      [msp.viewer, [2, 3], [3]],
      [await acting(msp.user), [1, 3], [3]],
      [await acting(msp.viewer), [2, 3], [3]],
    ]
    for (const [caller, visible, shared] of cases) {
      const { data } = await list(api, caller, { sort: 'name' })
      expect(data.map(({ id }: { id: number }) => id)).toEqual(visible)
      const marked = data.filter(({ shared_with_me }: { shared_with_me: boolean }) => shared_with_me)
      expect(marked.map(({ id }: { id: number }) => id)).toEqual(shared)
      for (const id of everything) {
        const { status, data: one } = await read(api, caller, id)
        expect([id, status]).toEqual([id, visible.includes(id) ? 200 : 404])
        if (status === 200) expect(one.shared_with_me).toBe(shared.includes(id))
      }
    }
  })

  it('are shared with an ADMIN who did not create them, never with who created them', async () => {
    const msp = await sharedAgents()
    await share(msp, 4, msp.admin.id)
    await share(msp, 3, msp.admin.id)
    const { data } = await list(api, msp.admin, { sort: 'name' })
    const marked = data.filter(({ shared_with_me }: { shared_with_me: boolean }) => shared_with_me)
    expect(marked.map(({ id }: { id: number }) => id)).toEqual([4])
  })

  it('in the name of the user in X-Acting-User are that user’s', async () => {
    const msp = await sharedAgents()
    const key = await msp.newKey({ allow_acting_user_header: true })
    const { data } = await api.call(key, 'agents', { sort: 'name' }, { 'x-acting-user': msp.viewer.id })
    expect(data.map(({ id }: { id: number }) => id)).toEqual([2, 3])
  })

  it('are not there if the caller does not see them, of another tenant or environment, or missing', async () => {
    const msp = await sharedAgents()
    const other = await world()
    await addAgents(other, [{ id: 40 }])
    await addAgents({ ...msp, environment: 'elsewhere' }, [{ id: 50 }])
    const answers = await Promise.all([4, 40, 50, 60].map((id) => read(api, msp.user, id)))
    for (const [index, { status, error }] of answers.entries()) {
      const id = String([4, 40, 50, 60][index])
      expect([status, error]).toEqual([
        404,
        {
          code: 'agent_not_found',
          message: 'There is no such agent.',
          details: { id, docs_url: '/public-api/docs/errors#agent_not_found' },
        },
      ])
    }
    expect(ids(await list(api, other.key))).toEqual([40])
  })
})
