import { describe, expect, it } from 'vitest'
import { apis, describeApi } from '../../setup/api.ts'
import { counted, TIMES, times } from '../../setup/at-once.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addChannels } from '../../setup/channels.ts'
import type { Msp } from '../../setup/world.ts'
import { actions, draft, withChatAgents } from './rows.ts'

const STATUSES = ['PENDING_INSTALL', 'ACTIVE', 'PAUSED', 'ERROR', 'UNINSTALLED'] as const
type Status = (typeof STATUSES)[number]

/** The status that each change leads to; a code if it is refused. */
const TRANSITIONS: Record<string, (from: Status) => string> = {
  pause_channel: (from) => (from === 'ACTIVE' ? 'PAUSED' : 'channel_not_active'),
  resume_channel: (from) => (from === 'PAUSED' ? 'ACTIVE' : 'channel_not_paused'),
  delete_channel: () => 'UNINSTALLED',
}

const CASES = Object.entries(TRANSITIONS).flatMap(([operation, to]) =>
  STATUSES.map((from) => [operation, from, to(from)] as const),
)

const VERBS: Record<string, string> = {
  pause_channel: 'channel.paused',
  resume_channel: 'channel.resumed',
  delete_channel: 'channel.uninstalled',
}

const channelsOf = ({ database, tenant_id }: Msp) =>
  database.prisma.channel.findMany({ where: { tenant_id }, orderBy: { id: 'asc' } })

describeApi('the life of a channel', (api) => {
  it.each(CASES)('%s of one that is %s leads to %s', async (operation, status, to) => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1, status, status_reason: 'So it is.' }])
    const answer = await api.call(msp.key, operation, { channel_id: 'chn_1' })
    const { data } = await api.call(msp.key, 'channel', { channel_id: 'chn_1' })
    if (to.startsWith('channel_')) {
      const { code, details } = answer.error ?? {}
      expect([answer.status, code, details?.current_status]).toEqual([409, to, status])
      expect([data.status, data.revision, await actions(msp)]).toEqual([status, 1, []])
      return
    }
    const changes = status !== to
    expect([answer.status, answer.data]).toEqual([200, data])
    expect(data).toMatchObject({
      status: to,
      status_reason: changes ? null : 'So it is.',
      revision: changes ? 2 : 1,
    })
    expect(await actions(msp)).toEqual(changes ? [VERBS[operation]] : [])
  })

  it.each([
    [3, 'agent_not_active'],
    [4, 'agent_not_conversational'],
  ])('a channel of agent %i is not resumed: %s', async (agent_id, code) => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id, status: 'PAUSED' }])
    const { status, error } = await api.call(msp.key, 'resume_channel', { channel_id: 'chn_1' })
    expect([status, error?.code]).toEqual([409, code])
    expect((await channelsOf(msp))[0]?.status).toBe('PAUSED')
  })

  it('archiving an agent pauses its channels if they are installed, in its transaction', async () => {
    const msp = await withChatAgents()
    await addChannels(msp, [
      ...STATUSES.map((status) => ({ id: `chn_${status}`, agent_id: 1, status })),
      { id: 'chn_other', agent_id: 2 },
    ])
    const refused = await api.call(msp.key, 'archive_agent', { agent_id: 1 }, { 'if-match': '"9"' })
    expect(refused.error?.code).toBe('version_conflict')
    expect((await channelsOf(msp)).every(({ revision }) => revision === 1)).toBe(true)
    expect((await api.call(msp.key, 'archive_agent', { agent_id: 1 })).status).toBe(200)
    const paused = { status: 'PAUSED', status_reason: 'The agent was archived.', revision: 2 }
    const kept = { status_reason: null, revision: 1 }
    expect(
      (await channelsOf(msp)).map(({ id, status, status_reason, revision }) => ({
        id,
        status,
        status_reason,
        revision,
      })),
    ).toEqual([
      { id: 'chn_ACTIVE', ...paused },
      { id: 'chn_ERROR', ...paused },
      { id: 'chn_PAUSED', status: 'PAUSED', ...kept },
      { id: 'chn_PENDING_INSTALL', status: 'PENDING_INSTALL', ...kept },
      { id: 'chn_UNINSTALLED', status: 'UNINSTALLED', ...kept },
      { id: 'chn_other', status: 'ACTIVE', ...kept },
    ])
    const recorded = (await activitiesOf(msp)).map(({ action, targets }) => [
      action,
      (targets as { id: string }[]).map(({ id }) => id).sort(),
    ])
    expect(recorded.sort()).toEqual([
      ['agent.archived', ['1']],
      ['channel.paused', ['chn_ACTIVE', 'chn_ERROR']],
    ])
    const resumed = await api.call(msp.key, 'resume_channel', { channel_id: 'chn_ACTIVE' })
    expect(resumed.error?.code).toBe('agent_not_active')
  })

  it('archiving an agent with one channel, or none, archives it', async () => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1 }])
    for (const agent_id of [1, 2])
      expect((await api.call(msp.key, 'archive_agent', { agent_id })).data.state).toBe('ARCHIVED')
    expect((await channelsOf(msp))[0]?.status).toBe('PAUSED')
    expect((await actions(msp)).sort()).toEqual(['agent.archived', 'agent.archived', 'channel.paused'])
  })
})

