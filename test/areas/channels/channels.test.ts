import { expect, it } from 'vitest'
import { share } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addChannels, addInstalls } from '../../setup/channels.ts'
import { countStatements } from '../../setup/statements.ts'
import type { Msp } from '../../setup/world.ts'
import { actions, draft, withChatAgents } from './rows.ts'

const COLOUR = '#0b6e99'
const LOGO = 'https://msp.example/logo.png'
const APP = { transport: 'WHITE_LABEL_TEAMS_APP', audience: 'END_USERS' } as const

describeApi('a channel', (api) => {
  it('is created with everything that callers say of it, and waits to be installed', async () => {
    const msp = await withChatAgents()
    const branding = { display_name: 'Front desk', accent_color: COLOUR, logo_url: LOGO }
    const install_url = 'https://msp.example/app'
    const { status, data, etag, headers } = await api.call(
      msp.admin,
      'create_channel',
      draft({ ...APP, tickets_tab_enabled: true, branding, install_url }),
    )
    expect([status, data]).toEqual([
      200,
      {
        id: expect.stringMatching(/^chn_/),
        name: 'Help',
        agent_id: 1,
        ...APP,
        status: 'PENDING_INSTALL',
        status_reason: null,
        workspace_id: null,
        workspace_name: null,
        tickets_tab_enabled: true,
        branding,
        install_url,
        last_message_at: null,
        revision: 1,
        created_at: expect.any(String),
        updated_at: data.created_at,
      },
    ])
    if (api.name === 'rest') expect(headers.get('location')).toBe(`/public-api/channels/${data.id}`)
    const read = await api.call(msp.key, 'channel', { channel_id: data.id })
    expect([read.data, read.etag]).toEqual([data, etag])
    expect(await actions(msp)).toEqual(['channel.created'])
  })

  it('has the look of the chat if none is given; one of a web page is active at once', async () => {
    const msp = await withChatAgents()
    const { data } = await api.call(msp.admin, 'create_channel', draft({ transport: 'WEB_CHAT' }))
    expect([data.status, data.branding]).toEqual([
      'ACTIVE',
      { display_name: 'Help', accent_color: null, logo_url: null },
    ])
  })

  it.each([
    [{ agent_id: 3 }, 409, 'agent_not_active'],
    [{ agent_id: 4 }, 409, 'agent_not_conversational'],
    [{ agent_id: 99 }, 404, 'agent_not_found'],
    [{ ...APP, workspace_id: 'T1' }, 422, 'request_validation_failed'],
    [{ tickets_tab_enabled: true }, 422, 'request_validation_failed'],
    [{ name: '' }, 422, 'request_validation_failed'],
    [{ name: 'a\u0000b' }, 422, 'request_validation_failed'],
    [{ workspace_id: 'x'.repeat(256) }, 422, 'request_validation_failed'],
    [{ branding: { accent_color: 'red' } }, 422, 'request_validation_failed'],
    [{ branding: { logo_url: 'javascript:alert(1)' } }, 422, 'request_validation_failed'],
    [{ install_url: 'https://user@msp.example/' }, 422, 'request_validation_failed'],
  ])('with %j is refused, and nothing is stored', async (changes, status, code) => {
    const msp = await withChatAgents()
    const answer = await api.call(msp.admin, 'create_channel', draft(changes))
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    expect(await msp.database.prisma.channel.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
    expect(await actions(msp)).toEqual([])
  })

  it('is the only one of its workspace, until it is deleted', async () => {
    const msp = await withChatAgents()
    const create = (changes: object) =>
      api.call(msp.key, 'create_channel', draft({ workspace_id: 'T1', workspace_name: 'Ours', ...changes }))
    const { data } = await create({})
    const again = await create({ agent_id: 2 })
    expect([again.status, again.error?.code, again.error?.details.channel_id]).toEqual([
      409,
      'channel_already_bound',
      data.id,
    ])
    expect((await create({ transport: 'MICROSOFT_TEAMS' })).status).toBe(200)
    const gone = await api.call(msp.key, 'delete_channel', { channel_id: data.id })
    expect(gone.data).toMatchObject({ status: 'UNINSTALLED', workspace_id: null, revision: 2 })
    expect((await create({})).status).toBe(200)
  })

  it('changes field by field, and stays as it is if nothing changes', async () => {
    const msp = await withChatAgents()
    const { data } = await api.call(
      msp.key,
      'create_channel',
      draft({ ...APP, branding: { accent_color: COLOUR, logo_url: LOGO } }),
    )
    const change = (input: object, headers = {}) =>
      api.call(msp.key, 'update_channel', { channel_id: data.id, input }, headers)
    const { name, agent_id, tickets_tab_enabled, branding, install_url } = data
    const same = await change({ name, agent_id, tickets_tab_enabled, branding, install_url })
    expect([same.status, same.data]).toEqual([200, data])
    clock.advance(1000)
    const moved = await change({ agent_id: 2, branding: { logo_url: null } }, { 'if-match': '"1"' })
    expect(moved.data).toEqual({
      ...data,
      agent_id: 2,
      branding: { ...branding, logo_url: null },
      revision: 2,
      updated_at: moved.data.updated_at,
    })
    expect(moved.data.updated_at > data.updated_at).toBe(true)
    expect((await change({ name: 'Other' }, { 'if-match': '"1"' })).error?.code).toBe('version_conflict')
    expect(await actions(msp)).toEqual(['channel.created', 'channel.updated'])
  })

  it.each([
    [{ agent_id: 3 }, 409, 'agent_not_active'],
    [{ agent_id: 4 }, 409, 'agent_not_conversational'],
    [{ agent_id: 99 }, 404, 'agent_not_found'],
    [{ tickets_tab_enabled: true }, 422, 'request_validation_failed'],
    [{ name: null }, 422, 'request_validation_failed'],
    [{ branding: { display_name: ' ' } }, 422, 'request_validation_failed'],
  ])('does not change to %j', async (input, status, code) => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1 }])
    const answer = await api.call(msp.key, 'update_channel', { channel_id: 'chn_1', input })
    expect([answer.status, answer.error?.code]).toEqual([status, code])
    const { data } = await api.call(msp.key, 'channel', { channel_id: 'chn_1' })
    expect([data.revision, await actions(msp)]).toEqual([1, []])
  })

  it('of an agent that is not active any more can still be changed, and is not changed once it is deleted', async () => {
    const msp = await withChatAgents()
    await addChannels(msp, [
      { id: 'chn_1', agent_id: 3, status: 'PAUSED' },
      { id: 'chn_2', agent_id: 1, status: 'UNINSTALLED' },
    ])
    const change = (channel_id: string) =>
      api.call(msp.key, 'update_channel', { channel_id, input: { agent_id: 3, name: 'New' } })
    expect((await change('chn_1')).data).toMatchObject({ name: 'New', status: 'PAUSED' })
    const late = await change('chn_2')
    expect([late.error?.code, late.error?.details.current_status]).toEqual([
      'channel_not_active',
      'UNINSTALLED',
    ])
  })

  it('has installs, with the company of each workplace-suite tenant', async () => {
    const msp = await withChatAgents()
    const { database, tenant_id, environment } = msp
    const now = clock.now()
    const company = { id: 'cmp_1', psa_company_id: 'psa_1', name: 'One', workplace_tenant_id: 'wpt_1' }
    await database.prisma.endCompany.create({
      data: { tenant_id, environment, ...company, created_at: now, updated_at: now },
    })
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1, ...APP }])
    const places = ['wpt_1', 'wpt_2'] as const
    await addInstalls(
      msp,
      places.map((workplace_tenant_id, n) => ({
        id: `ins_${n}`,
        channel_id: 'chn_1',
        workplace_tenant_id,
        installed_at: now,
      })),
    )
    const install = { installed_at: now.toISOString(), installer_email: null, status: 'ACTIVE' }
    const read = () => api.call(msp.key, 'channel_installs', { channel_id: 'chn_1' })
    expect((await read()).data).toMatchObject([
      { workplace_tenant_id: 'wpt_2', end_company_id: null, ...install },
      { workplace_tenant_id: 'wpt_1', end_company_id: 'cmp_1', ...install },
    ])
    await api.call(msp.key, 'delete_channel', { channel_id: 'chn_1' })
    const statuses = (await read()).data.map(({ status }: { status: string }) => status)
    expect(statuses).toEqual(['UNINSTALLED', 'UNINSTALLED'])
  })

  it('of an agent that the caller does not see does not exist', async () => {
    const msp = await withChatAgents()
    await share(msp, 1, msp.viewer.id)
    await addChannels(msp, [
      { id: 'chn_1', agent_id: 1 },
      { id: 'chn_5', agent_id: 5 },
    ])
    const seenBy = async (caller: Msp['user']) =>
      (await api.call(caller, 'channels')).data.map(({ id }: { id: string }) => id)
    expect([await seenBy(msp.owner), await seenBy(msp.user), await seenBy(msp.viewer)]).toEqual([
      ['chn_5', 'chn_1'],
      ['chn_5'],
      ['chn_1'],
    ])
    for (const operation of ['channel', 'channel_installs']) {
      const [hidden, missing] = await Promise.all(
        ['chn_1', 'chn_x'].map((channel_id) => api.call(msp.user, operation, { channel_id })),
      )
      expect([hidden?.status, hidden?.error?.code]).toEqual([404, 'channel_not_found'])
      expect(hidden?.error?.message).toBe(missing?.error?.message)
    }
  })

  it('is listed in as many statements as twenty are', async () => {
    const msp = await withChatAgents()
    const read = async () => await countStatements(msp.database, () => api.call(msp.user, 'channels'))
    await addChannels(msp, [{ id: 'chn_0', agent_id: 5 }])
    const one = await read()
    await addChannels(
      msp,
      Array.from({ length: 20 }, (_, n) => ({ id: `chn_${n + 1}`, agent_id: 5 })),
    )
    expect(await read()).toEqual(one)
  })
})
