/** The tools of an agent in a chat, and the calls of them. */
import type { ModelCall, ModelTool } from '../../../connectors/model.ts'
import { redact } from '../../../gateway/redact.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { isObject } from '../../../lib/is-object.ts'
import { storableText } from '../../../lib/text.ts'
import { boundedJson } from '../../../lib/untrusted-json.ts'
import { executeTool, ToolFailure } from '../../../tools/execute.ts'
import { grantedTools, RAISE_ESCALATION } from '../../../tools/grants.ts'
import { invalidArguments } from '../../../tools/invalid-arguments.ts'
import type { Reach } from '../../../tools/reach/reach.ts'
import { TOOLS } from '../../../tools/registry.ts'
import { chosenSchemaOf } from '../../../tools/secret-arguments.ts'
import { isAllowedBy, type NarrowingSkill, READ_SKILL, refusalBy } from '../../../tools/skills.ts'
import type { Tool } from '../../../tools/tool.ts'
import { recordToolCall, type ToolCall } from '../../audit-log/index.ts'
import type { Chat } from './queries.ts'

const COMPANY = 'company_id'

const propertiesOf = (tool: Tool) => chosenSchemaOf(tool).properties as Readonly<Record<string, unknown>>

/** True for a tool that works for the chat itself. */
const isOfNoCompany = ({ name }: Pick<Tool, 'name'>): boolean =>
  name === READ_SKILL || name === RAISE_ESCALATION

// Contract silent: in a chat an agent reads, and tells people. A change would need an approval that no run waits for there, and
// would belong to no execution. For an end user it reads what can be narrowed to their company.
/** The tools that the agent has in the chat, by name, as they are offered. */
export function chatTools(
  chat: Pick<Chat, 'audience' | 'autonomy_type' | 'toolbox' | 'integrations' | 'escalates' | 'skills'>,
): Map<string, Tool> {
  const granted = grantedTools({ ...chat, actions: null, supervised: false }).filter(
    ({ name, access, grant }) =>
      (access === 'READ' && (grant === 'GROUP' || grant === 'REQUESTABLE')) ||
      (name === READ_SKILL && chat.skills.length > 0) ||
      name === RAISE_ESCALATION,
  )
  const offered =
    chat.audience === 'TECHNICIANS'
      ? granted
      : granted.filter((tool) => isOfNoCompany(tool) || COMPANY in propertiesOf(tool))
  return new Map(offered.map((tool) => [tool.name, tool]))
}

/** The input of a tool for an end user, who does not choose the company. */
function withoutCompany(tool: Tool): Tool['input_schema'] {
  const { [COMPANY]: _, ...properties } = propertiesOf(tool)
  const schema = chosenSchemaOf(tool)
  const required = (schema.required as readonly string[]).filter((name) => name !== COMPANY)
  return { ...schema, properties, required }
}

/** The tools as the model is told of them. */
export const offeredTools = (
  { audience }: Pick<Chat, 'audience'>,
  tools: ReadonlyMap<string, Tool>,
  skill: NarrowingSkill | null,
): ModelTool[] =>
  [...tools.values()]
    .filter((tool) => isAllowedBy(tool, skill))
    .map((tool) => ({
      name: tool.name,
      description: `${tool.title}. ${tool.description}`,
      input_schema: audience === 'TECHNICIANS' ? chosenSchemaOf(tool) : withoutCompany(tool),
    }))

/** The tools of the chat, and the skill that narrows them. */
interface AvailableTools {
  tools: ReadonlyMap<string, Tool>
  skill: NarrowingSkill | null
}

interface Outcome {
  outcome: 'SUCCEEDED' | 'DENIED' | 'FAILED'
  result: Record<string, unknown> | null
  error_code: string | null
  error: string | null
}

const refused = (outcome: 'DENIED' | 'FAILED', error_code: string, error: string): Outcome => ({
  outcome,
  error_code,
  error,
  result: null,
})

const ARGUMENTS = { max_depth: 32, max_characters: 20_000 }
const NAME_CHARACTERS = 200

/** The call in a form that can be stored and sent back. */
export const boundedCall = ({ id, tool_name, arguments: given }: ModelCall): ModelCall => ({
  id,
  tool_name: (redact(storableText(tool_name)) as string).slice(0, NAME_CHARACTERS),
  arguments: boundedJson(given, ARGUMENTS)?.value ?? 'The arguments were too long or too deep.',
})

// Contract silent: an end user sees the tickets that are theirs, and otherwise what is their company's.
/** The reach of the chat: everything for technicians, and what is theirs for end users. */
const reachOfChat = ({ audience, psa_company_id, psa_contact_id }: Chat): Reach | null =>
  audience === 'TECHNICIANS' ? null : { psa_company_id, entity: null, contact_id: psa_contact_id ?? '' }

