/** The tool calls of a demo execution, in their order. */
import { toolNamed } from '../tools/registry.ts'
import type { Random } from './seeding.ts'
import { ASKS } from './til-stories.ts'
import { BEGINNINGS, MISHAPS, type Mishap, NOT_MADE, STEPS, type Step } from './tool-call-stories.ts'

/** An execution, as far as its tool calls depend on it. */
export interface Worked {
  execution_id: string
  agent_id: number
  status: string
  supervised: boolean
  entity_id: string | null
  run_count: number
  seconds_spent: number
  error: string | null
  message: string | null
  started_at: Date
  ended_at: Date
  psa_company_id: string | null
  /** The contact of the ticket in the PSA. */
  contact_id: string | null
}

const STEPS_OF_RESET =
  STEPS['Confirmed the identity, reset the password and told the user how to sign in.'] ?? []

const isWrite = ({ tool }: Step): boolean => toolNamed(tool)?.access === 'WRITE'

/** A call before it has its time. */
export interface Planned {
  step: Pick<Step, 'tool' | 'arguments'>
  run: number
  outcome: string
  result?: string
  code?: string
  message?: string
  ms?: number
  /** The approval request, by the run that it ends. */
  til_request?: number
  decided_by?: string
}

/** Somebody who approves for the agent: of each agent Tomasz does. */
const deciderOf = (agent_id: number, random: Random): string =>
  agent_id === 2 && random.fraction() < 0.5 ? 'Elin Lindqvist' : 'Tomasz Zieliński'

const made = (step: Step, run: number): Planned => ({
  step,
  run,
  outcome: 'SUCCEEDED',
  result: step.result,
})

/** The call that shows the plan, as the request to technicians has it. */
const planStep = (agent_id: number): Step => ({
  tool: 'run.propose_plan',
  arguments: { steps: ASKS[agent_id]?.plan.map(({ text }) => text) },
  result: 'Showed the plan.',
  share: 1,
})

/** Each approval resumes the work in a new run: first that of the plan, then those of the first writes. */
function supervised(
  { agent_id, run_count, status, message }: Worked,
  steps: readonly Step[],
  random: Random,
): Planned[] {
  const reads = steps.filter((step) => !isWrite(step)).map((step) => made(step, 1))
  const writes = steps.filter(isWrite)
  const decided_by = deciderOf(agent_id, random)
  const planned: Planned[] = [...reads, made(planStep(agent_id), 1)]
  let run = Math.min(2, run_count)
  for (const step of writes) {
    const waits = run < run_count || status === 'WAITING_FOR_APPROVAL'
    if (waits) {
      const { result: _, ...asked } = made(step, run)
      planned.push({ ...asked, outcome: 'PENDING_APPROVAL', til_request: run, ms: 0 })
      if (status === 'WAITING_FOR_APPROVAL') return planned
    }
    const refused = message?.startsWith('The reset was refused')
    const decision = waits ? { til_request: run, decided_by } : {}
    if (waits) run++
    const done = { ...made(step, run), ...decision }
    if (!refused) planned.push(done)
    else {
      const { result: _, ...denied } = done
      const words = 'The technician refused: the identity is not confirmed.'
      planned.push({
        ...denied,
        outcome: 'DENIED',
        decided_by,
        code: 'approval_rejected',
        message: words,
        ms: 0,
      })
    }
  }
  return planned
}

function mishap(
  { agent_id, run_count }: Worked,
  { tool, outcome, code, message, duration_ms }: Mishap,
): Planned {
  const own = agent_id === 5 ? 'time_entry.read' : tool
  const ms = duration_ms ?? (outcome === 'FAILED' ? undefined : 0)
  const step = { tool: own, arguments: own === 'ticket.search' ? { query: 'the same subject' } : {} } as const
  return { step, run: run_count, outcome, code, message, ...(ms !== undefined && { ms }) }
}

export function planOf(worked: Worked, random: Random): Planned[] {
  const { message, error, status, agent_id, run_count } = worked
  const steps = (STEPS[message ?? ''] ?? BEGINNINGS[agent_id] ?? []).filter(
    ({ share }) => share === 1 || random.fraction() < share,
  )
  if (status === 'WAITING_FOR_APPROVAL') return supervised(worked, STEPS_OF_RESET, random)
  const begun = steps.map((step) => made(step, run_count))
  if (status === 'CANCELLED') return [...begun, mishap(worked, NOT_MADE)]
  const failure = MISHAPS.get(error ?? '')
  if (failure) return [...begun, mishap(worked, failure)]
  return worked.supervised && run_count > 1 ? supervised(worked, steps, random) : begun
}
