/** AGENTIC agents for tests. */
import type { Api } from '../../../setup/api.ts'
import type { Asked, Played } from '../../../setup/model-server.ts'
import type { Msp } from '../../../setup/world.ts'
import { chainMsp, executionOf } from './chain.ts'

export const READ = { tool: 'ticket.read', args: { ticket_id: '4711' } }
export const NOTE = {
  tool: 'ticket.add_note',
  args: { ticket_id: '4711', text: 'We are on it.', visibility: 'INTERNAL' },
}
export const END = { tool: 'run.finish', args: { message: 'It is done.', resolution: 'FULL' } }

/** A tenant with ticket 4711, and agent 1, which a model leads and which has the tools of tickets. */
export const agenticMsp = (settings: object = {}, agent: object = {}, tenant?: Msp): Promise<Msp> =>
  chainMsp(
    [],
    {
      name: 'Solver' as const,
      autonomy_type: 'AGENTIC' as const,
      agent_settings: { custom_instructions: 'Be kind.', estimated_minutes_saved: 30, ...settings },
      toolbox: { tools: ['contact.read'] },
      integrations: { grants: [{ system: 'HALO_PSA', permission_groups: ['TICKETS'], access: 'WRITE' }] },
      ...agent,
    },
    tenant,
  )

/** One turn with these calls after another, and then the end. */
export const turns = (...played: Played[]): Played[] => [...played, { calls: [END] }]

/** The answers of tools in a question to the model, in order. */
export const answersIn = (asked: Asked | undefined) =>
  (asked?.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content ?? ''))

export async function trailOf(api: Api, msp: Msp, execution_id: string) {
  const [execution, calls] = [
    await executionOf(api, msp, execution_id),
    (await api.call(msp.key, 'execution_tool_calls', { execution_id })).data,
  ]
  return { execution, calls: calls.toReversed() }
}
