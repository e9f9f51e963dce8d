/** Answers that are sent to the chats of their channels, and tests of channels. */
import { beforeAll, expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { addChannels } from '../../setup/channels.ts'
import { playChat } from '../../setup/chat.ts'
import { performJobs } from '../../setup/jobs.ts'
import { playModel } from '../../setup/model.ts'
import { raised } from '../../setup/raised.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { chatMsp, post, SITE } from './chats.ts'

beforeAll(installQueues)

const SLACK = 'chn_slack'

async function slackMsp(): Promise<Msp> {
  const msp = await chatMsp()
  await addChannels(msp, [{ id: SLACK, agent_id: 1, transport: 'SLACK', workspace_id: 'T1' }])
  return msp
}

const channelOf = async (api: Api, msp: Msp, channel_id = SLACK) =>
  (await api.call(msp.key, 'channel', { channel_id })).data

/** Asks on the channel, and lets the agent answer. Answers with the answer as it stands. */
async function asked(api: Api, msp: Msp, channel_id = SLACK) {
  expect(outcome(await post(api, msp.key, {}, channel_id))[0]).toBe(200)
  await performJobs(msp, 'channels.answer')
  return await latest(api, msp, channel_id)
}

async function latest(api: Api, msp: Msp, channel_id = SLACK) {
  const { data } = await api.call(msp.key, 'channel_messages', { channel_id })
  return data.find(({ author }: { author: string }) => author === 'AGENT')
}

/** Asks, and lets the answer be sent. */
async function sent(api: Api, msp: Msp) {
  await asked(api, msp)
  await performJobs(msp, 'channels.send')
  return await latest(api, msp)
}

const ANSWERS = Array.from({ length: 6 }, (_, index) => ({ text: `Answer ${index + 1}.` }))

describeApi('an answer', (api) => {
  it('waits until the chat has taken it, and is sent once', async () => {
    const msp = await slackMsp()
    const chat = await playChat('OPEN')
    await playModel(ANSWERS)
    const waiting = await asked(api, msp)
    expect([waiting.status, waiting.error_code, chat.posted.size]).toEqual(['PENDING', null, 0])
    await performJobs(msp, 'channels.send', 2)
    expect(await latest(api, msp)).toMatchObject({ id: waiting.id, status: 'SENT', error_code: null })
    expect([...chat.posted]).toEqual([
      [
        waiting.id,
        {
          channel: { channel_id: SLACK, transport: 'SLACK', workspace_id: 'T1' },
          conversation_id: 'one',
          author_name: 'Desk',
          text: 'Answer 1.',
        },
      ],
    ])
  })

  it('in a chat on the web can be read at once, and goes nowhere else', async () => {
    const msp = await slackMsp()
    const chat = await playChat('CLOSED')
    await playModel(ANSWERS)
    const sender = { sender: { end_user_id: 'ada' } }
    await post(api, msp.key, sender, SITE)
    await performJobs(msp, 'channels.answer')
    await performJobs(msp, 'channels.send')
    expect(await latest(api, msp, SITE)).toMatchObject({ status: 'SENT' })
    expect(chat.posted.size).toBe(0)
  })

  it('that cannot be sent, the third in a row, puts the channel in ERROR, which takes no message', async () => {
    const msp = await slackMsp()
    const chat = await playChat('CLOSED')
    await playModel(ANSWERS)
    const { updated_at, revision } = await channelOf(api, msp)
    for (let count = 1; count <= 2; count++)
      expect(await sent(api, msp)).toMatchObject({ status: 'FAILED', error_code: 'channel_closed' })
    expect(await channelOf(api, msp)).toMatchObject({ status: 'ACTIVE', status_reason: null, updated_at })
    chat.state = 'OPEN'
    expect(await sent(api, msp)).toMatchObject({ status: 'SENT' })
    chat.state = 'CLOSED'
    for (let count = 1; count <= 3; count++) await sent(api, msp)
    expect(await channelOf(api, msp)).toMatchObject({
      status: 'ERROR',
      revision,
      status_reason: 'The chat takes no messages of the channel.',
    })
    expect(await raised(msp, 'channel.error')).toMatchObject([
      { entity_id: SLACK, agent_id: 1, data: { status: 'ERROR', transport: 'SLACK' } },
    ])
    const refused = await post(api, msp.key, {}, SLACK)
    expect([...outcome(refused), refused.error?.details]).toMatchObject([
      409,
      'channel_not_active',
      { current_status: 'ERROR' },
    ])
  })

  it('of a channel that was paused meanwhile is not sent, and does not count', async () => {
    const msp = await slackMsp()
    const chat = await playChat('OPEN')
    await playModel(ANSWERS)
    await asked(api, msp)
    await api.call(msp.key, 'pause_channel', { channel_id: SLACK })
    await performJobs(msp, 'channels.send')
    expect(await latest(api, msp)).toMatchObject({ status: 'FAILED', error_code: 'channel_not_active' })
    expect(chat.posted.size).toBe(0)
    expect((await channelOf(api, msp)).status).toBe('PAUSED')
  })

  it('to a chat that cannot be reached is tried three times', async () => {
    const msp = await slackMsp()
    await playChat('DOWN')
    await playModel(ANSWERS)
    for (const attempt of [1, 2]) {
      await asked(api, msp)
      await expect(performJobs(msp, 'channels.send', 1, attempt)).rejects.toMatchObject({
        code: 'upstream_unavailable',
      })
      expect(await latest(api, msp)).toMatchObject({ status: 'PENDING' })
    }
    await asked(api, msp)
    await performJobs(msp, 'channels.send', 1, 3)
    expect(await latest(api, msp)).toMatchObject({ status: 'FAILED', error_code: 'upstream_unavailable' })
  })
})

describeApi('an answer that the service itself cannot send', (api) => {
  it.each([
    [2, 'PENDING', null],
    [3, 'FAILED', 'internal_error'],
  ])('after %i attempts is %s', async (...expected) => {
    const [attempt, status, error_code] = expected
    const msp = await slackMsp()
    await playChat('BROKEN')
    await playModel(ANSWERS)
    await asked(api, msp)
    await expect(performJobs(msp, 'channels.send', 1, attempt)).rejects.toThrow('The adapter is broken')
    expect(await latest(api, msp)).toMatchObject({ status, error_code })
  })
})

describeApi('a test of a channel', (api) => {
  const test = (msp: Msp, channel_id = SLACK) => api.call(msp.key, 'test_channel', { channel_id })

  it('that succeeds makes one in ERROR ACTIVE again, which three further answers would have to fail', async () => {
    const msp = await slackMsp()
    const chat = await playChat('CLOSED')
    await playModel(ANSWERS)
    for (let count = 1; count <= 3; count++) await sent(api, msp)
    expect((await test(msp)).data).toMatchObject({ status: 'ERROR' })
    chat.state = 'OPEN'
    expect((await test(msp)).data).toMatchObject({ status: 'ACTIVE', status_reason: null })
    chat.state = 'CLOSED'
    await sent(api, msp)
    expect((await channelOf(api, msp)).status).toBe('ACTIVE')
  })

  it('that succeeds leaves an ACTIVE one as it is, and that fails puts it in ERROR', async () => {
    const msp = await slackMsp()
    const chat = await playChat('OPEN')
    const before = await channelOf(api, msp)
    expect((await test(msp)).data).toEqual(before)
    chat.state = 'CLOSED'
    expect((await test(msp)).data).toMatchObject({
      status: 'ERROR',
      status_reason: 'The chat takes no messages of the channel.',
      revision: before.revision + 1,
    })
  })

  it('whose chat does not answer changes nothing', async () => {
    const msp = await slackMsp()
    await playChat('DOWN')
    const before = await channelOf(api, msp)
    expect(outcome(await test(msp))).toEqual([503, 'upstream_unavailable'])
    expect(await channelOf(api, msp)).toEqual(before)
  })

  it('on the web always succeeds', async () => {
    const msp = await slackMsp()
    await playChat('DOWN')
    expect((await test(msp, SITE)).data).toMatchObject({ status: 'ACTIVE' })
  })

  it.each(['PENDING_INSTALL', 'PAUSED', 'UNINSTALLED'] as const)('is refused if it is %s', async (status) => {
    const msp = await slackMsp()
    await playChat('DOWN')
    await addChannels(msp, [{ id: 'other', agent_id: 1, status }])
    const refused = await test(msp, 'other')
    expect([...outcome(refused), refused.error?.details]).toMatchObject([
      409,
      'channel_not_active',
      { current_status: status },
    ])
  })
})
