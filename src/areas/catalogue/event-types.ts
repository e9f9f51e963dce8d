/** The types of events that webhooks and the event feed carry, with the outline of their `data`. */

interface Subject {
  /** The members of `data`: JSON Schema types, by name. */
  data: Readonly<Record<string, object>>
  /** The sentence about each event, by the second half of its type. */
  events: Readonly<Record<string, string>>
}

const text = (description: string) => ({ type: 'string', description })
const maybe = (description: string) => ({ type: ['string', 'null'], description })
const whole = (description: string) => ({ type: 'integer', description })
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description })

const AGENT = { agent_id: whole('The agent.') }
const CHANGED_FIELDS = { changed_fields: texts('The fields that changed.') }

const SUBJECTS: Readonly<Record<string, Subject>> = {
  agent: {
    data: { ...AGENT, name: text('Its name.'), state: text('Its state.'), ...CHANGED_FIELDS },
    events: {
      created: 'An agent was created.',
      updated: 'The configuration of an agent changed.',
      activated: 'An agent runs from now on.',
      paused: 'An agent does not run until somebody activates it.',
      archived: 'An agent never runs again.',
    },
  },
  api_key: {
    data: { api_key_id: text('The key.'), name: text('Its name.'), status: text('Its status.') },
    events: {
      created: 'An API key was created.',
      rotated: 'An API key got a replacement, and works for 24 more hours.',
      revoked: 'An API key was revoked.',
      expiring: 'An API key expires within 14 days.',
    },
  },
  billing: {
    data: {
      threshold_pct: { type: 'number', description: 'The threshold.' },
      credits_used: { type: 'number', description: 'Credits used in the period.' },
      credits_included: { type: 'number', description: 'Credits that the subscription includes.' },
    },
    events: { threshold_reached: 'The credits used reached a threshold of the billing alerts.' },
  },
  callback: {
    data: {
      callback_id: text('The callback.'),
      entity_id: text('The ticket or time entry.'),
      error: text('The error.'),
    },
    events: { failed: 'A callback of the PSA could not be processed.' },
  },
  channel: {
    data: {
      channel_id: text('The channel.'),
      ...AGENT,
      status: text('Its status.'),
      status_reason: maybe('Why.'),
    },
    events: {
      installed: 'The app of a channel was installed.',
      uninstalled: 'The app of a channel was removed.',
      error: 'A channel could not send three times in a row.',
    },
  },
  company_filters: {
    data: {
      added_count: whole('Companies that came into scope.'),
      removable_count: whole('Companies that no longer fit.'),
    },
    events: { changed: 'The company filters were replaced.' },
  },
  company_link: {
    data: {
      system: text('The integration.'),
      external_id: text('The entity in the integration.'),
      psa_company_id: maybe('The company.'),
      link_state: text('The state of the link.'),
    },
    events: {
      needs_review: 'A sync made a link with a confidence below 0.95.',
      mapped: 'A person mapped a link.',
    },
  },
  dispatch: {
    data: {
      decision_id: text('The decision.'),
      ticket_id: text('The ticket.'),
      technician_id: whole('The technician.'),
    },
    events: {
      suggested: 'A technician was suggested for a ticket.',
      applied: 'A ticket was given to a technician.',
    },
  },
  escalation: {
    data: {
      event_id: text('The escalation.'),
      policy_id: text('The policy.'),
      status: text('Its status.'),
      execution_id: maybe('The execution that it is about.'),
    },
    events: {
      opened: 'An escalation began.',
      acknowledged: 'A technician took an escalation.',
      resolved: 'An escalation was resolved.',
      exhausted: 'The last step of an escalation is over, and no technician took it.',
    },
  },
  execution: {
    data: {
      execution_id: text('The execution.'),
      ...AGENT,
      status: text('Its status.'),
      entity_id: maybe('The ticket or time entry.'),
      supervised: { type: 'boolean', description: 'True for a supervised run.' },
    },
    events: {
      created: 'An execution was accepted.',
      started: 'An execution began to run.',
      waiting: 'An execution waits for an approval or for an answer.',
      completed: 'An execution came to its end.',
      failed: 'An execution failed or took too long.',
      cancelled: 'An execution was cancelled.',
    },
  },
  feedback: {
    data: {
      feedback_id: text('The feedback.'),
      rating: text('The rating.'),
      execution_id: maybe('The execution.'),
    },
    events: { submitted: 'An end user gave feedback.' },
  },
  integration: {
    data: {
      name: text('The name of the integration or the id of the request.'),
      status: text('The new status.'),
    },
    events: {
      sync_finished: 'A sync ended.',
      disconnected: 'An integration is no longer connected.',
      request_updated: 'A request for an integration has another status.',
    },
  },
  memory: {
    data: {
      memory_id: text('The memory.'),
      category: text('Its category.'),
      supersedes_id: maybe('The memory before it.'),
    },
    events: {
      created: 'A memory was saved.',
      superseded: 'A memory was replaced by a newer one.',
    },
  },
  scheduled_work: {
    data: {
      entry_id: whole('The entry.'),
      workflow_id: whole('The agent.'),
      ticket_id: text('The ticket.'),
      status: text('Its status.'),
    },
    events: {
      created: 'Work was scheduled.',
      completed: 'Scheduled work was handed to an execution.',
      failed: 'Scheduled work could not be done.',
      cancelled: 'Scheduled work was cancelled.',
    },
  },
  settings: {
    data: { ...CHANGED_FIELDS },
    events: { updated: 'The settings of the tenant changed.' },
  },
  til_request: {
    data: {
      til_request_id: text('The request.'),
      kind: text('Its kind.'),
      status: text('Its status.'),
      execution_id: maybe('The execution.'),
      technician_ids: {
        type: 'array',
        items: { type: 'integer' },
        description: 'The technicians who may decide.',
      },
    },
    events: {
      created: 'A technician is asked to decide.',
      approved: 'A request was approved.',
      rejected: 'A request was rejected.',
      answered: 'A question was answered.',
      expired: 'A request was not decided in time.',
      cancelled: 'A request is no longer needed.',
    },
  },
  webhook_endpoint: {
    data: { endpoint_id: text('The endpoint.'), disabled_reason: text('Why.') },
    events: { disabled: 'A webhook endpoint failed for five days and was disabled.' },
  },
}

export interface EventTypeEntry {
  type: string
  description: string
  data_schema: object
}

/** Every type, by name. */
export const EVENT_TYPES: readonly EventTypeEntry[] = Object.entries(SUBJECTS)
  .flatMap(([subject, { data, events }]) =>
    Object.entries(events).map(([event, description]) => ({
      type: `${subject}.${event}`,
      description,
      data_schema: { type: 'object', properties: data, required: Object.keys(data) },
    })),
  )
  .toSorted((a, b) => (a.type < b.type ? -1 : 1))
