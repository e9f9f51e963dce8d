/** The replay of events that an endpoint has missed. */
import { scope } from '../../access/policies/policies.ts'
import { EVENT_DAYS } from '../../db/live/events.ts'
import { ApiError, bodyProblem, invalid } from '../../errors/errors.ts'
import { record } from '../../gateway/activity.ts'
import { daysBefore } from '../../lib/time.ts'
import { builder } from '../../schema/builder.ts'
import { targetOf } from '../../schema/changes/change.ts'
import { typeProblems } from '../events/index.ts'
import { area } from './area.ts'
import { replayDeliveries } from './fan-out.ts'
import { eventTypes } from './input.ts'
import { ENDPOINT } from './queries.ts'

const WebhookReplay = builder.objectRef<{ deliveries: number }>('WebhookReplay').implement({
  description: 'What is sent again.',
  fields: (t) => ({
    deliveries: t.exposeInt('deliveries', {
      description: 'The deliveries that are PENDING for it: new ones, and those that had ended.',
    }),
  }),
})

const WebhookReplayInput = builder.inputType('WebhookReplayInput', {
  description: 'The events to send again.',
  fields: (t) => ({
    since: t.field({
      type: 'DateTime',
      required: true,
      description:
        'Only events at this instant or later. An instant before 30 days ago moves up, with a warning.',
    }),
    until: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Only events before this instant, which must be later than `since`. null: now.',
    }),
    event_types: t.stringList({
      ...eventTypes,
      nullable: true,
      description: 'Only events of these types, of those that the endpoint gets. null: all of them.',
    }),
  }),
})

area.mutation('replay_webhook_endpoint', (t) =>
  t.field({
    type: WebhookReplay,
    description:
      'Sends the events of a time to the endpoint again. It gets those that were delivered, that were given up, and that ' +
      'happened while it was off, each under its `webhook-id`.',
    rest: { method: 'POST', path: '/webhook-endpoints/{endpoint_id}/replay' },
    access: scope('webhooks:write'),
    errors: ['webhook_endpoint_not_found', 'webhook_endpoint_disabled'],
    args: {
      endpoint_id: t.arg(ENDPOINT.key),
      input: t.arg({ type: WebhookReplayInput, required: true }),
    },
    resolve: async (_root, { endpoint_id, input }, ctx) => {
      const { event_types } = input
      const until = input.until ?? ctx.now
      const kept_since = daysBefore(ctx.now, EVENT_DAYS)
      const is_reversed = input.until ? input.since >= until : input.since > until
      const problems = [
        ...typeProblems(event_types, 'event_types', 'body'),
        ...(is_reversed ? [bodyProblem('until', 'order', 'must be later than since')] : []),
      ]
      if (problems.length > 0) throw invalid(problems)
      const endpoint = await ENDPOINT.lock(ctx, endpoint_id)
      const { status } = endpoint
      if (status !== 'ENABLED') throw new ApiError('webhook_endpoint_disabled', { details: { status } })
      const since = input.since < kept_since ? kept_since : input.since
      if (since !== input.since) ctx.warnings.push(`since_moved_up: ${since.toISOString()}`)
      const deliveries = await replayDeliveries(ctx, endpoint, { since, until, event_types })
      const after = { since, until, event_types: event_types ?? null, deliveries }
      const targets = [targetOf(ENDPOINT, ENDPOINT.named(endpoint))]
      await record(ctx, { action: 'webhook_endpoint.replayed', targets, after }, { last: true })
      return { deliveries }
    },
  }),
)
