/** Webhook endpoints, events and their deliveries as they are stored, for tests. */
import { placeOf } from '../../src/areas/webhooks/secrets.ts'
import type { Prisma } from '../../src/db/generated/client/client.ts'
import { createSecretBox } from '../../src/lib/secret-box.ts'
import { clock, ENCRYPTION_KEY } from './app.ts'
import type { Msp } from './world.ts'

type Tenant = Pick<Msp, 'tenant_id' | 'environment' | 'database'>
type Endpoint = Partial<Prisma.WebhookEndpointCreateManyInput> & { id: string }
type Delivery = Partial<Prisma.WebhookDeliveryCreateManyInput> & {
  id: string
  endpoint_id: string
  event_id: string
}

const box = createSecretBox([ENCRYPTION_KEY])

/** A secret of Standard Webhooks. */
const SECRET = `whsec_${Buffer.alloc(32, 'secret').toString('base64')}`

/** Endpoints that are on and get all events of the tenant, at a host that there is not. */
export async function addEndpoints(
  { tenant_id, environment, database }: Tenant,
  endpoints: readonly Endpoint[],
): Promise<void> {
  const now = clock.now()
  await database.prisma.webhookEndpoint.createMany({
    data: endpoints.map((endpoint) => ({
      tenant_id,
      environment,
      url: `https://hooks.example/${endpoint.id}`,
      event_types: ['*'],
      secret: box.encrypt(SECRET, placeOf({ tenant_id, environment, id: endpoint.id })),
      created_by_name: 'Ada Admin',
      created_at: now,
      updated_at: now,
      ...endpoint,
    })),
  })
}

/** Deliveries that the endpoint took at the first attempt. */
export async function addDeliveries(
  { tenant_id, environment, database }: Tenant,
  deliveries: readonly Delivery[],
): Promise<void> {
  await database.prisma.webhookDelivery.createMany({
    data: deliveries.map((delivery) => {
      const { status = 'SUCCEEDED', created_at = clock.now() } = delivery
      return {
        tenant_id,
        environment,
        event_type: 'dispatch.suggested',
        status,
        delivered_at: status === 'SUCCEEDED' ? created_at : null,
        next_attempt_at: status === 'PENDING' ? created_at : null,
        created_at,
        updated_at: created_at,
        ...delivery,
      }
    }),
  })
}
