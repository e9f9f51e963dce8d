/** Links that callers send on: the text as it is stored has no signature. */
import { beforeAll, expect, it } from 'vitest'
import { linkIn as signedLinkIn } from '../../../src/access/credentials/feedback-link.ts'
import { describeApi } from '../../setup/api.ts'
import { SIGNING_SECRET } from '../../setup/app.ts'
import { messagesOf } from '../../setup/comms.ts'
import { ADA, writingMsp } from '../../setup/comms-writing.ts'
import { useMailServer } from '../../setup/escalation-mails.ts'
import { linkIn } from '../../setup/feedback.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import { installQueues } from '../agents/runnable.ts'
import { sendWaiting, tablesWith } from './asking.ts'

beforeAll(installQueues)

const SIGNER = { signing_secrets: [SIGNING_SECRET], public_url: '' }

describeApi('a link that a caller sends', (api) => {
  it.each(['TICKET_NOTE', 'EMAIL'] as const)(
    'in a message of the medium %s is stored without its signature',
    async (medium) => {
      const { msp } = await writingMsp()
      const server = await useMailServer()
      const made = await api.call(msp.admin, 'create_feedback_link', { input: { ticket_id: '4711' } })
      const { url } = made.data
      const body = `How did we do? https://help.msp.test${url}\nThank you.`
      const to = medium === 'EMAIL' ? { recipient: ADA, subject: 'How did we do?' } : { ticket_id: '4711' }
      const { data } = await api.call(msp.admin, 'send_comms_message', { input: { medium, body, ...to } })
      expect(data.body).toBe('How did we do? https://help.msp.test[feedback link]\nThank you.')
      expect(await sendWaiting(msp)).toBe(1)
      const notes = await psaOfTenant(msp).notesOf('4711')
      const sent = [...server.mails, ...notes]
      expect(sent.map(({ text }) => text.trim().replaceAll('\r\n', '\n'))).toEqual([body])
      expect((await messagesOf(msp)).find(({ id }) => id === data.id)).toMatchObject({
        feedback_id: made.data.id,
      })
      expect(await tablesWith(msp, linkIn(url).signature)).toEqual([])
    },
  )

  it('is none if nobody signed it: no signature is made for it', async () => {
    const { msp } = await writingMsp()
    const { data } = await api.call(msp.admin, 'create_feedback_link', { input: { ticket_id: '4711' } })
    const unsigned = `/public-api/feedback/${data.id}/form?expires=${linkIn(data.url).expires}`
    for (const address of [unsigned, `${unsigned}&signature=x`, `${unsigned}0&signature=x`]) {
      expect(signedLinkIn(SIGNER, address)).toBeNull()
      const input = { medium: 'TICKET_NOTE', ticket_id: '4711', body: address }
      const { data: message } = await api.call(msp.admin, 'send_comms_message', { input })
      expect(message.body).toBe(address)
    }
    await sendWaiting(msp)
    expect((await psaOfTenant(msp).notesOf('4711')).map(({ text }) => text)).not.toContain(data.url)
  })
})
