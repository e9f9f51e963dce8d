/** Endpoints that change while their deliveries are under way: each delivery has one right end. */
import type { LookupAddress } from 'node:dns'
import { expect, it } from 'vitest'
import { createVendorClient } from '../../../src/connectors/http/client.ts'
import { addAgents } from '../../setup/agents.ts'
import type { Api } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { counted, times } from '../../setup/at-once.ts'
import { addEvents } from '../../setup/events.ts'
import {
  deliveriesOf,
  describeWebhooks,
  type Got,
  isSignedBy,
  sendWebhooks,
  startHoldingReceiver,
  startReceiver,
  subscribeTo,
} from '../../setup/webhooks.ts'
import { type Msp, world } from '../../setup/world.ts'

/** The deliveries of an endpoint that are under way at once. */
const UNDER_WAY = 8
const EVENTS = 20

const events = (count: number, event: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ type: 'dispatch.suggested', data: { n }, ...event }))

/** The number of deliveries with each status and number of attempts. */
async function ends(msp: Msp): Promise<Record<string, number>> {
  const rows = await deliveriesOf(msp)
  const named = rows.map(({ status, attempts }) => `${status} after ${(attempts as unknown[]).length}`)
  return Object.fromEntries(
    Map.groupBy(named, (name) => name)
      .entries()
      .map(([name, { length }]) => [name, length]),
  )
}

/** Sends events to an endpoint, and does the work while eight of them are under way. */
async function whileSending(
  api: Api,
  msp: Msp,
  event: object,
  {
    work,
    status,
  }: { work(endpoint_id: string, secret: string, got: readonly Got[]): Promise<unknown>; status: number },
): Promise<Got[]> {
  const receiver = await startHoldingReceiver()
  const { data } = await subscribeTo(api, msp.admin, receiver)
  // Several are under way at an endpoint that has taken an event before.
  const where = { tenant_id: msp.tenant_id }
  await msp.database.prisma.webhookEndpoint.updateMany({ where, data: { last_success_at: clock.now() } })
  await addEvents(msp, events(EVENTS, event))
  const sending = sendWebhooks(msp)
  await receiver.holds(UNDER_WAY)
  await work(data.id, data.secret, receiver.got)
  receiver.release(status)
  await sending
  await sendWebhooks(msp)
  return receiver.got
}

