/** The test of a connection, which calls its system. */
import { dashboardAdminsDirectly } from '../../../access/policies/policies.ts'
import type { ConnectionTest } from '../../../connectors/adapter.ts'
import type { AnyAdapter } from '../../../connectors/connectors.ts'
import { PortUnavailable } from '../../../connectors/port.ts'
import { removeFromError, secretRemover } from '../../../connectors/secrets.ts'
import type { UnavailableKind } from '../../../connectors/unavailable.ts'
import { db, ownKey } from '../../../db/db.ts'
import { ApiError } from '../../../errors/errors.ts'
import { record } from '../../../gateway/activity.ts'
import type { Context } from '../../../gateway/context.ts'
import { CannotDecrypt } from '../../../lib/secret-box.ts'
import { withTimeout } from '../../../lib/timeout.ts'
import { builder } from '../../../schema/builder.ts'
import { area } from '../area.ts'
import { IntegrationStatus, type Status, statusOf } from '../integration-status.ts'
import { requireIntegration } from '../named.ts'
import { type ConnectionRow, connectable } from './connection.ts'
import { exchangeOf } from './exchange.ts'
import { NO_ANSWER, REFUSED_CREDENTIALS } from './marks.ts'
import { adapterOf, ERRORS, placeIn, targetOfIntegration } from './operations.ts'
import { CONNECTION, lockConnection } from './queries.ts'
import { openedFrom } from './stored.ts'

/** What the test of a connection found. `kind`: why the system did not serve it, if it did not. */
interface Tried extends ConnectionTest {
  kind?: UnavailableKind
}

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
  OUTAGE: NO_ANSWER,
  CREDENTIALS: REFUSED_CREDENTIALS,
  UNKNOWN_FORM: 'What answered is not the system: its answer is in a form that we do not know.',
  TOO_MUCH: 'The system answered with more than is read at once.',
  LIMIT: 'The system takes no more requests at present.',
} as const satisfies Record<UnavailableKind, string>

/** The result of a test, which is never an error: a system that cannot be reached is a result too. */
async function tried(
  ctx: Context,
  adapter: AnyAdapter,
  row: ConnectionRow & { secrets: string },
): Promise<Tried> {
  const { services } = ctx
  try {
    const { secret_box: box } = services
    const place = placeIn(ctx, row.name)
    const connection = openedFrom(box, { ...row, ...place }, exchangeOf(ctx, box, row))
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
    return { ok: false, message: UNAVAILABLE[error.kind], kind: error.kind }
  }
}

/** The marks of the connection after the test: any later answer makes it healthy again. */
function marksAfter({ ok, kind }: Tried, { refusals, failing_since }: ConnectionRow, now: Date) {
  if (ok) return { refusals: 0, failing_since: null }
  if (kind === 'CREDENTIALS') return { refusals: Math.max(1, refusals), failing_since: null }
  return { refusals, failing_since: kind === 'OUTAGE' ? (failing_since ?? now) : failing_since }
}

area.mutation('test_integration', (t) =>
  t.field({
    type: IntegrationTest,
    description:
      'Calls the connected system with its credentials, and answers with what was found, or with what the system refused. ' +
      'The system is called also while other calls are not made because it failed. The health of the integration follows ' +
      'the result.',
    rest: { method: 'POST', path: '/integrations/{name}/test' },
    access: dashboardAdminsDirectly,
    errors: [...ERRORS, 'integration_not_connected'],
    args: { name: t.arg(CONNECTION.key) },
    resolve: async (_root, { name }, ctx) => {
      const integration = connectable(requireIntegration(name))
      const adapter = adapterOf(ctx, integration)
      const row = await lockConnection(ctx, name)
      if (!row.secrets) throw new ApiError('integration_not_connected', { details: { name } })
      const { secrets, connection_id, revision } = row
      const ask = () => tried(ctx, adapter, { ...row, secrets })
      // The system takes its time while no transaction is open.
      const question = JSON.stringify(['test_integration', connection_id, revision])
      const test = (await (ctx.external_reads?.read(question, ask) ?? ask())) as Tried
      const { ok, message } = test
      const health = { health: ok ? 'HEALTHY' : 'DOWN', health_message: ok ? null : message } as const
      await db(ctx).integrationConnection.updateMany({
        where: { name },
        data: { ...health, updated_at: ctx.now },
      })
      const marks = marksAfter(test, row, ctx.now)
      if (marks.refusals !== row.refusals || marks.failing_since !== row.failing_since)
        await db(ctx).systemConnection.updateMany({ where: { name }, data: marks })
      await record(ctx, {
        action: 'integration.tested',
        targets: [targetOfIntegration(integration)],
        after: { ok, message },
      })
      const where = { tenant_id_environment_name: ownKey(ctx, { name }) }
      const connection = await db(ctx).integrationConnection.findUnique({ where })
      return { ok, message, integration: statusOf(integration, connection) }
    },
  }),
)
