/** Endpoints: they are created, changed, turned off and deleted. */
import { expect, it } from 'vitest'
import { outcome } from '../../setup/api.ts'
import { addEvents } from '../../setup/events.ts'
import {
  deliveriesOf,
  describeWebhooks,
  sendWebhooks,
  startReceiver,
  subscribeTo,
} from '../../setup/webhooks.ts'
import { world } from '../../setup/world.ts'

const URL = 'https://hooks.example.com/automation?tenant=7'
const input = { url: URL, event_types: ['execution.*', 'til_request.created'] }

describeWebhooks('webhook endpoints', (api) => {
  it('are created with a secret that no other answer and no row has', async () => {
    const msp = await world()
    const created = await api.call(msp.admin, 'create_webhook_endpoint', {
      input: { ...input, description: '', filters: { severities: ['CRITICAL', 'CRITICAL'], agent_ids: [7] } },
    })
    expect(created.data).toMatchObject({
      url: URL,
      description: null,
      event_types: input.event_types,
      filters: { severities: ['CRITICAL'], agent_ids: [7], end_company_ids: null },
      status: 'ENABLED',
      disabled_reason: null,
      last_success_at: null,
      failing_since: null,
      created_by_name: 'Admin',
    })
    const { secret, ...endpoint } = created.data
    const endpoint_id = endpoint.id
    expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32)
    const read = await api.call(msp.viewer, 'webhook_endpoint', { endpoint_id })
    expect(read.data).toEqual(endpoint)
    const listed = await api.call(msp.viewer, 'webhook_endpoints')
    expect(listed.data).toEqual([read.data])
    const { tenant_id } = msp
    const [row] = await msp.database.prisma.webhookEndpoint.findMany({ where: { tenant_id } })
    const activities = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id } })
    expect(
      JSON.stringify([row, activities], (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toContain(secret.slice(6))
    expect(activities.map(({ action }) => action)).toEqual(['webhook_endpoint.created'])
  })

  it('give their secret once: the same call again is 409', async () => {
    const msp = await world()
    const headers = { 'idempotency-key': 'once' }
    const first = await api.call(msp.admin, 'create_webhook_endpoint', { input }, headers)
    const again = await api.call(msp.admin, 'create_webhook_endpoint', { input }, headers)
    expect([outcome(first), outcome(again)]).toEqual([
      [200, undefined],
      [409, 'secret_already_issued'],
    ])
    expect(again.error?.details).toMatchObject({ endpoint_id: first.data.id })
    expect((await api.call(msp.admin, 'webhook_endpoints')).data).toHaveLength(1)
  })

  it.each([
    ['http://hooks.example.com', 'must be https'],
    ['ftp://hooks.example.com', 'must be https'],
    ['hooks.example.com', 'must be an address'],
    ['https://user@hooks.example.com', 'must have no user and no password'],
    ['https://:password@hooks.example.com', 'must have no user and no password'],
    ['https://hooks.example.com/#part', 'must have no fragment'],
    ['https://169.254.169.254/latest', 'must be of a public host'],
    ['https://0xa9fea9fe/', 'must be of a public host'],
    ['https://[::ffff:a9fe:a9fe]/', 'must be of a public host'],
    ['http://10.0.0.1/', 'must be https'],
  ])('refuse the address %s', async (url, message) => {
    const msp = await world()
    const refused = await api.call(msp.admin, 'create_webhook_endpoint', { input: { ...input, url } })
    expect(outcome(refused)).toEqual([422, 'webhook_url_not_allowed'])
    expect(refused.error?.details.field_errors).toMatchObject([{ field: 'url', location: 'body', message }])
    expect((await api.call(msp.admin, 'webhook_endpoints')).data).toEqual([])
  })

  it('refuse types that there are not', async () => {
    const msp = await world()
    const event_types = ['execution.*', 'execution', 'webhook_endpoint.test']
    const refused = await api.call(msp.admin, 'create_webhook_endpoint', { input: { url: URL, event_types } })
    expect(refused.error?.details.field_errors).toMatchObject([
      { field: 'event_types', message: expect.stringContaining('"execution"') },
      { field: 'event_types', message: expect.stringContaining('webhook_endpoint.test') },
    ])
  })

  it('are at most twenty in an environment', async () => {
    const msp = await world()
    for (let n = 0; n < 19; n++) await api.call(msp.admin, 'create_webhook_endpoint', { input })
    const last = await Promise.all(
      Array.from({ length: 3 }, () => api.call(msp.admin, 'create_webhook_endpoint', { input })),
    )
    expect(last.map(outcome).sort()).toEqual([
      [200, undefined],
      [409, 'webhook_endpoint_limit_reached'],
      [409, 'webhook_endpoint_limit_reached'],
    ])
  })

  it('are changed: filters as a whole, a description by null, and nothing by what is stored', async () => {
    const msp = await world()
    const created = await api.call(msp.admin, 'create_webhook_endpoint', {
      input: { ...input, description: 'Ours', filters: { severities: ['CRITICAL'] } },
    })
    const { id: endpoint_id } = created.data
    const change = (patch: object, headers = {}) =>
      api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id, input: patch }, headers)
    const changed = await change({
      description: null,
      filters: { end_company_ids: ['cmp_1'] },
      event_types: ['*'],
    })
    expect(changed.data).toMatchObject({
      url: URL,
      description: null,
      event_types: ['*'],
      filters: { severities: null, agent_ids: null, end_company_ids: ['cmp_1'] },
      revision: 2,
    })
    expect((await change({ event_types: ['*'], status: 'ENABLED' })).data.revision).toBe(2)
    expect((await change({ filters: null })).data.filters).toEqual({
      severities: null,
      agent_ids: null,
      end_company_ids: null,
    })
    expect(outcome(await change({ url: URL }, { 'if-match': created.etag ?? '' }))).toEqual([
      409,
      'version_conflict',
    ])
    expect(outcome(await change({ url: 'https://127.0.0.1.:99999' }))).toEqual([
      422,
      'webhook_url_not_allowed',
    ])
  })

  it('that are turned off get nothing, and go on with what happens after they are turned on', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    const { id: endpoint_id } = (await subscribeTo(api, msp.admin, receiver)).data
    const turn = (status: string) =>
      api.call(msp.admin, 'update_webhook_endpoint', { endpoint_id, input: { status } })
    receiver.answers(500)
    await addEvents(msp, [{ type: 'dispatch.suggested', data: { n: 1 } }])
    await sendWebhooks(msp)
    const off = await turn('DISABLED')
    expect(off.data).toMatchObject({ status: 'DISABLED', disabled_reason: 'MANUAL' })
    expect(await deliveriesOf(msp)).toMatchObject([{ status: 'FAILED', next_attempt_at: null }])
    expect(outcome(await turn('AUTO_DISABLED'))).toEqual([422, 'request_validation_failed'])
    receiver.answers(204)
    await addEvents(msp, [{ type: 'dispatch.suggested', data: { n: 2 } }])
    await sendWebhooks(msp)
    const on = await turn('ENABLED')
    expect(on.data).toMatchObject({ status: 'ENABLED', disabled_reason: null, failing_since: null })
    await addEvents(msp, [{ type: 'dispatch.suggested', data: { n: 3 } }])
    await sendWebhooks(msp)
    expect(receiver.got.map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 3])
  })

  it('that are deleted leave their deliveries to be read, each by its id', async () => {
    const msp = await world()
    const receiver = await startReceiver()
    receiver.answers(500)
    const { id: endpoint_id } = (await subscribeTo(api, msp.admin, receiver)).data
    await addEvents(msp, [{ type: 'dispatch.suggested' }])
    await sendWebhooks(msp)
    const { data } = await api.call(msp.viewer, 'webhook_deliveries', { endpoint_id })
    expect(data).toMatchObject([{ status: 'PENDING', attempts: [{ status_code: 500 }] }])
    expect((await api.call(msp.admin, 'delete_webhook_endpoint', { endpoint_id })).data.id).toBe(endpoint_id)
    expect(outcome(await api.call(msp.viewer, 'webhook_deliveries', { endpoint_id }))).toEqual([
      404,
      'webhook_endpoint_not_found',
    ])
    const delivery_id = data[0].id
    const read = await api.call(msp.viewer, 'webhook_delivery', { delivery_id })
    expect(read.data).toMatchObject({
      status: 'FAILED',
      next_attempt_at: null,
      attempts: [{ status_code: 500 }],
    })
    const resent = await api.call(msp.admin, 'resend_webhook_delivery', { delivery_id })
    expect(outcome(resent)).toEqual([404, 'webhook_endpoint_not_found'])
  })
})