async function outcomeOf(
  ctx: UnboundJobContext,
  chat: Chat,
  { tools, skill }: AvailableTools,
  { id, tool_name }: Pick<ModelCall, 'id' | 'tool_name'>,
  args: unknown,
): Promise<Outcome> {
  const tool = tools.get(tool_name)
  if (!tool) return refused('DENIED', 'tool_not_granted', 'There is no tool of this name in the chat.')
  if (skill && !isAllowedBy(tool, skill)) {
    const { error_code, error } = refusalBy(skill)
    return refused('DENIED', error_code, error)
  }
  const wrong = invalidArguments(tool, args)
  if (wrong.length > 0)
    return refused('FAILED', 'arguments_invalid', `These arguments do not fit: ${wrong.join(', ')}.`)
  const { agent_id, agent_name, audience, skills, channel_id, conversation_id, message_id } = chat
  const run = {
    agent_id,
    agent_name,
    execution_id: null,
    chat: { channel_id, conversation_id },
    entity_id: null,
    audience,
    reach: reachOfChat(chat),
    skills,
  }
  try {
    // The same call of a repeated job has the same key.
    const key = `${message_id}/${id}`
    const result = await executeTool(ctx, run, tool, args as Record<string, unknown>, key)
    return { outcome: 'SUCCEEDED', result, error_code: null, error: null }
  } catch (error) {
    if (error instanceof ToolFailure) return refused('FAILED', error.code, error.message)
    throw error
  }
}

/** The entry of the audit log: of a chat it names no execution, and the message ties the calls together. */
function entryOf(
  chat: Chat,
  tool_name: string,
  args: unknown,
  outcome: Outcome,
): Omit<ToolCall, 'occurred_at' | 'duration_ms'> {
  const tool = TOOLS.find(({ name }) => name === tool_name)
  const { agent_id, agent_name, message_id, psa_company_id } = chat
  return {
    agent_id,
    agent_name,
    execution_id: null,
    temporal_run_id: null,
    correlation_id: message_id,
    tool_name,
    tool_title: tool?.title ?? tool_name,
    system: tool?.system ?? null,
    access: tool?.access ?? 'READ',
    outcome: outcome.outcome,
    arguments: args,
    result_summary: outcome.result && JSON.stringify(outcome.result),
    error_code: outcome.error_code,
    error_message: outcome.error,
    supervised: false,
    entity_id: null,
    entity_number: null,
    psa_company_id,
    til_request_id: null,
    decided_by_name: null,
    acting_user_id: null,
    api_key_id: null,
    api_key_name: null,
    request_id: null,
  }
}

const RESULT_CHARACTERS = 8000
/** A longer file is cut off: no call of a chat reads a result on. */
const SKILL_CHARACTERS = 40_000

const PEOPLE_TOLD =
  'The work is handed over to people, who are told step by step. Say so in your answer, and promise no person and no time.'

/** The result of the call for the model. The words of other systems are a value of `data`. */
function told({ outcome, result, error_code, error }: Outcome, tool_name: string): string {
  if (result === null) return JSON.stringify({ outcome, error_code, error })
  if (tool_name === RAISE_ESCALATION) return JSON.stringify({ outcome, data: result, message: PEOPLE_TOLD })
  const text = JSON.stringify(result)
  const most = tool_name === READ_SKILL ? SKILL_CHARACTERS : RESULT_CHARACTERS
  if (text.length <= most) return JSON.stringify({ outcome, data: result })
  return JSON.stringify({
    outcome,
    characters: text.length,
    data_starts_with: text.slice(0, most),
  })
}

/** Makes a bounded call that the model asks for, if it may, and records it. */
export async function makeChatCall(
  ctx: UnboundJobContext,
  chat: Chat,
  available: AvailableTools,
  { id, tool_name, arguments: given }: ModelCall,
): Promise<{ outcome: Outcome['outcome']; told: string }> {
  const is_bound = chat.audience === 'END_USERS' && isObject(given) && !isOfNoCompany({ name: tool_name })
  const args = is_bound ? { ...given, [COMPANY]: chat.psa_company_id } : given
  const started = performance.now()
  const outcome = await outcomeOf(ctx, chat, available, { id, tool_name }, args)
  await recordToolCall(ctx, {
    ...entryOf(chat, tool_name, isObject(args) ? args : { value: args }, outcome),
    occurred_at: ctx.services.now(),
    duration_ms: Math.round(performance.now() - started),
  })
  return { outcome: outcome.outcome, told: told(outcome, tool_name) }
}
