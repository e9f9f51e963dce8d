/** Connecting a system, by people who manage the tenant's credentials. */
import { dashboardAdminsDirectly } from '../../../access/policies/policies.ts'
import { callerOf, recordedName } from '../../../access/viewer.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import { raise } from '../../../db/live/raise.ts'
import { lockTenant } from '../../../db/transaction.ts'
import { type ErrorCode, invalid } from '../../../errors/errors.ts'
import { record, type Target } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { checkIfMatch } from '../../../gateway/entity-tags.ts'
import { randomBase62 } from '../../../lib/base62.ts'
import { CannotDecrypt } from '../../../lib/secret-box.ts'
import { change } from '../../../schema/changes/change.ts'
import { unchanged } from '../../../schema/changes/mutation.ts'
import { area } from '../area.ts'
import { decryptSecrets, encryptSecrets, type Place, placeOf } from '../credentials.ts'
import { CONNECTION_EVENTS } from '../events.ts'
import { requireIntegration } from '../named.ts'
import { type Integration, REGISTRY } from '../registry.ts'
import {
  CONNECTABLE,
  type Connectable,
  type ConnectionRow,
  connectable,
  connectionEtag,
  fieldsOf,
  IntegrationConnection,
  memberOf,
  notConnectable,
} from './connection.ts'
import { ConnectionDraft, givenFor } from './input.ts'
import {
  CONNECTION,
  CONNECTIONS,
  disconnect,
  lockConnection,
  markConnected,
  readConnection,
  setPsaType,
} from './queries.ts'
import { type Filled, filledIn, type Given, sameValues } from './rules.ts'
import { enqueueRegistration, enqueueRemovals } from './webhooks.ts'

export const ERRORS = ['unknown_integration', 'integration_not_connectable'] as const

/** The options of an operation on a connection. */
const ofConnection = <Error extends ErrorCode>(...errors: Error[]) =>
  ({
    type: IntegrationConnection,
    access: dashboardAdminsDirectly,
    etag: connectionEtag,
    errors: [...ERRORS, ...errors],
  }) as const

area.query('integration_connection', (t) =>
  t.field({
    ...ofConnection(),
    description: 'Gets what is stored to reach an integration. No answer has a secret.',
    rest: { method: 'GET', path: '/integrations/{name}/connection' },
    args: { name: t.arg(CONNECTION.key) },
    resolve: (_root, { name }, ctx) => readConnection(ctx, connectable(requireIntegration(name)).name),
  }),
)

export const targetOfIntegration = ({ name, label }: Pick<Integration, 'name' | 'label'>): Target => ({
  type: 'integration',
  id: name,
  name: label,
})

export const placeIn = (ctx: Context, name: string): Place => {
  const { tenant_id, environment } = callerOf(ctx)
  return { tenant_id, environment, name }
}

/** The adapter of an integration that can be connected. */
export function adapterOf({ services }: Context, integration: Connectable): AnyAdapter {
  const adapter = services.connectors.adapterOf(integration.system)
  if (!adapter) throw notConnectable(integration)
  return adapter
}

/** What is stored; nothing of secrets whose key is lost, so that they can be given again. */
function filledBefore({ services }: Context, place: Place, { settings, secrets }: ConnectionRow): Filled {
  if (!secrets) return { settings, secrets: {} }
  try {
    return { settings, secrets: decryptSecrets(services.secret_box, place, secrets) }
  } catch (error) {
    if (error instanceof CannotDecrypt) return { settings, secrets: {} }
    throw error
  }
}

const disconnected = (names: readonly string[]) =>
  names.map((name) => CONNECTION_EVENTS.disconnected({ name, reason: 'BY_PERSON' }))

// Contract silent: a tenant has one PSA in an environment, and one system of each other kind that a port reaches.
// Connecting another one disconnects the first in the same transaction: agents are never left with none between the two.
/** Disconnects the other systems of the kind; of PSAs those too that are shown as connected without credentials. */
async function replaceOthers(ctx: Context, { system, category }: Connectable) {
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
  await raise(ctx, disconnected(gone))
  if (category === 'PSA') await setPsaType(ctx, system)
  return others.filter(({ name }) => gone.includes(name))
}

