/** Connecting a system, by people who manage the tenant's credentials. */
import { dashboardAdminsDirectly } from '../../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../../access/viewer.ts'
import type { ConnectionTest } from '../../../connectors/adapter.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import { PortUnavailable } from '../../../connectors/port.ts'
import { removeFromError, secretRemover } from '../../../connectors/secrets.ts'
import type { UnavailableKind } from '../../../connectors/unavailable.ts'
import { db, ownKey } from '../../../db/db.ts'
import { lockTenant } from '../../../db/transaction.ts'
import { ApiError, invalid } from '../../../errors/errors.ts'
import { record, type Target } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { newId } from '../../../lib/ids.ts'
import { CannotDecrypt } from '../../../lib/secret-box.ts'
import { withTimeout } from '../../../lib/timeout.ts'
import { builder } from '../../../schema/builder.ts'
import { unchanged } from '../../../schema/changes/mutation.ts'
import { area } from '../area.ts'
import { decryptSecrets, encryptSecrets, type Place, placeOf } from '../credentials.ts'
import { IntegrationStatus, type Status, statusOf } from '../integration-status.ts'
import { requireIntegration } from '../named.ts'
import { type Integration, REGISTRY } from '../registry.ts'
import {
  CONNECTABLE,
  type ConnectionState,
  connectable,
  connectionEtag,
  fieldsOf,
  IntegrationConnection,
  notConnectable,
  POLL_INTERVAL_SECONDS,
} from './connection.ts'
import { ConnectionDraft, givenFor } from './input.ts'
import {
  type ConnectionRow,
  disconnect,
  lockConnection,
  markConnected,
  readConnection,
  setHealth,
  setPsaType,
  storeConnection,
} from './queries.ts'
import { type Filled, filledIn, sameValues } from './rules.ts'
import { openedFrom, REFUSED_CREDENTIALS } from './stored.ts'
import { enqueueRegistration, enqueueRemovals } from './webhooks.ts'

const INTEGRATION = {
  type: 'ID',
  required: true,
  description: 'The `id` of the integration, in lower case.',
} as const

const ERRORS = ['unknown_integration', 'integration_not_connectable'] as const

area.query('integration_connection', (t) =>
  t.field({
    type: IntegrationConnection,
    description: 'Gets what is stored to reach an integration. No answer has a secret.',
    rest: { method: 'GET', path: '/integrations/{name}/connection' },
    access: dashboardAdminsDirectly,
    errors: [...ERRORS],
    etag: connectionEtag,
    args: { name: t.arg(INTEGRATION) },
    resolve: async (_root, { name }, ctx) => {
      const integration = connectable(requireIntegration(name))
      return { integration, row: await readConnection(ctx, name) }
    },
  }),
)

const targetOf = ({ name, label }: Pick<Integration, 'name' | 'label'>): Target => ({
  type: 'integration',
  id: name,
  name: label,
})

const placeIn = (ctx: Context, name: string): Place => {
  const { tenant_id, environment } = callerOf(ctx)
  return { tenant_id, environment, name }
}

/** The adapter of an integration that can be connected. */
function adapterOf({ services }: Context, integration: ConnectionState['integration']): AnyAdapter {
  const adapter = services.connectors.adapterOf(integration.system)
  if (!adapter) throw notConnectable(integration)
  return adapter
}

/** What is stored; nothing of secrets whose key is lost, so that they can be given again. */
function filledBefore({ services }: Context, place: Place, row: ConnectionRow | null): Filled {
  const settings = row?.settings ?? {}
  if (!row?.secrets) return { settings, secrets: {} }
  try {
    return { settings, secrets: decryptSecrets(services.secret_box, place, row.secrets) }
  } catch (error) {
    if (error instanceof CannotDecrypt) return { settings, secrets: {} }
    throw error
  }
}

// Contract silent: a tenant has one PSA in an environment, and one system of each other kind that a port reaches.
// Connecting another one disconnects the first in the same transaction: agents are never left with none between the two.
/** Disconnects the other systems of the kind; of PSAs those too that are shown as connected without credentials. */
async function replaceOthers(ctx: Context, { system, category }: ConnectionState['integration']) {
  const others = REGISTRY.filter((one) => one.category === category && one.system !== system)
  const names = others.filter((one) => CONNECTABLE.some((known) => known === one.system))
  await enqueueRemovals(
    ctx,
    names.map(({ name }) => name),
  )
  const gone = await disconnect(ctx, {
    names: names.map(({ name }) => name),
    shown: category === 'PSA' ? others.map(({ name }) => name) : [],
    by: recordedName(callerOf(ctx)),
  })
  if (category === 'PSA') await setPsaType(ctx, system)
  return others.filter(({ name }) => gone.includes(name))
}

