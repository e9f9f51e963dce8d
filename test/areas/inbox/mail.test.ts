/** Mails of items to their users. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MAIL_ITEM } from '../../../src/areas/inbox/declared.ts'
import { JOBS } from '../../../src/composition/jobs.ts'
import type { Services } from '../../../src/gateway/context.ts'
import { installJobs } from '../../../src/jobs/install.ts'
import { addAgents } from '../../setup/agents.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { performDue } from '../../setup/connected.ts'
import { testDatabase } from '../../setup/database.ts'
import { enqueueFor, servicesWith } from '../../setup/escalation-mails.ts'
import { addEvents } from '../../setup/events.ts'
import { failure, fillInboxes, followFeed, itemsOf, prefer } from '../../setup/inboxes.ts'
import { startMailServer } from '../../setup/smtp.ts'
import { type Msp, world } from '../../setup/world.ts'

beforeAll(async () => {
  await installJobs(await testDatabase(), ENVIRONMENT, JOBS)
})
afterEach(() => clock.reset())

const MINUTE = 60_000

/** A tenant whose OWNER wants mails of failures, and the service with a mail server. */
async function mailed() {
  const msp = await world()
  await addAgents(msp, [{ id: 1, name: 'Ada' }])
  await prefer(msp, msp.owner.id, { mail_kinds: ['EXECUTION_FAILED'] })
  const server = await startMailServer()
  const services = await servicesWith(server.url)
  const fail = async (...ids: string[]) => {
    await addEvents(
      msp,
      ids.map((id) => failure(id)),
    )
    await fillInboxes(msp, services)
  }
  return { msp, server, services, fail }
}

const itemOf = async (msp: Msp) => (await itemsOf(msp, msp.owner.id))[0]

const change = ({ database, tenant_id }: Msp, data: object) =>
  database.prisma.inboxItem.updateMany({ where: { tenant_id }, data })

/** Enqueues the mail of the OWNER’s item once more, as after a lost attempt. */
async function mailAgain(services: Services, msp: Msp): Promise<void> {
  const item = await itemOf(msp)
  const asked_at = item?.mail_asked_at?.toISOString() ?? ''
  await enqueueFor(services, msp, MAIL_ITEM, { item_id: item?.id ?? '', asked_at })
}

/** Does the jobs of the tenant; the failure of the first one that fails. */
const perform = (services: Services, msp: Msp, attempt = 1): Promise<unknown> =>
  performDue(services, msp, attempt).catch((error: unknown) => error)

describe('the mail of an item', () => {
  it('goes to the user who wants mails of its kind, with the title', async () => {
    const { msp, server, fail } = await mailed()
    await fail('a', 'b')
    const item = await itemOf(msp)
    expect(server.mails).toHaveLength(1)
    const domain = msp.tenant_id.replaceAll('_', '-')
    expect(server.mails[0]).toMatchObject({
      to: [`owner@${domain}.test`],
      headers: {
        subject: 'Ada: executions fail (model_refused)',
        'message-id': `<${item?.id}.${item?.mail_asked_at?.getTime()}@mail.example>`,
      },
    })
    expect(server.mails[0]?.text).toContain('It happened 2 times since')
    expect(item).toMatchObject({ last_mailed_at: expect.any(Date), mail_began_at: null })
  })

  it('is one an hour, however often it happens', async () => {
    const { server, fail } = await mailed()
    await fail('a')
    for (let minute = 0; minute < 5; minute++) {
      clock.advance(10 * MINUTE)
      await fail(`later_${minute}`)
    }
    expect(server.mails).toHaveLength(1)
    clock.advance(11 * MINUTE)
    await fail('next')
    expect(server.mails).toHaveLength(2)
  })

  it('is not asked for while the item stays READ, so that it comes with the next one', async () => {
    const { msp, server, fail } = await mailed()
    await fail('a')
    clock.advance(59.9 * MINUTE)
    await change(msp, { state: 'READ', unread_at: clock.now() })
    clock.advance(0.3 * MINUTE)
    await fail('b')
    expect(server.mails).toHaveLength(1)
    clock.advance(MINUTE)
    await fail('c')
    expect(server.mails).toHaveLength(2)
  })

  it('is not asked for while another one of the item is being sent', async () => {
    const { msp, fail } = await mailed()
    await fail('a')
    const asked = (await itemOf(msp))?.mail_asked_at
    await change(msp, { mail_began_at: clock.now() })
    clock.advance(61 * MINUTE)
    await fail('b')
    expect(await itemOf(msp)).toMatchObject({ mail_asked_at: asked, occurrence_count: 2 })
  })

  it('comes an hour after the mail before, also if that was late', async () => {
    const { msp, server, services, fail } = await mailed()
    await server.stop()
    await addEvents(msp, [failure('a')])
    await expect(fillInboxes(msp, services)).rejects.toThrow('The mail server could not be spoken with')
    clock.advance(50 * MINUTE)
    await server.start()
    await mailAgain(services, msp)
    await performDue(services, msp)
    expect(server.mails).toHaveLength(1)
    clock.advance(20 * MINUTE)
    await fail('b')
    expect(server.mails).toHaveLength(1)
  })

  it.each([
    ['read', { state: 'READ' }],
    ['archived', { state: 'ARCHIVED' }],
    ['settled', { resolved: true }],
  ])('is not sent once the item is %s', async (_what, data) => {
    const { msp, server, services } = await mailed()
    await addEvents(msp, [failure('a')])
    await followFeed(msp)
    await change(msp, data)
    await performDue(services, msp)
    expect(server.mails).toEqual([])
  })

  it('is not sent again by a worker that takes over after it began', async () => {
    const { msp, server, services } = await mailed()
    await addEvents(msp, [failure('a')])
    await followFeed(msp)
    const began = clock.now()
    await change(msp, { mail_began_at: began })
    await performDue(services, msp)
    expect(server.connections()).toBe(0)
    expect(await itemOf(msp)).toMatchObject({ last_mailed_at: began, mail_began_at: null })
  })

  it('is tried for an hour, and given up then', async () => {
    const { msp, server, services } = await mailed()
    server.behaves({ refuses: { at: 'MAIL', status: 451 } })
    await addEvents(msp, [failure('a')])
    await expect(fillInboxes(msp, services)).rejects.toThrow('451')
    await mailAgain(services, msp)
    expect(await perform(services, msp, 9)).toBeUndefined()
    expect(await itemOf(msp)).toMatchObject({ last_mailed_at: null, mail_began_at: null, state: 'UNREAD' })
  })

  it('is none for a user who has not asked for mails of the kind', async () => {
    const { msp, server } = await mailed()
    await addEvents(msp, [
      { type: 'webhook_endpoint.disabled', entity_id: 'whe_1', data: { disabled_reason: 'FAILING' } },
    ])
    await fillInboxes(msp)
    expect(await itemsOf(msp)).toHaveLength(2)
    expect(server.mails).toEqual([])
  })
})
