/** Webhook endpoints, as they are stored and as callers see them. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { EventSeverity } from '../events/index.ts'

export type EndpointRow = Row<'WebhookEndpoint'>

export const WebhookEndpointStatus = enumFrom('WebhookEndpointStatus')

/** The tag includes the columns that deliveries change without a new revision. */
export const endpointEtag = ({ revision, status, disabled_reason, ...endpoint }: EndpointRow): string =>
  etagOf(revision, [
    status,
    disabled_reason,
    endpoint.last_success_at?.toISOString() ?? null,
    endpoint.failing_since?.toISOString() ?? null,
  ])

type Filters = Pick<EndpointRow, 'agent_ids' | 'end_company_ids' | 'severities'>

const orNull = <Item>(list: readonly Item[]): Item[] | null => (list.length > 0 ? [...list] : null)

const WebhookFilters = builder.objectRef<Filters>('WebhookFilters').implement({
  description:
    'The events that pass: those that meet every list. An event without the thing of a list does not pass.',
  fields: (t) => ({
    agent_ids: t.intList({
      nullable: true,
      description: 'Only events of these agents. null: of all.',
      resolve: ({ agent_ids }) => orNull(agent_ids),
    }),
    end_company_ids: t.idList({
      nullable: true,
      description: 'Only events of these end companies, and of executions for them. null: of all.',
      resolve: ({ end_company_ids }) => orNull(end_company_ids),
    }),
    severities: t.field({
      type: [EventSeverity],
      nullable: true,
      description: 'Only events of these severities. null: of all.',
      resolve: ({ severities }) => orNull(severities) as never,
    }),
  }),
})

const from = madeOf<EndpointRow>()

type Fields = Parameters<Parameters<typeof rowType<'WebhookEndpoint'>>[1]['fields']>[0]

const fieldsOf = (t: Fields) => ({
  ...t.columns('id', 'url', 'description', 'event_types'),
  filters: t.field({
    type: WebhookFilters,
    description: 'The events of these types that it gets.',
    ...from(['agent_ids', 'end_company_ids', 'severities'], (filters) => filters),
  }),
  ...t.columns('status', 'disabled_reason', 'secret_rotated_at', 'last_success_at', 'failing_since'),
  ...t.columns('created_by_name', 'created_at', 'updated_at', 'revision'),
})

export const WebhookEndpoint = rowType('WebhookEndpoint', { fields: fieldsOf })

/** The endpoint with its new secret in clear, in the answers that create and rotate one. No read has it. */
export const IssuedWebhookEndpoint = rowType('WebhookEndpoint', {
  variant: 'IssuedWebhookEndpoint',
  description: 'A webhook endpoint with its new secret.',
  fields: (t) => ({
    ...fieldsOf(t),
    secret: t.exposeString('secret', {
      description: 'The secret that signs from now on: `whsec_` and base64. It is in this answer only.',
    }),
    endpoint: t.variant(WebhookEndpoint, {
      graph_only: true,
      description: 'The endpoint as reads have it, for the caches of clients.',
      columns: ['id'],
    }),
  }),
})