describeWebhooks(
  'while deliveries are under way',
  (api) => {
    it('a rotated secret signs those that begin after it, beside the previous one', async () => {
      const msp = await world()
      const secrets: string[] = []
      const got = await whileSending(
        api,
        msp,
        {},
        {
          status: 204,
          async work(endpoint_id, secret) {
            const rotated = await api.call(msp.admin, 'rotate_webhook_endpoint_secret', { endpoint_id })
            secrets.push(secret, rotated.data.secret)
          },
        },
      )
      expect(await ends(msp)).toEqual({ 'SUCCEEDED after 1': EVENTS })
      const signatures = got.map((request) => secrets.map((secret) => isSignedBy(secret, request)))
      expect(signatures.slice(0, UNDER_WAY)).toEqual(Array(UNDER_WAY).fill([true, false]))
      expect(signatures.slice(UNDER_WAY)).toEqual(Array(EVENTS - UNDER_WAY).fill([true, true]))
    })

    it('an owner who is demoted gets no event that they may not see any more', async () => {
      const msp = await world()
      await addAgents(msp, [{ id: 1 }])
      const { tenant_id, database } = msp
      const got = await whileSending(
        api,
        msp,
        { type: 'execution.waiting', agent_id: 1 },
        {
          status: 204,
          work: () =>
            database.prisma.tenantUser.updateMany({
              where: { tenant_id, id: msp.admin.id },
              data: { role: 'USER' },
            }),
        },
      )
      expect(got).toHaveLength(UNDER_WAY)
      expect(await ends(msp)).toEqual({
        'SUCCEEDED after 1': UNDER_WAY,
        'FAILED after 0': EVENTS - UNDER_WAY,
      })
    })

    it('an owner who is removed turns the endpoint off', async () => {
      const msp = await world()
      const { tenant_id, database } = msp
      const got = await whileSending(
        api,
        msp,
        {},
        {
          status: 204,
          work: () => database.prisma.tenantUser.deleteMany({ where: { tenant_id, id: msp.admin.id } }),
        },
      )
      expect(got).toHaveLength(UNDER_WAY)
      expect(await ends(msp)).toEqual({
        'SUCCEEDED after 1': UNDER_WAY,
        'FAILED after 0': EVENTS - UNDER_WAY,
      })
      const { data } = await api.call(msp.owner, 'webhook_endpoints')
      expect(data).toMatchObject([{ status: 'AUTO_DISABLED', disabled_reason: 'OWNER_REMOVED' }])
    })

    it.each([
      [204, { 'SUCCEEDED after 1': UNDER_WAY, 'FAILED after 0': EVENTS - UNDER_WAY }],
      [500, { 'FAILED after 1': UNDER_WAY, 'FAILED after 0': EVENTS - UNDER_WAY }],
    ])(
      'an endpoint that is deleted ends them: those that it answers by %i, by the answer',
      async (status, expected) => {
        const msp = await world()
        const got = await whileSending(
          api,
          msp,
          {},
          {
            status,
            work: (endpoint_id) => api.call(msp.admin, 'delete_webhook_endpoint', { endpoint_id }),
          },
        )
        expect(got).toHaveLength(UNDER_WAY)
        expect(await ends(msp)).toEqual(expected)
      },
    )

    it('an endpoint that is turned off ends those that wait', async () => {
      const msp = await world()
      const got = await whileSending(
        api,
        msp,
        {},
        {
          status: 500,
          work: (endpoint_id) =>
            api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id, input: { status: 'DISABLED' } }),
        },
      )
      expect(got).toHaveLength(UNDER_WAY)
      expect(await ends(msp)).toEqual({ 'FAILED after 1': UNDER_WAY, 'FAILED after 0': EVENTS - UNDER_WAY })
    })

    it('one that is sent again is sent again, whatever the answer to the first', async () => {
      const msp = await world()
      const got = await whileSending(
        api,
        msp,
        {},
        {
          status: 204,
          work: async (_endpoint_id, _secret, [first]) => {
            const event_id = first?.headers['webhook-id']
            const delivery_id = (await deliveriesOf(msp)).find((row) => row.event_id === event_id)?.id
            await api.call(msp.admin, 'resend_webhook_delivery', { delivery_id })
          },
        },
      )
      expect(got).toHaveLength(EVENTS + 1)
      expect(await ends(msp)).toEqual({ 'SUCCEEDED after 1': EVENTS - 1, 'SUCCEEDED after 2': 1 })
    })

    it('twenty loops and jobs at once make and send each delivery once', async () => {
      const msp = await world()
      const receiver = await startReceiver()
      await subscribeTo(api, msp.admin, receiver)
      await addEvents(msp, events(50))
      await times(() => sendWebhooks(msp))
      await sendWebhooks(msp)
      expect(await ends(msp)).toEqual({ 'SUCCEEDED after 1': 50 })
      expect(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size).toBe(50)
      expect(receiver.got).toHaveLength(50)
    })

    it('a name that leads to a private address at the next attempt is refused', async () => {
      const msp = await world()
      const receiver = await startReceiver()
      receiver.answers((response) => response.writeHead(500, { connection: 'close' }).end())
      const url = receiver.url.replace('127.0.0.1', 'localhost')
      const { data } = await subscribeTo(api, msp.admin, { url })
      await addEvents(msp, events(1))
      const addresses: LookupAddress[] = [
        { address: '127.0.0.1', family: 4 },
        { address: '169.254.169.254', family: 4 },
      ]
      const client = createVendorClient({
        allow_private_addresses: true,
        lookup: (_host, _options, callback) => callback(null, [addresses.shift()] as never),
      })
      await sendWebhooks(msp, { post_webhook: client.post })
      expect(await ends(msp)).toEqual({ 'PENDING after 1': 1 })
      clock.advance(10_000)
      await sendWebhooks(msp, { post_webhook: client.post })
      await client.close()
      expect(await ends(msp)).toEqual({ 'FAILED after 2': 1 })
      const listed = await api.call(msp.admin, 'webhook_deliveries', { endpoint_id: data.id })
      expect(
        listed.data[0].attempts.map(
          ({ status_code, error }: { status_code: number; error: string }) => status_code ?? error,
        ),
      ).toEqual([500, 'The address is not a public one'])
      expect(receiver.got).toHaveLength(1)
    })

    it('twenty calls at once that rotate the secret each give one, and the last two sign', async () => {
      const msp = await world()
      const receiver = await startReceiver()
      const { data } = await subscribeTo(api, msp.admin, receiver)
      const endpoint_id = data.id
      const answers = await times(() =>
        api.call(msp.admin, 'rotate_webhook_endpoint_secret', { endpoint_id }),
      )
      expect(counted(answers)).toEqual({ 200: 20 })
      await api.call(msp.admin, 'test_webhook_endpoint', { endpoint_id })
      const [got] = receiver.got as [Got]
      const signing = answers.filter(({ data: { secret } }) => isSignedBy(secret, got))
      expect(signing).toHaveLength(2)
    })
  },
  process.env.DATABASE_URL !== undefined,
)
