/** Deliveries, as they are stored and as callers see them. */
import { etagOf } from '../../gateway/entity-tags.ts'
import { builder } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { KEPT_ATTEMPTS } from './rules.ts'

export type DeliveryRow = Row<'WebhookDelivery'>

/** An attempt, as it is stored. A type alias, since TypeScript takes no interface for JSON. */
export type Attempt = {
  at: string
  status_code: number | null
  duration_ms: number
  error: string | null
  response_excerpt: string | null
}

/** The service changes a delivery without a new revision. */
export const deliveryEtag = ({ revision, status, updated_at }: DeliveryRow): string =>
  etagOf(revision, [status, updated_at.toISOString()])

const WebhookAttempt = builder.objectRef<Attempt>('WebhookAttempt').implement({
  description: 'One attempt to send an event.',
  fields: (t) => ({
    at: t.field({
      type: 'DateTime',
      description: 'When it began.',
      resolve: ({ at }) => new Date(at),
    }),
    status_code: t.exposeInt('status_code', {
      nullable: true,
      description: 'The status of the answer. null: there was none.',
    }),
    duration_ms: t.exposeInt('duration_ms', { description: 'The milliseconds that it took.' }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'The reason why there was no answer. null: there was one.',
    }),
    response_excerpt: t.exposeString('response_excerpt', {
      nullable: true,
      description: 'The first bytes of the answer, at most 1 KiB. null: there was no answer.',
    }),
  }),
})

const from = madeOf<DeliveryRow>()

export const WebhookDelivery = rowType('WebhookDelivery', {
  fields: (t) => ({
    ...t.columns('id', 'endpoint_id', 'event_id', 'event_type', 'status'),
    attempts: t.field({
      type: [WebhookAttempt],
      max_items: KEPT_ATTEMPTS,
      description: 'The latest 20 attempts, the oldest first.',
      ...from(['attempts'], ({ attempts }) => attempts as Attempt[]),
    }),
    ...t.columns('next_attempt_at', 'created_at', 'delivered_at', 'revision'),
  }),
})