/** A connection as the activity log has it. */
const recorded = (row: ConnectionRow | null) => ({
  connected: (row?.secrets ?? null) !== null,
  settings: row?.settings ?? {},
  secret_names: row?.secret_names ?? [],
  poll_interval_seconds: row?.poll_interval_seconds ?? POLL_INTERVAL_SECONDS,
})

area.mutation('connect_integration', (t) =>
  t.field({
    type: IntegrationConnection,
    description:
      'Connects an integration, or changes its connection: from the next call on the service reaches the system by it. A ' +
      'field that is left out keeps what is stored. If the system can send its events, it is told to soon after. Another connected system of the same kind is disconnected in the same ' +
      'transaction, and named in a warning `disconnected: <id>`. Nothing is called: `test_integration` tries it.',
    rest: { method: 'PUT', path: '/integrations/{name}/connection' },
    access: dashboardAdminsDirectly,
    errors: [...ERRORS, 'version_conflict'],
    etag: connectionEtag,
    args: { name: t.arg(INTEGRATION), input: t.arg({ type: ConnectionDraft, required: true }) },
    resolve: async (_root, { name, input }, ctx) => {
      const integration = connectable(requireIntegration(name))
      adapterOf(ctx, integration)
      const given = givenFor(integration.system, input)
      // One change of connections at a time: two PSAs that are connected at once would both stay.
      await lockTenant(ctx, 'connections')
      const row = await lockConnection(ctx, name)
      checkIfMatch(ctx, connectionEtag({ row }))
      const place = placeIn(ctx, name)
      const before = filledBefore(ctx, place, row)
      const { secret_box: box, allow_private_addresses: allow_private } = ctx.services
      const options = { allow_private, path: integration.system.toLowerCase() }
      const { problems, ...after } = filledIn(fieldsOf(integration.system), before, given, options)
      if (problems.length > 0) throw invalid(problems)
      const poll_interval_seconds =
        input.poll_interval_seconds ?? row?.poll_interval_seconds ?? POLL_INTERVAL_SECONDS
      const is_same = sameValues(before.settings, after.settings) && sameValues(before.secrets, after.secrets)
      const goes_on = is_same && (row?.secrets ?? null) !== null
      if (goes_on && row?.poll_interval_seconds === poll_interval_seconds)
        return unchanged(ctx, { integration, row })
      const has_readable_secrets = Object.keys(before.secrets).length > 0
      // Elsewhere the events get another address: what removes the webhooks there does not meet those of here.
      const stays = has_readable_secrets && sameValues(before.settings, after.settings)
      if (!stays) await enqueueRemovals(ctx, [name])
      const stored = await storeConnection(ctx, {
        name,
        connection_id: row?.connection_id ?? newId('con'),
        settings: after.settings,
        secret_names: Object.keys(after.secrets),
        secrets: goes_on ? (row?.secrets ?? null) : encryptSecrets(box, place, after.secrets),
        ingest_secret:
          (stays ? row?.ingest_secret : null) ??
          box.encrypt(randomBase62(43), placeOf(place, 'ingest_secret')),
        connected_at: (stays ? row?.connected_at : null) ?? ctx.now,
        webhooks_registered_at: stays ? (row?.webhooks_registered_at ?? null) : null,
        poll_interval_seconds,
        updated_at: ctx.now,
        updated_by_name: recordedName(callerOf(ctx)),
      })
      if (!goes_on) {
        await markConnected(ctx, name)
        await enqueueRegistration(ctx, name)
      }
      const replaced = goes_on ? [] : await replaceOthers(ctx, integration)
      ctx.warnings.push(...replaced.map((other) => `disconnected: ${other.name}`))
      const changed_secrets = Object.keys(after.secrets).filter(
        (secret) => after.secrets[secret] !== before.secrets[secret],
      )
      await record(ctx, {
        action: 'integration.connected',
        targets: [integration, ...replaced].map(targetOf),
        before: recorded(row),
        after: { ...recorded(stored), changed_secrets },
      })
      return { integration, row: stored }
    },
  }),
)

