/** The history of the demo agents: how each of them came to the configuration that it has. */
import { changedPaths, configurationIn } from '../areas/agents/rules.ts'
import type { Agent } from '../db/generated/client/client.ts'
import { grant } from './agents.ts'
import { insertMany, type Seeding } from './seeding.ts'

/** A change, with the configuration that it replaced. What it says of `agent_settings` is merged into the others there. */
interface Change {
  revision: number
  days: number
  by: string
  replaced: Readonly<Record<string, unknown>>
}

const change = (revision: number, days: number, by: string, replaced: Change['replaced']): Change => ({
  revision,
  days,
  by,
  replaced,
})

const MICROSOFT = grant('MICROSOFT_ENTRA_ID', 'WRITE', 'IDENTITY')

/** The changes of each agent, the latest first. The revisions between them are those of its state and its shares. */
const HISTORIES: Readonly<Record<number, readonly Change[]>> = {
  1: [
    change(14, 12, 'Tomasz Zieliński', {
      agent_settings: { confidence_threshold: 0.7 },
      agent_settings_edits: { estimated_minutes_saved: 6 },
    }),
    change(11, 85, 'Aisha Rahman', {
      agent_settings: { custom_instructions: 'Ask one question at a time.', estimated_minutes_saved: 8 },
      agent_settings_edits: null,
    }),
    change(6, 203, 'Tomasz Zieliński', {
      callback_settings: { change_types: ['TICKET_CREATED'], ignore_own_changes: true, debounce_seconds: 30 },
    }),
    change(2, 299, 'Tomasz Zieliński', { description: null }),
  ],
  2: [
    change(9, 19, 'Aisha Rahman', {
      agent_settings: { max_minutes: 60 },
      agent_settings_edits: { supervised: true },
    }),
    change(5, 150, 'Vivian Ng', {
      agent_settings: { supervised: false, supervisor_technician_ids: [] },
      agent_settings_edits: null,
      supervised: false,
      supervisor_technician_ids: [],
    }),
    change(2, 243, 'Aisha Rahman', { name: 'Password reset' }),
  ],
  3: [
    change(4, 77, 'Gareth Hughes', { agent_settings: { max_tool_calls: 100 } }),
    change(2, 181, 'Gareth Hughes', { integrations: { grants: [MICROSOFT, grant('PAX8', 'READ')] } }),
  ],
  4: [
    change(3, 60, 'Maeve Donnelly', {
      ticket_conditions: {
        match: 'ALL',
        rules: [
          { field: 'board', operator: 'equals', value: 'Alerts' },
          { field: 'age_hours', operator: 'greater_than', value: 2 },
        ],
      },
    }),
  ],
  5: [
    change(5, 33, 'Chidi Okafor', { agent_settings: { max_minutes: 20 }, agent_settings_edits: null }),
    change(3, 102, 'Chidi Okafor', { description: 'Puts time entries under the right agreement.' }),
  ],
  6: [
    change(8, 4, 'Tomasz Zieliński', {
      integrations: {
        grants: [grant('HUDU', 'READ', 'DOCUMENTATION'), grant('NINJAONE', 'READ', 'DEVICES')],
      },
    }),
    change(5, 61, 'Tomasz Zieliński', {
      agent_settings: { custom_instructions: 'Name the document that an answer is from.' },
    }),
  ],
  7: [change(2, 1, 'Vivian Ng', { name: 'Licence report' })],
  8: [
    change(9, 118, 'Priya Nair', {
      agent_settings: {
        custom_instructions: 'At most three mailboxes at once, never between eight and six.',
      },
    }),
    change(4, 331, 'Priya Nair', { integrations: null }),
  ],
}

type Configuration = Readonly<Record<string, unknown>>

/** The configuration before the change. */
function before(after: Configuration, { replaced }: Change): Configuration {
  const { agent_settings, ...others } = replaced
  const settings = { ...(after.agent_settings as object), ...(agent_settings as object | undefined) }
  return { ...after, ...others, agent_settings: settings }
}

/** The revisions of the agent, from its configuration now back to the one that it was created with. */
function revisionsOf(agent: Agent, { tenancy, ago }: Seeding) {
  const rows = []
  let after: Configuration = configurationIn(agent)
  const row = (revision: number, changed_at: Date, changed_by_name: string, old: Configuration | null) => ({
    ...tenancy,
    agent_id: agent.id,
    revision,
    changed_at,
    changed_by_name,
    changed_paths: changedPaths(old, after),
    snapshot: after,
  })
  for (const one of HISTORIES[agent.id] ?? []) {
    const old = before(after, one)
    // The latest change of an agent is the one that it was updated by.
    const changed_at = one.revision === agent.revision ? agent.updated_at : ago(one.days, one.revision * 17)
    rows.push(row(one.revision, changed_at, one.by, old))
    after = old
  }
  return [...rows, row(1, agent.created_at, agent.created_by_name, null)]
}

export async function seedAgentRevisions(seeding: Seeding): Promise<void> {
  const agents = await seeding.tx.agent.findMany({ where: seeding.tenancy })
  await insertMany(
    seeding.tx,
    'agent_revision',
    agents.flatMap((agent) => revisionsOf(agent, seeding)),
  )
}
