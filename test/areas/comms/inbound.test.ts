/** Messages that customers and technicians write, and answers of agents in chats. */
import { beforeAll, describe, expect, it, test } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addChannels, addMessages as addChats } from '../../setup/channels.ts'
import { addMessages, messagesOf } from '../../setup/comms.ts'
import { addCompanies } from '../../setup/companies.ts'
import { withPsa } from '../../setup/due.ts'
import { playModel } from '../../setup/model.ts'
import { addPsaContacts, addPsaTickets } from '../../setup/psa.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { callbacksOf, changeTicket, happen } from '../callbacks/events.ts'
import { answered, chatMsp, DESK, post, SITE } from '../channels/chats.ts'

beforeAll(installQueues)

const LONG_AGO = new Date(Date.now() - 86_400_000)

/** A tenant with ticket 1 of Ada, which is known. */
async function knownTicket(): Promise<Msp> {
  const msp = await world()
  await addPsaContacts(msp, [{ contact_id: 'p1', psa_company_id: 'psa_a', name: 'Ada Byron' }])
  await addPsaTickets(msp, [
    { ticket_id: '1', created_at: LONG_AGO, updated_at: LONG_AGO, psa_company_id: 'psa_a', contact_id: 'p1' },
  ])
  await happen(msp, [{ event_id: 'before' }])
  return msp
}

/** Ada, or somebody else, writes on the ticket. */
async function write(msp: Msp, note_id: string, note: object = {}): Promise<void> {
  const { tenant_id, environment, database } = msp
  const said = {
    author_name: 'Ada Byron',
    is_internal: false,
    text: 'It is broken again.',
    created_at: LONG_AGO,
  }
  await database.prisma.psaNote.create({
    data: { tenant_id, environment, note_id, ticket_id: '1', ...said, ...note },
  })
  await changeTicket(msp, {})
}

async function addAda(msp: Msp): Promise<void> {
  const { tenant_id, environment } = msp
  await addCompanies(msp, [{ id: 'a' }])
  const stamps = { created_at: clock.now(), updated_at: clock.now() }
  const ada = { id: 'ada', name: 'Ada B.', psa_contact_id: 'p1', end_company_id: 'a' }
  await msp.database.prisma.endUser.create({ data: { tenant_id, environment, ...ada, ...stamps } })
}

