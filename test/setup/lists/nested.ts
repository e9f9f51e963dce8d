/** Every list in the rows of another one: whose rows it has, and two parents. */

/** A list in the rows of another one. */
export interface Nested {
  /** The list whose sampler has the rows. */
  list: string
  /** The column of a row that names its parent. */
  parent: string
  /** Two parents: the value of that column, and the field that reads the parent. */
  parents: readonly (readonly [unknown, string])[]
}

/** The nested lists, by the name of their type and field. */
export const NESTED: Record<string, Nested> = {
  'Agent.executions': {
    list: 'executions',
    parent: 'agent_id',
    parents: [1, 2].map((id) => [id, `agent(agent_id: ${id})`]),
  },
  'Agent.channels': {
    list: 'channels',
    parent: 'agent_id',
    parents: [1, 2].map((id) => [id, `agent(agent_id: ${id})`]),
  },
  ...Object.fromEntries(
    ['runs', 'timeline', 'til_requests'].map((field) => [
      `Execution.${field}`,
      {
        list: `execution_${field}`,
        parent: 'execution_id',
        parents: ['exe_1', 'exe_2'].map((id) => [id, `execution(execution_id: "${id}")`] as const),
      },
    ]),
  ),
  'Execution.tool_calls': {
    list: 'execution_tool_calls',
    parent: 'execution_id',
    parents: ['exe_1', 'exe_1_again'].map((id) => [id, `execution(execution_id: "${id}")`]),
  },
  'Callback.matches': {
    list: 'callback_matches',
    parent: 'callback_id',
    parents: ['cb_a', 'cb_b'].map((id) => [id, `callback(callback_id: "${id}")`]),
  },
  'EndCompany.end_users': {
    list: 'end_users',
    parent: 'end_company_id',
    parents: ['a', 'b'].map((id) => [id, `end_company(end_company_id: "${id}")`]),
  },
  'TechnicianSchedule.technicians': {
    list: 'technicians',
    parent: 'schedule_id',
    parents: [7, 8].map((id) => [id, `technician_schedule(schedule_id: ${id})`]),
  },
  'EndCompany.company_links': {
    list: 'company_links',
    parent: 'psa_company_id',
    parents: ['a', 'b'].map((id) => [`psa_${id}`, `end_company(end_company_id: "${id}")`]),
  },
}
