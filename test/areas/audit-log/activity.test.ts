import { expect, it, test } from 'vitest'
import { CREDENTIAL_KINDS } from '../../../src/access/credentials/credential-kinds.ts'
import { describeApi, outcome, published } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addActivities } from '../../setup/audit-log.ts'
import { countStatements } from '../../setup/statements.ts'
import { world } from '../../setup/world.ts'
import { ago, ids } from './calls.ts'

describeApi('the activity log', (api) => {
  it('has a change with its actor, its targets, its request, and its fields before and after', async () => {
    const msp = await world()
    const headers = { 'user-agent': 'a client', 'x-request-id': '2f1b1d1e-6f0c-4f4b-9d55-1f0f7a6f5b11' }
    const input = { end_business_hours: 20 }
    await api.call(msp.admin, 'update_settings', { input }, headers)
    const { data } = await api.call(msp.owner, 'activity_log')
    expect(data).toEqual([
      {
        id: expect.stringMatching(/^act_/),
        occurred_at: expect.stringMatching(/Z$/),
        action: 'settings.updated',
        actor: { type: 'USER', id: msp.admin.id, name: 'Admin' },
        targets: [{ type: 'settings', id: 'settings', name: 'Settings' }],
        context: {
          ip: '127.0.0.1',
          user_agent: 'a client',
          request_id: headers['x-request-id'],
          channel: null,
          acting_user_id: null,
          acting_user_name: null,
          til_request_id: null,
          asked_by_name: null,
        },
        before: expect.objectContaining({ end_business_hours: 18 }),
        after: expect.objectContaining({ end_business_hours: 20 }),
      },
    ])
  })

  it('names the key and the user in whose name it called', async () => {
    const msp = await world()
    const key = await msp.newKey({ acting_user_id: msp.admin.id })
    await api.call(key, 'update_settings', { input: { end_business_hours: 20 } })
    const { data } = await api.call(msp.key, 'activity_log', { actor_type: 'API_KEY', actor_id: key.id })
    expect(data).toMatchObject([
      {
        actor: { type: 'API_KEY', id: key.id },
        context: { acting_user_id: msp.admin.id, acting_user_name: 'Admin' },
      },
    ])
  })

  it('finds a target by type and id together, whichever of several it is', async () => {
    const msp = await world()
    const target = (type: string, id: string) => ({ type, id, name: id })
    await addActivities(msp, [
      { id: 'both', occurred_at: ago(1), targets: [target('agent', '1'), target('api_key', '2')] },
      { id: 'agent', occurred_at: ago(2), targets: [target('agent', '2')] },
      { id: 'none', occurred_at: ago(3), targets: [] },
    ])
    const list = async (args: object) => ids(await api.call(msp.admin, 'activity_log', { ...args }))
    expect(await list({})).toEqual(['both', 'agent', 'none'])
    expect(await list({ target_type: 'agent' })).toEqual(['both', 'agent'])
    expect(await list({ target_id: '2' })).toEqual(['both', 'agent'])
    expect(await list({ target_type: 'agent', target_id: '2' })).toEqual(['agent'])
    expect(await list({ target_type: 'api_key', target_id: '1' })).toEqual([])
  })

  it('answers entries whose request is not known', async () => {
    const msp = await world()
    await addActivities(msp, [{ id: 'bare', context: {}, targets: [], before: 'text', after: [1] }])
    const { status, data } = await api.call(msp.admin, 'activity_log')
    expect([status, data]).toMatchObject([200, [{ context: { ip: null, request_id: '' }, before: 'text' }]])
  })

  it('reaches 400 days back, and says so if more is asked for', async () => {
    const msp = await world()
    clock.freeze()
    await addActivities(msp, [
      { id: 'older', occurred_at: ago(401) },
      { id: 'kept', occurred_at: ago(399) },
    ])
    const { data, warnings } = await api.call(msp.admin, 'activity_log', { from: ago(402).toISOString() })
    expect([data.length, data[0].id]).toEqual([1, 'kept'])
    expect(warnings).toEqual([
      `window_retention: entries can be read for 400 days, from ${ago(400).toISOString()} on`,
    ])
    const over = await api.call(msp.admin, 'activity_log', { to: ago(400).toISOString() })
    expect([over.status, over.data, over.warnings.length]).toEqual([200, [], 1])
    const wrong = { from: ago(1).toISOString(), to: ago(1).toISOString() }
    expect(outcome(await api.call(msp.admin, 'activity_log', wrong))).toEqual([400, 'invalid_window'])
  })

  it('costs one statement beside the caller', async () => {
    const msp = await world()
    const read = () => api.call(msp.admin, 'activity_log', { target_type: 'agent', action: 'agent.created' })
    await read()
    expect(await countStatements(msp.database, read)).toBe(2)
  })
})

test('the types of actors are those of every credential, and of the operator', async () => {
  const { schema } = await published()
  const type = schema.getType('ActorType') as unknown as { getValues(): { name: string }[] }
  const names = type.getValues().map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['SYSTEM', ...CREDENTIAL_KINDS.map((kind) => kind.type)]))
})
