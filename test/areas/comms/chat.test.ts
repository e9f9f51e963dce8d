/** Chats that callers send, on platforms that take them later: the message follows its message of the chat. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi } from '../../setup/api.ts'
import { playChat } from '../../setup/chat.ts'
import { chatOn, messagesOf, SLACK, sendMessage, writingMsp } from '../../setup/comms-writing.ts'
import { performJobs } from '../../setup/jobs.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

describeApi('a chat', (api) => {
  it('is DELIVERED once its platform has it', async () => {
    const { msp } = await writingMsp()
    const chat = await playChat('OPEN')
    const { data } = await sendMessage(api, msp.admin, chatOn(SLACK))
    await performJobs(msp, 'channels.send')
    expect((await api.call(msp.admin, 'comms_message', { message_id: data.id })).data).toMatchObject({
      status: 'DELIVERED',
      error: null,
      sent_at: expect.any(String),
    })
    const [message] = await messagesOf(msp)
    expect([...chat.posted]).toMatchObject([
      [message?.source_id, { conversation_id: 'slack', text: 'It prints again.' }],
    ])
  })

  it('that its platform refuses is FAILED, and DELIVERED by a retry, as the same message of the chat', async () => {
    const { msp } = await writingMsp()
    const chat = await playChat('CLOSED')
    const { data } = await sendMessage(api, msp.admin, chatOn(SLACK))
    const message_id = data.id
    await performJobs(msp, 'channels.send')
    expect(await messagesOf(msp)).toMatchObject([{ status: 'FAILED', error: 'channel_closed' }])
    chat.state = 'OPEN'
    const again = await api.call(msp.admin, 'retry_comms_message', { message_id })
    expect(again.data).toMatchObject({ status: 'QUEUED', error: null })
    await performJobs(msp, 'channels.send')
    const messages = await messagesOf(msp)
    expect(messages).toMatchObject([{ id: message_id, status: 'DELIVERED', error: null }])
    expect([...chat.posted.keys()]).toEqual([messages[0]?.source_id])
  })
})