describe('a reply of a customer', () => {
  test('is a message, once, without secrets', async () => {
    const msp = await knownTicket()
    await addAda(msp)
    await write(msp, 'n1', { text: 'Bearer abcdefghijkl is my key.' })
    const { status } = await happen(msp, [{ event_id: 'e1' }])
    expect(status).toBe('FILTERED_OUT')
    const [message, ...others] = await messagesOf(msp)
    expect(others).toEqual([])
    expect(message).toMatchObject({
      direction: 'INBOUND',
      medium: 'TICKET_NOTE',
      status: 'DELIVERED',
      recipient_type: 'END_USER',
      recipient_id: 'ada',
      recipient_name: 'Ada B.',
      end_user_id: 'ada',
      body: '[removed] is my key.',
      ticket_id: '1',
      agent_id: null,
      execution_id: null,
      sent_at: LONG_AGO,
      error: null,
    })
  })

  test('names its author if the service does not know the person', async () => {
    const msp = await knownTicket()
    await write(msp, 'n1')
    await happen(msp, [{ event_id: 'e1' }])
    expect(await messagesOf(msp)).toMatchObject([
      { recipient_type: 'END_USER', recipient_id: null, recipient_name: 'Ada Byron', end_user_id: null },
    ])
  })

  test('is kept when it is longer than an agent may write, in part', async () => {
    const msp = await knownTicket()
    await write(msp, 'n1', { text: `${'a'.repeat(19_999)}😀b` })
    await happen(msp, [{ event_id: 'e1' }])
    const [message] = await messagesOf(msp)
    expect(message?.body.length).toBe(20_000)
    expect(message?.body.isWellFormed()).toBe(true)
  })

  test.each([
    ['a webhook and a poll', [{ event_id: 'e1' }, { event_id: null, source: 'POLL' as const }]],
    ['a poll and a webhook', [{ event_id: null, source: 'POLL' as const }, { event_id: 'e1' }]],
    ['two webhooks', [{ event_id: 'e1' }, { event_id: 'e2' }]],
  ])('that comes by %s is one message', async (_name, events) => {
    const msp = await knownTicket()
    await write(msp, 'n1')
    await happen(msp, events)
    expect(await messagesOf(msp)).toHaveLength(1)
  })

  test('that is found again is no second message', async () => {
    const msp = await knownTicket()
    await write(msp, 'n1')
    const { id } = await happen(msp, [{ event_id: 'e1' }])
    const { tenant_id, database } = msp
    // The version that is known is as it was before.
    await database.prisma.callbackEntity.updateMany({
      where: { tenant_id },
      data: { version: { notes: [], notes_since: null } },
    })
    const reprocessed = await callbacksOf(msp)
    expect(reprocessed.at(-1)?.id).toBe(id)
    await happen(msp, [{ event_id: 'e2' }])
    expect((await callbacksOf(msp)).at(-1)?.change_types).toContain('TICKET_CUSTOMER_REPLIED')
    expect(await messagesOf(msp)).toHaveLength(1)
    await write(msp, 'n2', { text: 'And again.' })
    await happen(msp, [{ event_id: 'e3' }])
    expect((await messagesOf(msp)).map(({ body }) => body).toSorted()).toEqual([
      'And again.',
      'It is broken again.',
    ])
  })

  test('is not a note that the service made in the name of the contact', async () => {
    const msp = await knownTicket()
    await write(msp, 'n1')
    const services = await withPsa((psa) => ({
      ticketsWithNotes: async (ticket_ids) =>
        (await psa.ticketsWithNotes(ticket_ids)).map(({ ticket, notes }) => ({
          ticket,
          notes: notes.map((note) => ({ ...note, made_by_key: 'a key' })),
        })),
    }))
    await happen(msp, [{ event_id: 'e1' }], services)
    expect(await messagesOf(msp)).toEqual([])
  })

  test('that repeats the words of a note that a caller sends is the customer’s, and starts agents', async () => {
    const msp = await knownTicket()
    const callback_settings = { change_types: ['TICKET_CUSTOMER_REPLIED'] }
    await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', callback_settings }])
    const text = 'It prints again.'
    const sent = { id: 'cms_1', medium: 'TICKET_NOTE', status: 'QUEUED', ticket_id: '1', body: text } as const
    await addMessages(msp, [sent])
    await write(msp, 'n1', { text })
    const callback = await happen(msp, [{ event_id: 'e1' }])
    expect(callback).toMatchObject({ status: 'PROCESSED', own_changes: [], matches: [{ result: 'MATCHED' }] })
    expect((await messagesOf(msp)).filter(({ direction }) => direction === 'INBOUND')).toMatchObject([
      { body: text, ticket_id: '1', status: 'DELIVERED' },
    ])
  })

  test('at a company that the filters leave out is not kept', async () => {
    const msp = await knownTicket()
    await addCompanies(msp, [{ id: 'a', in_scope: false }])
    await write(msp, 'n1')
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({ filter_reason: 'CHANGE_TYPE_UNUSED' })
    expect(await messagesOf(msp)).toEqual([])
  })

  test('is there even if it starts agents, and of no agent', async () => {
    const msp = await knownTicket()
    const callback_settings = { change_types: ['TICKET_CUSTOMER_REPLIED'] }
    await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', callback_settings }])
    await write(msp, 'n1')
    await write(msp, 'n2', { text: 'And the scanner, too.' })
    expect(await happen(msp, [{ event_id: 'e1' }])).toMatchObject({
      status: 'PROCESSED',
      matches: [{ result: 'MATCHED' }],
    })
    expect((await messagesOf(msp)).map(({ body, agent_id }) => [body, agent_id]).toSorted()).toEqual([
      ['And the scanner, too.', null],
      ['It is broken again.', null],
    ])
  })

  test.each([
    ['a note of a technician', { author_name: 'Grace Hopper' }],
    ['an internal note', { is_internal: true }],
  ])('is not %s', async (_name, note) => {
    const msp = await knownTicket()
    await write(msp, 'n1', note)
    await happen(msp, [{ event_id: 'e1' }])
    expect(await messagesOf(msp)).toEqual([])
  })
})

describeApi('a callback that is processed again', (api) => {
  it('makes no second message of a reply', async () => {
    const msp = await knownTicket()
    await write(msp, 'n1')
    const { id: callback_id } = await happen(msp, [{ event_id: 'e1' }])
    expect((await api.call(msp.key, 'reprocess_callback', { callback_id })).status).toBe(200)
    await happen(msp, [{ event_id: 'e2' }])
    expect(await messagesOf(msp)).toHaveLength(1)
    expect(
      (await api.call(msp.key, 'comms_messages', { direction: 'INBOUND', ticket_id: '1' })).data,
    ).toMatchObject([{ medium: 'TICKET_NOTE', body: 'It is broken again.' }])
  })
})

