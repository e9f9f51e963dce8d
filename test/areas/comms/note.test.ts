/** Notes that callers send: each is on its ticket once, whatever the PSA does. */
import { beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { feedbackUrl } from '../../../src/access/credentials/feedback-link.ts'
import { ADD_NOTE } from '../../../src/areas/comms/declared.ts'
import { PortRefusal, PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import { addAgents } from '../../setup/agents.ts'
import { apis, describeApi } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import {
  addOutbound,
  messagesOf,
  NOTE,
  sendMessage,
  waitingFor,
  writingMsp,
} from '../../setup/comms-writing.ts'
import { performWaiting, withPsa } from '../../setup/due.ts'
import { psaOfTenant } from '../../setup/psa.ts'
import type { Msp } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { happen } from '../callbacks/events.ts'

beforeAll(installQueues)

const TEXT = 'It prints again.'

/** A tenant with a note that waits to be written. */
async function noted(input: object = {}): Promise<Msp> {
  const { msp } = await writingMsp()
  const { error } = await sendMessage(apis[1] as (typeof apis)[number], msp.admin, { ...NOTE, ...input })
  expect(error).toBeNull()
  return msp
}

const write = async (msp: Msp, calls: (local: Psa) => Partial<Psa> = () => ({}), attempt = 1) =>
  performWaiting(msp, ADD_NOTE.name, { services: await withPsa(calls), attempt })

const notesOf = (msp: Msp) => psaOfTenant(msp).notesOf('4711')
const messageOf = async (msp: Msp) => (await messagesOf(msp))[0]

const away = () => ({ addNote: () => Promise.reject(new PortUnavailable('away')) })

/** The write is made, and its answer lost. */
const lost = (local: Psa): Partial<Psa> => ({
  async addNote(...given) {
    await local.addNote(...given)
    throw new PortUnavailable('lost')
  },
})

const unknowing = (): Partial<Psa> => ({ outcomeOf: async () => 'UNKNOWN' })

describe('a note', () => {
  it('is read by the contact on the ticket, as one of the MSP, and is DELIVERED', async () => {
    const msp = await noted()
    expect(await write(msp)).toBe(1)
    expect(await notesOf(msp)).toMatchObject([{ author_name: 'Test MSP', is_internal: false, text: TEXT }])
    expect(await messageOf(msp)).toMatchObject({
      status: 'DELIVERED',
      error: null,
      sent_at: expect.any(Date),
    })
  })

  it('on a ticket that the PSA does not have is FAILED, and not tried again', async () => {
    const msp = await noted({ ticket_id: '9' })
    expect(await write(msp)).toBe(1)
    expect(await messageOf(msp)).toMatchObject({ status: 'FAILED', error: 'ticket_not_found', sent_at: null })
    expect(await waitingFor(msp, ADD_NOTE.name)).toEqual([])
  })

  it('that the PSA refuses is FAILED', async () => {
    const msp = await noted()
    await write(msp, () => ({ addNote: () => Promise.reject(new PortRefusal('NOT_SUPPORTED')) }))
    expect(await messageOf(msp)).toMatchObject({ status: 'FAILED', error: 'note_refused' })
  })

  it('waits for a PSA that is away, and is written once then', async () => {
    const msp = await noted()
    for (const attempt of [1, 2])
      await expect(write(msp, away, attempt)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    expect(await messageOf(msp)).toMatchObject({ status: 'QUEUED', error: null })
    await write(msp, undefined, 3)
    expect(await notesOf(msp)).toHaveLength(1)
    expect(await messageOf(msp)).toMatchObject({ status: 'DELIVERED' })
  })

  it('is FAILED after the last attempt at a PSA that is away, and after a retry on the ticket once', async () => {
    const msp = await noted()
    await expect(write(msp, lost, 11)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    const message = await messageOf(msp)
    expect(message).toMatchObject({ status: 'FAILED', error: 'server_unreachable' })
    await msp.database.prisma
      .$executeRaw`delete from pgboss.job where data -> 'tenancy' ->> 'tenant_id' = ${msp.tenant_id}`
    for (const api of apis.slice(0, 1))
      await api.call(msp.admin, 'retry_comms_message', { message_id: message?.id })
    await write(msp)
    expect(await messageOf(msp)).toMatchObject({ status: 'DELIVERED', error: null })
    expect(await notesOf(msp)).toHaveLength(1)
  })

  test.each([
    ['the PSA tells what was made', undefined],
    ['the PSA does not tell', unknowing],
  ])(
    'whose answer was lost is asked for under its key, and is on the ticket once, if %s',
    async (_how, calls) => {
      const msp = await noted()
      await expect(write(msp, lost)).rejects.toMatchObject({ code: 'upstream_unavailable' })
      const keys: string[] = []
      await write(
        msp,
        (local) => ({
          addNote(ticket_id, note, key) {
            keys.push(key)
            return local.addNote(ticket_id, note, key)
          },
          ...calls?.(),
        }),
        2,
      )
      const message = await messageOf(msp)
      expect(keys).toEqual([message?.id])
      expect(await notesOf(msp)).toHaveLength(1)
      expect(message).toMatchObject({ status: 'DELIVERED' })
    },
  )

  it('that nobody can tell of, and that the ticket lacks, is written under its key', async () => {
    const msp = await noted()
    await expect(write(msp, away)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    await write(msp, unknowing, 2)
    const { database, tenant_id } = msp
    const message = await messageOf(msp)
    expect(await database.prisma.psaWrite.findMany({ where: { tenant_id } })).toMatchObject([
      { idempotency_key: message?.id },
    ])
  })

  it.each([true, false])(
    'of which another note has the words is written, if that is internal: %s',
    async (is_internal) => {
      const msp = await noted()
      await psaOfTenant(msp).addNote('4711', { author_name: 'Tess', is_internal, text: TEXT }, 'other')
      await write(msp, unknowing, 2)
      expect((await notesOf(msp)).map((note) => note.is_internal)).toEqual([is_internal, false])
    },
  )

  it('is ended by a failure of the service itself in the last attempt', async () => {
    const msp = await noted()
    const broken = () => ({ addNote: () => Promise.reject(new Error('The adapter is broken')) })
    await expect(write(msp, broken, 11)).rejects.toBeDefined()
    expect(await messageOf(msp)).toMatchObject({ status: 'FAILED', error: expect.any(String) })
  })
})

describeApi('the same words', (api) => {
  it('that are sent twice are two notes, the second of them through an outage', async () => {
    const { msp } = await writingMsp()
    const { data: first } = await sendMessage(api, msp.admin, NOTE)
    await write(msp)
    const { data: second } = await sendMessage(api, msp.admin, NOTE)
    const out = () => ({ ...away(), ...unknowing() })
    await expect(write(msp, out)).rejects.toMatchObject({ code: 'upstream_unavailable' })
    await write(msp, unknowing, 2)
    expect((await notesOf(msp)).map(({ text }) => text)).toEqual([TEXT, TEXT])
    for (const { id: message_id } of [first, second])
      expect((await api.call(msp.admin, 'comms_message', { message_id })).data).toMatchObject({
        status: 'DELIVERED',
        error: null,
      })
  })
})

describe('the event of a note', () => {
  const REPLIED = 'TICKET_TECHNICIAN_REPLIED'

  /** The tenant, with an agent that runs for notes, and a ticket that is known. */
  async function withAgent(): Promise<Msp> {
    const { msp } = await writingMsp()
    const callback_settings = { change_types: [REPLIED] }
    await addAgents(msp, [{ id: 7, autonomy_type: 'CHAINED_ACTIONS', actions: [], callback_settings }])
    await happen(msp, [{ event_id: 'before', entity_id: '4711' }])
    return msp
  }

  /** Writes the note as another system would, which keeps nothing of keys. */
  const writeAs = async (msp: Msp, text: string) => {
    const { tenant_id, environment, database } = msp
    await database.prisma.psaNote.create({
      data: {
        tenant_id,
        environment,
        note_id: `note_${text.length}`,
        ticket_id: '4711',
        author_name: 'MSP',
        is_internal: false,
        text,
        created_at: new Date(),
      },
    })
  }

  it('is the service’s own, and starts no agent', async () => {
    const msp = await withAgent()
    await addOutbound(msp, { id: 'cms_1', medium: 'TICKET_NOTE', ticket_id: '4711', body: TEXT })
    await writeAs(msp, TEXT)
    const { own_changes } = await happen(msp, [{ event_id: 'own', entity_id: '4711' }])
    expect(own_changes).toContain(REPLIED)
    expect(await msp.database.prisma.execution.count({ where: { tenant_id: msp.tenant_id } })).toBe(0)
  })

  it.each([0, 1])('is its own if it has a feedback link that the secret %s signed', async (place) => {
    const msp = await withAgent()
    const { services } = (await testApp()).app
    const before = services.signing_secrets
    services.signing_secrets = ['a new secret of sixteen', ...before]
    onTestFinished(() => {
      services.signing_secrets = before
    })
    const link = { feedback_id: 'fb_1', feedback_expires_at: new Date('2026-12-01T00:00:00Z') }
    const note = { medium: 'TICKET_NOTE', ticket_id: '4711', source_id: 'tlc_1' } as const
    await addOutbound(msp, { id: 'cms_1', ...note, ...link, body: 'Well? [feedback link]' })
    const signer = { ...services, signing_secrets: services.signing_secrets.slice(place) }
    const url = feedbackUrl(signer, { id: 'fb_1', expires_at: link.feedback_expires_at })
    await writeAs(msp, `Well? ${url}`)
    const { own_changes } = await happen(msp, [{ event_id: 'own', entity_id: '4711' }])
    expect(own_changes).toContain(REPLIED)
  })

  it('is not its own if somebody else wrote it', async () => {
    const msp = await withAgent()
    await addOutbound(msp, { id: 'cms_1', medium: 'TICKET_NOTE', ticket_id: '4711', body: TEXT })
    await writeAs(msp, 'It does not print.')
    const { own_changes } = await happen(msp, [{ event_id: 'theirs', entity_id: '4711' }])
    expect(own_changes).not.toContain(REPLIED)
  })
})