/** The changes of a connection by the fields that were sent. */
function connecting(
  ctx: Context,
  integration: Connectable,
  given: Given,
  asked_interval: number | null,
  row: ConnectionRow,
) {
  const { name, system } = integration
  const place = placeIn(ctx, name)
  const before = filledBefore(ctx, place, row)
  const { secret_box: box, allow_private_addresses: allow_private } = ctx.services
  const options = { allow_private, path: memberOf(system) }
  const { problems, ...after } = filledIn(fieldsOf(system), before, given, options)
  if (problems.length > 0) throw invalid(problems)
  const is_same = sameValues(before.settings, after.settings) && sameValues(before.secrets, after.secrets)
  const goes_on = is_same && row.secrets !== null
  const has_readable_secrets = Object.keys(before.secrets).length > 0
  // Elsewhere the events get another address: what removes the webhooks there does not meet those of here.
  const stays = has_readable_secrets && sameValues(before.settings, after.settings)
  const poll_interval_seconds = asked_interval ?? row.poll_interval_seconds
  const patch = {
    settings: after.settings,
    secret_names: Object.keys(after.secrets),
    secrets: goes_on ? row.secrets : encryptSecrets(box, place, after.secrets),
    ingest_secret:
      (stays ? row.ingest_secret : null) ?? box.encrypt(randomBase62(43), placeOf(place, 'ingest_secret')),
    connected_at: stays ? row.connected_at : ctx.now,
    webhooks_registered_at: stays ? row.webhooks_registered_at : null,
    poll_interval_seconds,
    refusals: goes_on ? row.refusals : 0,
    failing_since: goes_on ? row.failing_since : null,
    updated_by_name: recordedName(callerOf(ctx)),
  }
  return {
    goes_on,
    stays,
    patch: goes_on && row.poll_interval_seconds === poll_interval_seconds ? {} : patch,
    changed_secrets: Object.keys(after.secrets).filter(
      (secret) => after.secrets[secret] !== before.secrets[secret],
    ),
  }
}

area.mutation('connect_integration', (t) =>
  t.field({
    ...ofConnection('version_conflict'),
    description:
      'Connects an integration, or changes its connection: from the next call on the service reaches the system by it. A ' +
      'field that is left out keeps what is stored. If the system can send its events, it is told to soon after. Another connected system of the same kind is disconnected in the same ' +
      'transaction, and named in a warning `disconnected: <id>`. Nothing is called: `test_integration` tries it.',
    rest: { method: 'PUT', path: '/integrations/{name}/connection' },
    args: { name: t.arg(CONNECTION.key), input: t.arg({ type: ConnectionDraft, required: true }) },
    resolve: async (_root, { name, input }, ctx) => {
      const integration = connectable(requireIntegration(name))
      adapterOf(ctx, integration)
      const given = givenFor(integration.system, input)
      const asked_interval = input.poll_interval_seconds ?? null
      await lockTenant(ctx, CONNECTIONS)
      let plan: ReturnType<typeof connecting>
      let replaced: Integration[] = []
      return await change(ctx, CONNECTION, lockConnection(ctx, name), {
        verb: 'connected',
        decide(row) {
          plan = connecting(ctx, integration, given, asked_interval, row)
          return plan.patch
        },
        async beforeWrite() {
          if (!plan.stays) await enqueueRemovals(ctx, [name])
          if (plan.goes_on) return
          await markConnected(ctx, name)
          await enqueueRegistration(ctx, name)
          replaced = await replaceOthers(ctx, integration)
          ctx.warnings.push(...replaced.map((other) => `disconnected: ${other.name}`))
        },
        also_recorded: () => ({ changed_secrets: plan.changed_secrets }),
        otherTargets: () => replaced.map(targetOfIntegration),
      })
    },
  }),
)

area.mutation('disconnect_integration', (t) =>
  t.field({
    ...ofConnection('version_conflict'),
    description:
      'Disconnects an integration: its credentials are deleted, and the service calls the system no more. Until the webhooks ' +
      'that it registered there are removed, for a day at the most, the credentials are kept for that alone. The other fields, ' +
      'company links and the ids of the system stay.',
    rest: { method: 'DELETE', path: '/integrations/{name}/connection' },
    args: { name: t.arg(CONNECTION.key) },
    resolve: async (_root, { name }, ctx) => {
      const integration = connectable(requireIntegration(name))
      await lockTenant(ctx, CONNECTIONS)
      const row = await lockConnection(ctx, name)
      checkIfMatch(ctx, connectionEtag(row))
      await enqueueRemovals(ctx, [name])
      // An integration that is shown as connected without credentials is disconnected too, although no row changes.
      const gone = await disconnect(ctx, { names: [name], shown: [name], by: recordedName(callerOf(ctx)) })
      if (gone.length === 0) return unchanged(ctx, row)
      const after = await readConnection(ctx, name)
      const [before_recorded, after_recorded] = [row, after].map((one) => CONNECTION.recorded?.(one))
      await record(ctx, {
        action: 'integration.disconnected',
        targets: [targetOfIntegration(integration)],
        before: before_recorded,
        after: after_recorded,
        events: disconnected(gone),
      })
      return after
    },
  }),
)