describe.runIf(process.env.DATABASE_URL).each(apis)(`${TIMES} at once through $name:`, (api) => {
  it('one channel is bound to a workspace', async () => {
    const msp = await withChatAgents()
    const answers = await times(() => api.call(msp.key, 'create_channel', draft({ workspace_id: 'T1' })))
    expect(counted(answers)).toEqual({ 200: 1, channel_already_bound: TIMES - 1 })
    expect(await channelsOf(msp)).toHaveLength(1)
  })

  it('a channel is paused once', async () => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1 }])
    const answers = await times(() => api.call(msp.key, 'pause_channel', { channel_id: 'chn_1' }))
    expect(counted(answers)).toEqual({ 200: 1, channel_not_active: TIMES - 1 })
  })

  it('every pause and resume that is answered with 200 is one revision', async () => {
    const msp = await withChatAgents()
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1 }])
    const answers = await times((n) =>
      api.call(msp.key, n % 2 ? 'resume_channel' : 'pause_channel', { channel_id: 'chn_1' }),
    )
    const [paused, resumed] = [0, 1].map((odd) => answers.filter((_, n) => n % 2 === odd).map(codeOf))
    const done = (codes: readonly string[] = []) => codes.filter((code) => code === '200').length
    const [row] = await channelsOf(msp)
    expect(row?.revision).toBe(1 + done(paused) + done(resumed))
    expect(done(paused) - done(resumed)).toBe(row?.status === 'PAUSED' ? 1 : 0)
    const others = [...(paused ?? []), ...(resumed ?? [])].filter((code) => code !== '200')
    expect(new Set(['channel_not_active', 'channel_not_paused', ...others]).size).toBe(2)
  })

  it('no channel runs once its agent is archived', async () => {
    const msp = await withChatAgents()
    await addChannels(
      msp,
      Array.from({ length: TIMES }, (_, n) => ({
        id: `chn_${n}`,
        agent_id: n % 4 === 3 ? 2 : 1,
        status: n % 2 ? ('PAUSED' as const) : ('ACTIVE' as const),
      })),
    )
    const answers = await times((n) => {
      if (n === 10) return api.call(msp.key, 'archive_agent', { agent_id: 1 })
      const channel_id = `chn_${n}`
      if (n % 4 === 3) return api.call(msp.key, 'update_channel', { channel_id, input: { agent_id: 1 } })
      return api.call(msp.key, n % 2 ? 'resume_channel' : 'pause_channel', { channel_id })
    })
    expect(answers[10]?.status).toBe(200)
    const codes = Object.keys(counted(answers))
    expect(['200', 'agent_not_active', 'channel_not_active']).toEqual(expect.arrayContaining(codes))
    const running = (await channelsOf(msp)).filter(
      ({ agent_id, status }) => agent_id === 1 && status === 'ACTIVE',
    )
    expect(running).toEqual([])
  })
})

const codeOf = ({ status, error }: { status: number; error: { code: string } | null }): string =>
  error?.code ?? String(status)
