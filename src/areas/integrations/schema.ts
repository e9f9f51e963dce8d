import { scope } from '../../access/policies/policies.ts'
import { db, ownKey } from '../../db/db.ts'
import { SEARCH } from '../../schema/bounds/bounds.ts'
import { page, pageArgs, pageOf } from '../../schema/lists/page.ts'
import { onTable } from '../../schema/tables/operations.ts'
import { area } from './area.ts'
import './chat-app.ts'
import './connection/operations.ts'
import './connection/schemas.ts'
import './connection/test-integration.ts'
import { IntegrationCategory, IntegrationStatus, type Status, statusOf } from './integration-status.ts'
import { requireIntegration } from './named.ts'
import { INTEGRATION_REQUEST, INTEGRATION_REQUESTS } from './queries.ts'
import { type Integration, REGISTRY } from './registry.ts'
import './request-integration.ts'

const sortKey = ({ label, name }: Integration): [string, string] => [label.toLowerCase(), name]

type Key = ReturnType<typeof sortKey>

const isAfter = ([label, name]: Key, [otherLabel, otherName]: Key): boolean =>
  label === otherLabel ? name > otherName : label > otherLabel

const IN_ORDER = [...REGISTRY].sort((a, b) => (isAfter(sortKey(a), sortKey(b)) ? 1 : -1))

area.query('integrations', (t) =>
  t.field({
    type: pageOf(IntegrationStatus),
    description:
      'Lists every integration of the service, connected or not, by `label` in any letter case, then by `id`.',
    rest: { method: 'GET', path: '/integrations' },
    access: scope('integrations:read'),
    args: {
      category: t.arg({ type: IntegrationCategory, description: 'Only integrations of this kind.' }),
      connected: t.arg.boolean({ description: 'true: only connected ones. false: only the others.' }),
      search: t.arg.string({ ...SEARCH, description: 'Only integrations with this text in their `label`.' }),
      ...pageArgs,
    },
    resolve: (_root, args, ctx) => {
      const { category, connected, search } = args
      const isWanted = ({ integration, connection }: Status): boolean =>
        (!category || integration.category === category) &&
        (typeof connected !== 'boolean' || connection.connected === connected) &&
        (!search || integration.label.toLowerCase().includes(search.toLowerCase()))
      const read = async (after: unknown[] | null, limit: number): Promise<Status[]> => {
        const connections = await db(ctx).integrationConnection.findMany()
        const byName = new Map(connections.map((connection) => [connection.name, connection]))
        return IN_ORDER.filter((integration) => !after || isAfter(sortKey(integration), after as Key))
          .map((integration) => statusOf(integration, byName.get(integration.name)))
          .filter(isWanted)
          .slice(0, limit)
      }
      return page(ctx, 'integrations', args, read, ({ integration }) => sortKey(integration))
    },
  }),
)

area.query('integration', (t) =>
  t.field({
    type: IntegrationStatus,
    description:
      'Gets an integration with its connection state and latest sync. A name that is not in the registry is ' +
      'answered with 404 `unknown_integration`.',
    rest: { method: 'GET', path: '/integrations/{name}' },
    access: scope('integrations:read'),
    errors: ['unknown_integration'],
    args: {
      name: t.arg({ type: 'ID', required: true, description: 'The `id` of the integration, in lower case.' }),
    },
    resolve: async (_root, { name }, ctx) => {
      const integration = requireIntegration(name)
      const where = { tenant_id_environment_name: ownKey(ctx, { name }) }
      return statusOf(integration, await db(ctx).integrationConnection.findUnique({ where }))
    },
  }),
)

const requests = onTable(area, INTEGRATION_REQUEST)

requests.list('integration_requests', INTEGRATION_REQUESTS, {
  description: 'Lists the requests for integrations that were sent from this environment, the latest first.',
  rest: { method: 'GET', path: '/integrations/requests' },
  access: scope('integrations:read'),
})

requests.read('integration_request', {
  description: 'Gets a request for an integration that was sent from this environment.',
  rest: { method: 'GET', path: '/integrations/requests/{request_id}' },
  access: scope('integrations:read'),
})
