/** The start of an agent, as it is stored, whatever starts the agent. */
import type { Row } from '../../schema/models.ts'
import type { AgentRow } from './agent.ts'
import { supervisionOf } from './rules.ts'

type Execution = Row<'Execution'>

/** The part of a start that the agent does not decide. */
interface Given
  extends Pick<Execution, 'entity_id' | 'entity_number' | 'psa_company_id' | 'trigger'>,
    Partial<Pick<Execution, 'additional_custom_instructions' | 'retry_of_execution_id'>> {
  /** The supervision that the caller asks for; absent if the service itself starts the agent. */
  asked?: Parameters<typeof supervisionOf>[1]
}

const NOT_ASKED = { supervised_run: false, supervisor_technician_ids: null }

export function startOf(agent: AgentRow, { asked = NOT_ASKED, ...given }: Given) {
  const { supervised, supervisor_technician_ids } = supervisionOf(agent, asked)
  return {
    agent_id: agent.id,
    agent_name: agent.name,
    entity_type: agent.entity_type,
    supervised,
    supervisor_technician_ids: [...supervisor_technician_ids],
    supervised_by_start: supervised && !agent.supervised,
    additional_custom_instructions: null,
    ...given,
  }
}
