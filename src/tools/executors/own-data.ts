/** The service's own data: memories, technicians, skills, escalations, feedback and dispatch. */
import type { DispatchProblem } from '../../connectors/dispatching.ts'
import type { Raised } from '../../connectors/escalations.ts'
import type { FeedbackProblem } from '../../connectors/feedback.ts'
import type { MemoryProblem, MemoryToSave } from '../../connectors/memories.ts'
import type { Rmm } from '../../connectors/rmm.ts'
import { isOutage, requireFound, ToolFailure } from '../failure.ts'
import type { Reach } from '../reach/reach.ts'
import { MAX_RESULTS, type Search } from '../search.ts'
import {
  type CallingRun,
  inDispatching,
  inEscalations,
  inFeedback,
  inMemories,
  type Ports,
  readsFrom,
} from '../tool-context.ts'

const PROBLEMS = {
  SECRET_IN_CONTENT: 'secret_in_content',
  SCOPE_INVALID: 'scope_invalid',
} as const satisfies Record<MemoryProblem, string>

const LINK_PROBLEMS = {
  ENTITY_REQUIRED: 'entity_required',
  TICKET_NOT_FOUND: 'ticket_not_found',
  END_USER_NOT_FOUND: 'end_user_not_found',
  NO_ADDRESS: 'no_address',
  EMAIL_NOT_CONFIGURED: 'email_not_configured',
} as const satisfies Record<FeedbackProblem, string>

const DISPATCH_PROBLEMS = {
  DISPATCH_DISABLED: 'dispatch_disabled',
  TICKET_NOT_FOUND: 'ticket_not_found',
  TICKET_ASSIGNED: 'ticket_assigned',
  TICKET_CLOSED: 'ticket_closed',
} as const satisfies Record<DispatchProblem, string>

/** The id of the device if it is in reach; null otherwise, also if that cannot be told. */
async function ownDevice(rmm: Rmm, device_id: string): Promise<string | null> {
  try {
    return (await rmm.device(device_id)) && device_id
  } catch (error) {
    if (isOutage(error)) return null
    throw error
  }
}

/** True for a memory about the company of the work, a device or a person of it. */
async function isAboutCompany(
  { rmm, memories }: Ports,
  { scope_type, scope_id }: MemoryToSave,
  { psa_company_id }: Reach,
): Promise<boolean> {
  if (psa_company_id === null || scope_id === null) return false
  if (scope_type === 'CLIENT') return scope_id === psa_company_id
  if (scope_type === 'DEVICE') return (await rmm.device(scope_id)) !== null
  return scope_type === 'END_USER' && (await memories.isEndUserOf(scope_id, psa_company_id))
}

/** The execution or the chat of the call. */
function workOf({ execution_id, chat }: CallingRun): Raised['work'] {
  if (execution_id !== null) return { execution_id }
  if (!chat) throw new Error('A call belongs to no execution and to no chat')
  return chat
}

interface Handover {
  reason: string
  end_user_asked?: boolean
}

interface LinkArguments {
  ticket_id?: string
  end_user_id?: string
  medium: 'TICKET_NOTE' | 'EMAIL'
}

interface SkillFile {
  slug: string
  path?: string
}

export const OWN_DATA_EXECUTORS = {
  'memory.search': inMemories(async (memories, { query, limit = MAX_RESULTS }: Search, { run }, { rmm }) => {
    const { agent_id, audience, reach } = run
    const search = { words: query, agent_id, audience, limit }
    if (reach === null) return { results: await memories.search({ ...search, about: null }) }
    const devices = await Promise.all((await memories.devicesIn(search)).map((id) => ownDevice(rmm, id)))
    const { psa_company_id, contact_id } = reach
    const device_ids = devices.filter((id) => id !== null)
    return {
      results: await memories.search({ ...search, about: { psa_company_id, contact_id, device_ids } }),
    }
  }),
  'memory.save': {
    ...inMemories(async (memories, memory: MemoryToSave, { key }) => {
      const saved = await memories.save(memory, key)
      if ('problem' in saved) throw new ToolFailure(PROBLEMS[saved.problem])
      return { memory_id: saved.memory_id }
    }),
    isWithin: isAboutCompany,
  },
  'technician.search': readsFrom(async ({ psa, technicians }, { query, limit = MAX_RESULTS }: Search) => {
    const found = await technicians.search(query, limit)
    const counts = await psa.openTicketCounts(found.map(({ psa_id }) => psa_id))
    return {
      results: found.map(({ technician_id, name }, index) => ({
        technician_id,
        name,
        open_tickets: counts[index] ?? 0,
      })),
    }
  }),
  'technician.read_schedule': readsFrom(async ({ technicians }, args: { technician_id: number }) => {
    const { technician_id } = requireFound(
      await technicians.technician(args.technician_id),
      'technician_not_found',
    )
    const at = await technicians.nextAtWork(technician_id)
    return { technician_id, next_available_at: at?.toISOString() ?? null }
  }),
  'skill.read': readsFrom(async ({ skills }, { slug, path = 'SKILL.md' }: SkillFile, { run }) => {
    const skill = requireFound(
      run.skills.find((one) => one.slug === slug),
      'skill_not_found',
    )
    const content = requireFound(await skills.file(skill, path), 'skill_file_not_found')
    return { slug, version: skill.version, path, content }
  }),
  'escalation.raise': inEscalations(
    async (escalations, { reason, end_user_asked = false }: Handover, { run, key }) => {
      const { agent_id } = run
      const raised = await escalations.raise({ agent_id, work: workOf(run), reason, end_user_asked }, key)
      if ('problem' in raised) throw new ToolFailure('no_escalation_policy')
      return { event_id: raised.event_id }
    },
  ),
  'dispatch.assign': inDispatching(
    async (dispatching, { ticket_id }: { ticket_id: string }, { run, key }, { psa }) => {
      const { agent_id, execution_id } = run
      const decided = await dispatching.assign({ ticket_id, agent_id, execution_id, psa }, key)
      if ('problem' in decided) throw new ToolFailure(DISPATCH_PROBLEMS[decided.problem])
      const { decision_id, status, technician_id, explanation } = decided
      return { decision_id, status, technician_id, explanation }
    },
  ),
  'feedback.send_link': inFeedback(async (feedback, args: LinkArguments, { run, key }, { psa }) => {
    const { agent_id, execution_id, reach: company } = run
    const { ticket_id = null, end_user_id = null, medium } = args
    const link = { agent_id, execution_id, ticket_id, end_user_id, medium, psa, company }
    const sent = await feedback.sendLink(link, key)
    if ('problem' in sent) throw new ToolFailure(LINK_PROBLEMS[sent.problem])
    return { feedback_id: sent.feedback_id, message_id: sent.message_id }
  }),
}
