import { expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { world } from '../../setup/world.ts'

describeApi('the team-chat app', (api) => {
  it('is offered, with no workspace before it is installed', async () => {
    const msp = await world()
    const { data } = await api.call(msp.viewer, 'chat_app_status')
    expect(data).toEqual({ available: true, workspace: null })
  })

  it('shows the workspace it is installed in', async () => {
    const [msp, stranger] = [await world(), await world()]
    const installed_at = clock.now()
    const workspace = { team_id: 'T024BE7LD', team_name: 'Test MSP', installer_email: 'ada@msp.test' }
    const { tenant_id, environment } = msp
    await msp.database.prisma.chatAppWorkspace.create({
      data: { ...workspace, tenant_id, environment, installed_at },
    })
    const { data } = await api.call(msp.key, 'chat_app_status')
    expect(data).toEqual({
      available: true,
      workspace: { ...workspace, installed_at: installed_at.toISOString() },
    })
    expect((await api.call(stranger.key, 'chat_app_status')).data.workspace).toBeNull()
  })
})
