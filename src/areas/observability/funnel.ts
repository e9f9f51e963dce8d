/** The type of the callback funnel. Its names and groups are the contract's. */
import { builder } from '../../schema/builder.ts'
import { CHANGE_TYPE_DESCRIPTIONS, CHANGE_TYPES, type ChangeType } from '../change-types/index.ts'
import type { funnelOf } from './rules.ts'
import { type NamedWindow, ObservabilityWindow } from './window.ts'

type Funnel = ReturnType<typeof funnelOf<ChangeType>>
type Group<Name extends keyof Funnel> = Funnel[Name]

const count = (description: string) => ({ type: 'NonNegativeInt', description }) as const
const seconds = (description: string) => ({ type: 'NonNegativeFloat', description }) as const

const CallbacksByChangeType = builder
  .objectRef<Record<ChangeType, number>>('CallbacksByChangeType')
  .implement({
    description:
      'Callbacks by the change that they report. One that reports several changes counts for each.',
    fields: (t) =>
      Object.fromEntries(
        CHANGE_TYPES.map((code) => [code, t.expose(code, count(CHANGE_TYPE_DESCRIPTIONS[code]))]),
      ),
  })

const FunnelCallbacks = builder.objectRef<Group<'callbacks'>>('FunnelCallbacks').implement({
  description: 'The callbacks received in the window: `received` is the sum of the four states.',
  fields: (t) => ({
    received: t.expose('received', count('Callbacks received.')),
    filtered_out: t.expose('filtered_out', count('Those about which no agent was asked.')),
    processed: t.expose('processed', count('Those that are PROCESSED.')),
    failed: t.expose('failed', count('Those that are FAILED.')),
    in_flight: t.expose('in_flight', count('Those that are RECEIVED, QUEUED or PROCESSING.')),
    unique_entities: t.expose('unique_entities', count('Entities that they are about, each once.')),
    webhook_delivery_p95_seconds: t.expose(
      'webhook_delivery_p95_seconds',
      seconds('Seconds from the change in the PSA until its webhook was received: the 95th percentile.'),
    ),
    by_change_type: t.expose('by_change_type', {
      type: CallbacksByChangeType,
      description: 'Callbacks by the change that they report.',
    }),
  }),
})

const FunnelConcurrencyCap = builder.objectRef<Group<'concurrency_cap'>>('FunnelConcurrencyCap').implement({
  description: 'Callbacks of the window that found the concurrency cap exhausted, and how long they waited.',
  fields: (t) => ({
    exhausted_count: t.expose('exhausted_count', count('Callbacks that found it exhausted.')),
    max_wait_seconds: t.expose('max_wait_seconds', seconds('The longest of their waits.')),
    p95_wait_seconds: t.expose('p95_wait_seconds', seconds('Their waits: the 95th percentile.')),
  }),
})

const FunnelEventsProcessed = builder
  .objectRef<Group<'events_processed'>>('FunnelEventsProcessed')
  .implement({
    description: 'Callbacks of the window that are PROCESSED, and how long it took.',
    fields: (t) => ({
      count: t.expose('count', count('Callbacks that are PROCESSED.')),
      p95_actual_work_seconds: t.expose(
        'p95_actual_work_seconds',
        seconds('Seconds of actual work: the 95th percentile.'),
      ),
      p95_configured_sleep_seconds: t.expose(
        'p95_configured_sleep_seconds',
        seconds('Seconds of waiting that the settings ask for: the 95th percentile.'),
      ),
      p95_total_duration_seconds: t.expose(
        'p95_total_duration_seconds',
        seconds('Seconds from their receipt to the end of their processing: the 95th percentile.'),
      ),
    }),
  })

const FunnelPsaApi = builder.objectRef<Group<'psa_api'>>('FunnelPsaApi').implement({
  description:
    'Calls to the API of the PSA in the window, whatever they were for, and the waits of callbacks for them.',
  fields: (t) => ({
    calls: t.expose('calls', count('Calls.')),
    failures: t.expose('failures', count('Those that failed.')),
    p95_wait_seconds: t.expose(
      'p95_wait_seconds',
      seconds('Seconds until the PSA answered or was given up: the 95th percentile.'),
    ),
    limited_count: t.expose(
      'limited_count',
      count('Callbacks that waited because the requests which the service may make to the PSA were used up.'),
    ),
    max_limit_wait_seconds: t.expose('max_limit_wait_seconds', seconds('The longest of their waits.')),
    p95_limit_wait_seconds: t.expose('p95_limit_wait_seconds', seconds('Their waits: the 95th percentile.')),
  }),
})

const FunnelWorkflows = builder.objectRef<Group<'workflows_triggered'>>('FunnelWorkflows').implement({
  description: 'Executions that the callbacks of the window started, of agents that the caller sees.',
  fields: (t) => ({
    finished: t.expose('finished', count('Executions that are in a final status.')),
    useful_vs_evaluated_ratio_pct: t.expose('useful_vs_evaluated_ratio_pct', {
      type: 'NonNegativeFloat',
      description:
        'Finished executions in percent of the evaluations, each of which is the match of one agent with one callback.',
    }),
  }),
})

export const CallbackFunnel = builder
  .objectRef<Funnel & { window: NamedWindow }>('CallbackFunnel')
  .implement({
    description: 'The callbacks of a window, from their receipt to the executions that they started.',
    fields: (t) => ({
      window: t.expose('window', { type: ObservabilityWindow, description: 'The window of the figures.' }),
      callbacks: t.expose('callbacks', { type: FunnelCallbacks, description: 'Receipt.' }),
      concurrency_cap: t.expose('concurrency_cap', {
        type: FunnelConcurrencyCap,
        description: 'Waits for a slot.',
      }),
      events_processed: t.expose('events_processed', {
        type: FunnelEventsProcessed,
        description: 'Processing.',
      }),
      psa_api: t.expose('psa_api', { type: FunnelPsaApi, description: 'Calls to the PSA.' }),
      workflows_triggered: t.expose('workflows_triggered', {
        type: FunnelWorkflows,
        description: 'Executions.',
      }),
    }),
  })
