/** Messages are seen as their agent is. */
import { expect, it } from 'vitest'
import { addAgents, addExecutions, share } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { addMessages } from '../../setup/comms.ts'
import { type Msp, world } from '../../setup/world.ts'

/** A tenant with messages of agent 1, which is the USER's, of agent 2, and of no agent. */
async function messageWorld(): Promise<Msp> {
  const msp = await world()
  await addAgents(msp, [{ id: 1, created_by_user_id: msp.user.id }, { id: 2 }])
  await addExecutions(msp, [
    { execution_id: 'exe_1', agent_id: 1 },
    { execution_id: 'exe_2', agent_id: 2 },
  ])
  await addMessages(msp, [
    { id: 'cms_1', agent_id: 1, execution_id: 'exe_1' },
    { id: 'cms_2', agent_id: 2, execution_id: 'exe_2', ticket_id: '4711' },
    { id: 'cms_3', direction: 'INBOUND', medium: 'TICKET_NOTE', status: 'DELIVERED', ticket_id: '4711' },
  ])
  return msp
}

const idsOf = ({ data }: { data: { id: string }[] }): string[] => data.map(({ id }) => id).toSorted()

describeApi('messages', (api) => {
  it('of an agent are seen as the agent is, and those of none by everybody', async () => {
    const msp = await messageWorld()
    const listed = async (caller: Msp['user'], args: object = {}) =>
      idsOf(await api.call(caller, 'comms_messages', { ...args }))
    expect(await listed(msp.admin)).toEqual(['cms_1', 'cms_2', 'cms_3'])
    expect(await listed(msp.user)).toEqual(['cms_1', 'cms_3'])
    expect(await listed(msp.viewer)).toEqual(['cms_3'])
    expect(await listed(msp.user, { ticket_id: '4711' })).toEqual(['cms_3'])
    expect(await listed(msp.user, { agent_id: 1 })).toEqual(['cms_1'])
    expect(await listed(msp.user, { agent_id: 2 })).toEqual([])
    expect(await listed(msp.user, { agent_id: 2, medium: ['EMAIL'], status: ['SENT'] })).toEqual([])
    expect(await listed(msp.admin, { agent_id: 2, medium: ['EMAIL'], status: ['SENT'] })).toEqual(['cms_2'])
    const read = (message_id: string) => api.call(msp.user, 'comms_message', { message_id })
    expect(outcome(await read('cms_2'))).toEqual([404, 'message_not_found'])
    expect((await read('cms_1')).status).toBe(200)
    await share(msp, 2, msp.user.id)
    expect(await listed(msp.user)).toEqual(['cms_1', 'cms_2', 'cms_3'])
    expect(await listed(msp.user, { agent_id: 2 })).toEqual(['cms_2'])
  })

  it.each([
    [{ direction: 'INBOUND' }, ['cms_3']],
    [{ medium: ['EMAIL'] }, ['cms_1', 'cms_2']],
    [{ status: ['SENT', 'FAILED'] }, ['cms_1', 'cms_2']],
    [{ execution_id: 'exe_2' }, ['cms_2']],
    [{ ticket_id: '4711', medium: ['TICKET_NOTE'] }, ['cms_3']],
    [{ agent_id: 999 }, []],
  ])('are listed by %o', async (args, ids) => {
    const msp = await messageWorld()
    expect(idsOf(await api.call(msp.key, 'comms_messages', args))).toEqual(ids)
  })

  it('of no agent are not those of agent 0', async () => {
    const msp = await messageWorld()
    expect((await api.call(msp.key, 'comms_messages', { agent_id: 0 })).status).not.toBe(200)
  })
})
