import fc from 'fast-check'
import { disableOrphans } from '../../../src/areas/webhooks/disable.ts'
import type { WebhookDelivery, WebhookEndpoint } from '../../../src/db/generated/client/client.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { clock, testApp } from '../../setup/app.ts'
import type { AreaSuites, EventScene } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { some, textOrNone } from '../../setup/suites/sent-back.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'
import { addDeliveries, addEndpoints } from '../../setup/webhook-rows.ts'
import type { Caller, Msp } from '../../setup/world.ts'

/** Everybody of the tenant sees these events. */
const SHOWN = 'end_company.updated'

const numbered = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(4, '0')}`

const webhook_endpoints: ListSampler<WebhookEndpoint> = {
  add: (msp, numbers) =>
    addEndpoints(
      msp,
      numbers.map((n) => ({
        id: numbered('whe', n),
        status: at(['ENABLED', 'DISABLED', 'AUTO_DISABLED'] as const, n),
        disabled_reason: at([null, 'MANUAL', 'GONE'] as const, n),
        created_at: instant(n),
      })),
    ),
  rows: ({ database: { prisma }, tenant_id }) => prisma.webhookEndpoint.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.webhookEndpoint.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  filters: { status: isEqual('status', ['ENABLED', ['DISABLED', 'AUTO_DISABLED']]) },
  steady: 'an environment has at most 20',
}

const AGENTS = [1, 2, 3]

/** The number of a row, in its id. */
const numberOf = (id: string): number => Number(id.slice('whd_'.length))
const typeOf = (n: number): string => at([SHOWN, 'execution.failed', 'execution.completed'], n)
const agentOf = (n: number): number => at(AGENTS, n >> 1)

/** The events of deliveries, as the feed has them. */
async function addFeed({ database, tenant_id, environment }: Msp, numbers: readonly number[]): Promise<void> {
  await database.prisma.liveEvent.createMany({
    data: numbers.map((n) => ({
      tenant_id,
      environment,
      transaction_id: n,
      type: typeOf(n),
      event_id: numbered('evt', n),
      sequence: n + 1,
      entity_id: String(n),
      agent_id: agentOf(n),
      at: clock.now(),
      data: {},
    })),
  })
}

/** Every fifth delivery is to another endpoint. */
const webhook_deliveries: ListSampler<WebhookDelivery> = {
  required: { endpoint_id: 'whe_1' },
  async add(msp, numbers) {
    if (await addSharedAgents(msp, AGENTS))
      await addEndpoints(
        msp,
        ['whe_1', 'whe_2'].map((id) => ({ id })),
      )
    await addFeed(msp, numbers)
    await addDeliveries(
      msp,
      numbers.map((n) => ({
        id: numbered('whd', n),
        endpoint_id: n % 5 === 0 ? 'whe_2' : 'whe_1',
        event_id: numbered('evt', n),
        event_type: typeOf(n),
        status: at(['SUCCEEDED', 'PENDING', 'SUCCEEDED', 'EXHAUSTED', 'FAILED'] as const, n >> 2),
        created_at: instant(n),
      })),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.webhookDelivery.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.webhookDelivery.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ id, event_type }) => event_type === SHOWN || agentOf(numberOf(id)) !== 2,
  filters: {
    endpoint_id: isEqual('endpoint_id', ['whe_1', 'whe_2']),
    status: isEqual('status', ['SUCCEEDED', ['PENDING', 'FAILED']]),
    event_type: isEqual('event_type', [SHOWN, 'execution.failed', 'nothing']),
  },
  indexed: ['status', 'event_type'],
  grows: {
    endpoint_id: ['whe_1', 'whe_2'],
    event_type: ['execution.completed', 'execution.failed', 'nothing'],
  },
  not_bounded_for: {
    VIEWER: {
      endpoint_id:
        'an endpoint gets the events of many agents, and somebody who sees few of them looks for theirs',
    },
  },
}

const endpoint_id = from('webhook_endpoints', 'id')
const delivery_id = from('webhook_deliveries', 'id')

/** Creates an endpoint at a host that there is not, and answers with its id. */
async function created({ call }: EventScene, caller?: Caller): Promise<string> {
  const input = { url: 'https://hooks.example/all', event_types: ['*'] }
  return (await call('create_webhook_endpoint', { input }, caller)).id
}

/** Turns the endpoints off whose owner was removed, as the loop does. */
async function turnOrphansOff({ tenant_id, environment }: Msp): Promise<void> {
  const { services } = (await testApp()).app
  const ctx = serviceContext(services, 'webhooks.queue', 'test', { tenant_id, environment })
  await inTransaction(ctx, 10_000, () => disableOrphans(ctx))
}

export const SUITES: AreaSuites = {
  who_may: {
    webhook_endpoints: { scope: 'webhooks:read' },
    webhook_endpoint: { scope: 'webhooks:read' },
    webhook_deliveries: { scope: 'webhooks:read' },
    webhook_delivery: { scope: 'webhooks:read' },
    create_webhook_endpoint: { scope: 'webhooks:write' },
    update_webhook_endpoint: { scope: 'webhooks:write' },
    delete_webhook_endpoint: { scope: 'webhooks:write' },
    rotate_webhook_endpoint_secret: { scope: 'webhooks:write' },
    test_webhook_endpoint: { scope: 'webhooks:write' },
    replay_webhook_endpoint: { scope: 'webhooks:write' },
    resend_webhook_delivery: { scope: 'webhooks:write' },
  },
  examples: {
    reads: {
      webhook_endpoints: { status: ['ENABLED'], page_size },
      webhook_endpoint: { endpoint_id },
      webhook_deliveries: { endpoint_id, page_size },
      webhook_delivery: { delivery_id },
    },
    writes: {
      create_webhook_endpoint: {
        input: {
          url: 'https://hooks.harbourline.example/failures',
          description: 'Opens a ticket for each run that fails.',
          event_types: ['execution.failed', 'til_request.*'],
          filters: { severities: ['WARNING', 'CRITICAL'] },
        },
      },
      update_webhook_endpoint: {
        endpoint_id,
        input: { event_types: ['execution.*', 'til_request.*', 'memory.created'] },
      },
      rotate_webhook_endpoint_secret: { endpoint_id, input: { expire_previous_now: false } },
      test_webhook_endpoint: { endpoint_id },
      replay_webhook_endpoint: {
        endpoint_id,
        input: { since: from('webhook_deliveries', 'created_at'), event_types: ['execution.failed'] },
      },
      resend_webhook_delivery: { delivery_id },
      delete_webhook_endpoint: { endpoint_id },
    },
  },
  async own_rows(msp, { id, mark, of }) {
    const { event_id } = await of('events')
    const [endpoint_id, delivery_id] = [`whe_${id}`, `whd_${id}`]
    const texts = { description: mark, created_by_name: mark }
    await addEndpoints(msp, [{ id: endpoint_id, url: `https://hooks.example/${mark}`, ...texts }])
    const attempt = { at: clock.now(), status_code: 500, duration_ms: 1, error: null, response_excerpt: mark }
    await addDeliveries(msp, [
      { id: delivery_id, endpoint_id, event_id: String(event_id), status: 'EXHAUSTED', attempts: [attempt] },
    ])
    return { endpoint_id, delivery_id }
  },
  events: {
    async 'webhook_endpoint.disabled'(scene) {
      const { owner, tenant_id, database } = scene.msp
      await created(scene, owner)
      await database.prisma.tenantUser.deleteMany({ where: { tenant_id, id: owner.id } })
      await turnOrphansOff(scene.msp)
    },
    async 'webhook_endpoint.switched'(scene) {
      const endpoint_id = await created(scene)
      const { tenant_id, database } = scene.msp
      await database.prisma.webhookEndpoint.updateMany({
        where: { tenant_id },
        data: { status: 'AUTO_DISABLED', disabled_reason: 'FAILING' },
      })
      await scene.call('update_webhook_endpoint', { endpoint_id, input: { status: 'ENABLED' } })
    },
    async 'webhook_endpoint.deleted'(scene) {
      await scene.call('delete_webhook_endpoint', { endpoint_id: await created(scene) })
    },
    async 'webhook_endpoint.test'(scene) {
      await scene.call('test_webhook_endpoint', { endpoint_id: await created(scene) })
    },
  },
  lists: { webhook_endpoints, webhook_deliveries },
  skewed_rows: {
    live_event: {
      event_id: `'evt_' || n`,
      transaction_id: 'n',
      sequence: `1000000 - n`,
      type: mostly(`'execution.completed'`, `'execution.failed'`),
      entity_id: `'exe_' || n`,
      agent_id: agent,
      at: at_row,
    },
    webhook_delivery: {
      id: `'whd_' || lpad(n::text, 7, '0')`,
      endpoint_id: mostly(`'whe_1'`, `'whe_2'`),
      event_id: `'evt_' || n`,
      event_type: mostly(`'execution.completed'`, `'execution.failed'`),
      status: ofEnum('webhook_delivery_status', 'SUCCEEDED', 2),
      created_at: at_row,
      updated_at: at_row,
    },
  },
  channel_writes: {
    create_webhook_endpoint: 'runs at once',
    update_webhook_endpoint: 'runs at once',
    delete_webhook_endpoint: 'runs at once',
    rotate_webhook_endpoint_secret: 'runs at once',
    test_webhook_endpoint: 'runs at once',
    replay_webhook_endpoint: 'runs at once',
    resend_webhook_delivery: 'runs at once',
  },
  not_walked: ['IssuedWebhookEndpoint.endpoint'],
  fetched_again: {
    create_webhook_endpoint: ['webhook_endpoints'],
    test_webhook_endpoint: ['webhook_deliveries'],
    delete_webhook_endpoint: ['webhook_endpoints'],
  },
  sent_back: {
    update_webhook_endpoint: {
      bodies: () =>
        some({
          url: fc.constantFrom('https://hooks.example/%C3%B6?x=1', 'https://HOOKS.example'),
          description: textOrNone,
          event_types: fc.constantFrom(['*'], ['execution.*', 'memory.created']),
          filters: fc.constantFrom(null, { severities: ['CRITICAL'] }, { agent_ids: [1, 2] }),
          status: fc.constantFrom('ENABLED', 'DISABLED'),
        }),
    },
  },
  foreign_tables: {
    live_event: 'deliveries are of events, and seen by whoever sees these',
    execution: 'a request is for the customer of its execution',
    end_company: 'filters name customers, and events the companies of the PSA',
    tenant_user: 'an endpoint sees what its owner sees now',
  },
  error_codes: {
    404: 'webhook_endpoint_not_found webhook_delivery_not_found',
    409: 'webhook_endpoint_limit_reached webhook_endpoint_disabled',
    422: 'webhook_url_not_allowed',
  },
}
