/** Registers webhooks at the systems that tenants connect, and removes them again: in jobs, beside every request. */
import type { z } from 'zod'
import type { OpenedConnection } from '../../../connectors/adapter.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import type { ConnectableSystem } from '../../../connectors/fields.ts'
import { PortRefusal, PortUnavailable } from '../../../connectors/port.ts'
import { removeFromError, secretRemover } from '../../../connectors/secrets.ts'
import { type DatabaseContext, type Tenancy, tenancyOf } from '../../../db/db.ts'
import { inTransaction } from '../../../db/transaction.ts'
import type { Services } from '../../../gateway/context.ts'
import { enqueue, enqueueAll } from '../../../jobs/enqueue.ts'
import type { JobContext, UnboundJobContext } from '../../../jobs/job.ts'
import { type ServiceContext, serviceContext } from '../../../jobs/service-context.ts'
import { CannotDecrypt } from '../../../lib/secret-box.ts'
import { integrationNamed, REGISTRY } from '../registry.ts'
import { ingestUrl } from './ingest-url.ts'
import { readConnection } from './queries.ts'
import { openedFrom } from './stored.ts'
import { REGISTER_WEBHOOKS, REMOVE_WEBHOOKS } from './webhook-jobs.ts'
import {
  forgetRemoval,
  markRegistered,
  type RemovalRow,
  readRemoval,
  retire,
  tellOfWebhooks,
  UNREGISTERED,
} from './webhook-queries.ts'

type Webhooks = NonNullable<AnyAdapter['webhooks']>

type WebhookServices = Pick<Services, 'connectors' | 'public_url' | 'secret_box'>

/** The webhooks of the system; undefined if it has none, or if the service has no address that the system could call. */
const webhooksOf = ({ connectors, public_url }: WebhookServices, name: string): Webhooks | undefined => {
  const system = integrationNamed(name)?.system
  return public_url === '' || !system ? undefined : connectors.adapterOf(system)?.webhooks
}

interface Registration {
  connection: OpenedConnection
  url: string
}

/** null: its credentials cannot be decrypted any more. */
function registrationOf(
  services: WebhookServices,
  tenancy: Tenancy,
  { name, connection_id, settings, secrets, ingest_secret }: RemovalRow,
): Registration | null {
  const place = { tenant_id: tenancy.tenant_id, environment: tenancy.environment, name }
  try {
    return {
      connection: openedFrom(services.secret_box, { ...place, connection_id, settings, secrets }),
      url: ingestUrl(services, place, { connection_id, ingest_secret }),
    }
  } catch (error) {
    if (error instanceof CannotDecrypt) return null
    throw error
  }
}

/** False if the system did not do it, or could not be reached. */
async function tried(
  { log }: JobContext,
  name: string,
  { connection, url }: Registration,
  work: () => Promise<void>,
): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const without = secretRemover(integrationNamed(name)?.system as ConnectableSystem, connection)
    const secret = new URL(url).searchParams.get('secret') ?? url
    removeFromError(error, (text) => without(text).replaceAll(secret, '[removed]'))
    if (!(error instanceof PortUnavailable || error instanceof PortRefusal)) throw error
    log.info({ err: error, integration: name }, 'a system did not take a change of webhooks')
    return false
  }
}

/** Attempts after the first, over a quarter of an hour. An hourly job goes on after them. */
export const RETRIES = 5
export const RETRY_SECONDS = 30

class TryAgain extends Error {}

const TELL_MS = 10_000

/** Makes the system send its events to the connection as it is now. */
export async function registerWebhooks(
  ctx: UnboundJobContext,
  { name }: z.output<typeof REGISTER_WEBHOOKS.payload>,
): Promise<void> {
  const webhooks = webhooksOf(ctx.services, name)
  const row = await readConnection(ctx, name)
  if (!webhooks || !row?.secrets || !row.ingest_secret) return
  const stored = { ...row, secrets: row.secrets, ingest_secret: row.ingest_secret }
  const registration = registrationOf(ctx.services, tenancyOf(ctx), stored)
  if (!registration) return
  const { connection, url } = registration
  if (!(await tried(ctx, name, registration, () => webhooks.register(connection, url)))) {
    await inTransaction(ctx, TELL_MS, () => tellOfWebhooks(ctx, name, false))
    if (ctx.attempt <= RETRIES) throw new TryAgain(`${name} did not take the address for its events`)
    return
  }
  const is_current = await inTransaction(ctx, TELL_MS, async () => {
    if (!(await markRegistered(ctx, stored))) return false
    await tellOfWebhooks(ctx, name, true)
    return true
  })
  // It was disconnected meanwhile, and its removal may have come too early.
  if (!is_current) await tried(ctx, name, registration, () => webhooks.remove(connection, url))
}

/** Removes the webhooks of a connection that was given up, and forgets its credentials. */
export async function removeWebhooks(
  ctx: UnboundJobContext,
  { removal_id }: z.output<typeof REMOVE_WEBHOOKS.payload>,
): Promise<void> {
  const row = await readRemoval(ctx, removal_id)
  if (!row) return
  const { name } = row
  const webhooks = webhooksOf(ctx.services, name)
  const registration = webhooks && registrationOf(ctx.services, tenancyOf(ctx), row)
  const is_removed =
    !webhooks ||
    !registration ||
    (await tried(ctx, name, registration, () => webhooks.remove(registration.connection, registration.url)))
  // Contract silent: a system that does not let its webhooks be removed goes on sending; nothing takes its events.
  if (!is_removed && ctx.attempt <= RETRIES) throw new TryAgain(`${name} did not remove the webhooks`)
  await ctx.commit(() => forgetRemoval(ctx, removal_id))
}

type Changing = ServiceContext | Parameters<typeof enqueue>[0]

/** Has the webhooks of the connection registered once the caller's transaction is committed. */
export async function enqueueRegistration(
  ctx: Changing & { services: WebhookServices },
  name: string,
): Promise<void> {
  if (webhooksOf(ctx.services, name)) await enqueue(ctx, REGISTER_WEBHOOKS, { name })
}

/** Has the webhooks of connections removed that the caller's transaction is about to give up or to lead elsewhere. */
export async function enqueueRemovals(
  ctx: Changing & DatabaseContext & { services: WebhookServices; now: Date },
  names: readonly string[],
): Promise<void> {
  const with_webhooks = names.filter((name) => webhooksOf(ctx.services, name))
  if (with_webhooks.length === 0) return
  const ids = await retire(ctx, with_webhooks)
  await enqueueAll(
    ctx,
    REMOVE_WEBHOOKS,
    ids.map((removal_id) => ({ payload: { removal_id } })),
  )
}

/** Enqueues what no attempt has registered, and registers daily what systems may have dropped. */
export async function renewWebhooks({ services, now, request }: JobContext): Promise<void> {
  const names = REGISTRY.map(({ name }) => name).filter((name) => webhooksOf(services, name))
  const values = [services.environment, now, names]
  const rows = await services.database.sql.rows<Tenancy & { name: string }>(UNREGISTERED, values)
  for (const { name, ...tenancy } of rows) {
    const ctx = serviceContext(services, 'integrations.renew_webhooks', request.id, tenancy)
    await inTransaction(ctx, TELL_MS, () => enqueueRegistration(ctx, name))
  }
}