describeApi('a chat', (api) => {
  it('of an end user is a message, and so is its answer', async () => {
    const msp = await chatMsp()
    await playModel([{ text: 'It is on its way.' }])
    const sender = { workplace_user_id: 'wp_ada' }
    const { id } = (await post(api, msp.key, { sender }, SITE)).data
    const ADA = { recipient_type: 'END_USER', recipient_id: 'ada', recipient_name: 'ada' }
    const chat = {
      ...ADA,
      medium: 'CHAT',
      channel_id: SITE,
      conversation_id: 'one',
      agent_id: 1,
      status: 'DELIVERED',
    }
    const asked = { ...chat, direction: 'INBOUND', body: 'What about 4711?', error: null }
    expect((await api.call(msp.key, 'comms_messages')).data).toMatchObject([asked])
    await answered(api, msp, SITE)
    const { data } = await api.call(msp.key, 'comms_messages', { end_user_id: 'ada' })
    expect(data).toHaveLength(2)
    expect(data).toContainEqual(expect.objectContaining(asked))
    expect(data).toContainEqual(
      expect.objectContaining({
        ...chat,
        direction: 'OUTBOUND',
        body: 'It is on its way.',
        execution_id: null,
      }),
    )
    const stored = await messagesOf(msp)
    expect(stored.find(({ direction }) => direction === 'INBOUND')).toMatchObject({ source_id: id })
    expect(stored.every(({ created_at, updated_at }) => updated_at >= created_at)).toBe(true)
    expect(stored.every(({ sent_at }) => sent_at !== null)).toBe(true)
  })

  it('of a technician names no person that the service knows', async () => {
    const msp = await chatMsp()
    await post(api, msp.key, {}, DESK)
    expect((await api.call(msp.key, 'comms_messages')).data).toMatchObject([
      { direction: 'INBOUND', recipient_type: 'TECHNICIAN', recipient_id: null, recipient_name: null },
    ])
  })
})

describe('an answer in a chat', () => {
  const answer = async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addChannels(msp, [{ id: 'chn_1', agent_id: 1 }])
    await addChats(msp, [{ id: 'msg_ask', channel_id: 'chn_1' }])
    const agents = {
      channel_id: 'chn_1',
      author: 'AGENT',
      status: 'PENDING',
      workplace_user_id: null,
    } as const
    await addChats(msp, [
      { ...agents, id: 'msg_answer', reply_to_message_id: 'msg_ask' },
      { ...agents, id: 'msg_told' },
    ])
    const { prisma } = msp.database
    const become = async (id: string, data: { status: 'SENT' | 'FAILED'; error_code?: string }) => {
      await prisma.channelMessage.updateMany({
        where: { tenant_id: msp.tenant_id, id },
        data: { ...data, updated_at: clock.now() },
      })
      return (await messagesOf(msp)).filter(({ direction }) => direction === 'OUTBOUND')
    }
    return { msp, become }
  }

  test.each([
    ['SENT', { status: 'SENT' }, { status: 'DELIVERED', error: null }],
    [
      'FAILED',
      { status: 'FAILED', error_code: 'channel_closed' },
      { status: 'FAILED', error: 'channel_closed' },
    ],
    [
      'FAILED, as its chat cannot be reached',
      { status: 'FAILED', error_code: 'upstream_unavailable' },
      { status: 'FAILED', error: 'server_unreachable' },
    ],
    ['FAILED for no known reason', { status: 'FAILED' }, { status: 'FAILED', error: 'internal_error' }],
  ] as const)(
    'waits until it is %s, and what an agent tells has no message',
    async (_name, data, becomes) => {
      const { msp, become } = await answer()
      expect((await messagesOf(msp)).map(({ id, status }) => [id, status]).toSorted()).toEqual([
        ['cms_answer', 'QUEUED'],
        ['cms_ask', 'DELIVERED'],
      ])
      const after = await become('msg_answer', data)
      expect(after).toMatchObject([becomes])
      expect(after[0]?.sent_at !== null).toBe(data.status === 'SENT')
      expect(await become('msg_told', { status: 'SENT' })).toHaveLength(1)
    },
  )

  test('that has failed when it is stored has the word of messages for the reason', async () => {
    const { msp } = await answer()
    const failed = { author: 'AGENT', status: 'FAILED', workplace_user_id: null } as const
    await addChats(msp, [{ id: 'msg_other', channel_id: 'chn_1' }])
    const of_chat = { ...failed, channel_id: 'chn_1', reply_to_message_id: 'msg_other' }
    await addChats(msp, [{ ...of_chat, id: 'msg_failed', error_code: 'upstream_unavailable' }])
    expect(await messagesOf(msp)).toContainEqual(
      expect.objectContaining({ id: 'cms_failed', status: 'FAILED', error: 'server_unreachable' }),
    )
  })

  test('is followed by the message that names it as its source', async () => {
    const { msp, become } = await answer()
    await addMessages(msp, [{ id: 'cms_own', medium: 'CHAT', status: 'QUEUED', source_id: 'msg_told' }])
    await become('msg_told', { status: 'FAILED', error_code: 'channel_closed' })
    expect(await messagesOf(msp)).toContainEqual(
      expect.objectContaining({ id: 'cms_own', status: 'FAILED', error: 'channel_closed', sent_at: null }),
    )
    await become('msg_told', { status: 'SENT' })
    expect(await messagesOf(msp)).toContainEqual(
      expect.objectContaining({ id: 'cms_own', status: 'DELIVERED', sent_at: expect.any(Date) }),
    )
  })
})
