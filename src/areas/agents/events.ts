/** The events of agents. */
import { declareEvents, text, texts, whole } from '../../schema/events/declare.ts'
import { THROUGH_AGENT } from '../../schema/events/sight.ts'
import type { AgentRow } from './agent.ts'
import { changedFields, type State } from './rules.ts'

const AGENT_EVENTS = declareEvents('agent', {
  data: {
    agent_id: whole('The agent.'),
    name: text('The name of the agent.'),
    state: text('The state of the agent.'),
    changed_fields: texts('The fields that changed. Empty for a new agent.'),
  },
  seen: THROUGH_AGENT,
  about: ({ agent_id }) => ({ id: agent_id, agent_id }),
  events: {
    created: 'An agent was created. If it is ACTIVE at once, `agent.activated` follows.',
    updated: 'The configuration of an agent changed.',
    activated: 'An agent runs from now on.',
    paused: 'An agent starts nothing until somebody activates it.',
    archived: 'An agent never runs again.',
  },
})

type Told = Pick<AgentRow, 'id' | 'name' | 'state'>

const STATE_EVENTS = {
  activated: AGENT_EVENTS.activated,
  paused: AGENT_EVENTS.paused,
  archived: AGENT_EVENTS.archived,
}

const dataOf = ({ id: agent_id, name, state }: Told, changed_fields: readonly string[]) => ({
  agent_id,
  name,
  state,
  changed_fields,
})

/** The events of a change, by its past verb. A change of shares has none. */
export function eventsOfChange(verb: string, agent: AgentRow, before: AgentRow | null) {
  if (verb in STATE_EVENTS) return [STATE_EVENTS[verb as keyof typeof STATE_EVENTS](dataOf(agent, ['state']))]
  const changed = Object.keys(changedFields(before ?? {}, agent))
  return changed.length === 0 ? [] : [AGENT_EVENTS.updated(dataOf(agent, changed))]
}

/** The events of a new agent. The statement that makes its id puts the id into them. */
// Contract silent: an agent that is created ACTIVE is activated too, so that `agent.activated` tells of every agent that runs.
export function eventsOfNew({ name, state }: { name: string; state: State }) {
  const data = dataOf({ id: 0, name, state }, [])
  return [AGENT_EVENTS.created(data), ...(state === 'ACTIVE' ? [AGENT_EVENTS.activated(data)] : [])]
}