area.mutation('disconnect_integration', (t) =>
  t.field({
    type: IntegrationConnection,
    description:
      'Disconnects an integration: its credentials are deleted, and the service calls the system no more. Until the webhooks ' +
      'that it registered there are removed, for a day at the most, the credentials are kept for that alone. The other fields, ' +
      'company links and the ids of the system stay.',
    rest: { method: 'DELETE', path: '/integrations/{name}/connection' },
    access: dashboardAdminsDirectly,
    errors: [...ERRORS, 'version_conflict'],
    etag: connectionEtag,
    args: { name: t.arg(INTEGRATION) },
    resolve: async (_root, { name }, ctx) => {
      const integration = connectable(requireIntegration(name))
      await lockTenant(ctx, 'connections')
      const row = await lockConnection(ctx, name)
      checkIfMatch(ctx, connectionEtag({ row }))
      const by = recordedName(callerOf(ctx))
      await enqueueRemovals(ctx, [name])
      const gone = await disconnect(ctx, { names: [name], shown: [name], by })
      if (gone.length === 0) return unchanged(ctx, { integration, row })
      const after = await readConnection(ctx, name)
      await record(ctx, {
        action: 'integration.disconnected',
        targets: [targetOf(integration)],
        before: recorded(row),
        after: recorded(after),
      })
      return { integration, row: after }
    },
  }),
)

interface Tested extends ConnectionTest {
  integration: Status
}

const IntegrationTest = builder.objectRef<Tested>('IntegrationTest').implement({
  description: 'The result of a call that tried a connection.',
  fields: (t) => ({
    ok: t.exposeBoolean('ok', { description: 'True if the system took the credentials and answered.' }),
    message: t.exposeString('message', {
      description:
        'What was found, such as a name or version; or what the system refused, in words for a person.',
    }),
    integration: t.field({
      type: IntegrationStatus,
      description: 'The integration, whose health follows the result.',
      resolve: ({ integration }) => integration,
    }),
  }),
})

const TEST_MS = 10_000

const UNAVAILABLE = {
  OUTAGE: 'The system could not be reached, or did not answer in time.',
  CREDENTIALS: REFUSED_CREDENTIALS,
  UNKNOWN_FORM: 'What answered is not the system: its answer is in a form that we do not know.',
  TOO_MUCH: 'The system answered with more than is read at once.',
} as const satisfies Record<UnavailableKind, string>

/** The result of a test, which is never an error: a system that cannot be reached is a result too. */
async function tried(
  ctx: Context,
  adapter: AnyAdapter,
  row: ConnectionRow & { secrets: string },
): Promise<ConnectionTest> {
  const { services } = ctx
  try {
    const connection = openedFrom(services.secret_box, { ...row, ...placeIn(ctx, row.name) })
    const late = () => new PortUnavailable(UNAVAILABLE.OUTAGE)
    const without = secretRemover(adapter.system, connection)
    const testing = adapter.test(connection).catch((error) => {
      removeFromError(error, without)
      throw error
    })
    const { ok, message } = await withTimeout(TEST_MS, testing, late)
    return { ok, message: without(message) }
  } catch (error) {
    if (error instanceof CannotDecrypt)
      return { ok: false, message: 'The stored credentials cannot be read: connect it again.' }
    if (!(error instanceof PortUnavailable)) throw error
    return { ok: false, message: UNAVAILABLE[error.kind] }
  }
}

area.mutation('test_integration', (t) =>
  t.field({
    type: IntegrationTest,
    description:
      'Calls the connected system with its credentials, and answers with what was found, or with what the system refused. ' +
      'The health of the integration follows the result.',
    rest: { method: 'POST', path: '/integrations/{name}/test' },
    access: dashboardAdminsDirectly,
    errors: [...ERRORS, 'integration_not_connected'],
    args: { name: t.arg(INTEGRATION) },
    resolve: async (_root, { name }, ctx) => {
      const integration = connectable(requireIntegration(name))
      const adapter = adapterOf(ctx, integration)
      const row = await lockConnection(ctx, name)
      if (!row?.secrets) throw new ApiError('integration_not_connected', { details: { name } })
      const { secrets, connection_id, revision } = row
      const ask = () => tried(ctx, adapter, { ...row, secrets })
      // The system takes its time while no transaction is open.
      const question = JSON.stringify(['test_integration', connection_id, revision])
      const test = (await (ctx.external_reads?.read(question, ask) ?? ask())) as ConnectionTest
      const { ok, message } = test
      await setHealth(ctx, name, { health: ok ? 'HEALTHY' : 'DOWN', message: ok ? null : message })
      await record(ctx, {
        action: 'integration.tested',
        targets: [targetOf(integration)],
        after: { ok, message },
      })
      const where = { tenant_id_environment_name: ownKey(ctx, { name }) }
      const connection = await db(ctx).integrationConnection.findUnique({ where })
      return { ok, message, integration: statusOf(integration, connection) }
    },
  }),
)
