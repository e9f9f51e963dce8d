/** The decider of AGENTIC agents: a model, whose conversation is rebuilt from what is stored at every step. */

import { type Model, ModelFailure, type ModelTool } from '../../../../connectors/model.ts'
import { fittedTo } from '../../../../connectors/questions.ts'
import { isObject } from '../../../../lib/is-object.ts'
import { grantedTools } from '../../../../tools/grants.ts'
import { keptResults } from '../../../../tools/kept-results.ts'
import { firstPartIn } from '../../../../tools/result-parts.ts'
import { chosenSchemaOf } from '../../../../tools/secret-arguments.ts'
import { isAllowedBy, narrowingSkill, READ_SKILL } from '../../../../tools/skills.ts'
import { suspension } from '../calls/ceilings.ts'
import { conversationOf, readOnIn } from '../rules/conversation.ts'
import { instructionsOf } from '../rules/instructions.ts'
import { ceilingsOf } from '../rules/settings.ts'
import type { Step } from '../rules/step.ts'
import { FINISH, READ_RESULT, type Recorded, stepAfter, type Turn } from '../rules/turns.ts'
import type { RunState } from '../run/run-lock.ts'
import type { Decider } from './decider.ts'
import { readTurns, storeTurn, turnOf } from './turns.ts'

const MAX_TURN_MS = 120_000

/** The tools of the run itself that a model is told of. */
const OF_EVERY_RUN: readonly string[] = [FINISH, READ_RESULT]

/** The tools that the model is told of. Whether one may be called is judged with each call. */
function offeredTools({ agent, calls, execution: { supervised, escalates } }: RunState): ModelTool[] {
  const of_the_run = agent.skills.length > 0 ? [...OF_EVERY_RUN, READ_SKILL] : OF_EVERY_RUN
  const skill = narrowingSkill(agent.skills, calls)
  return grantedTools({ ...agent, supervised, escalates })
    .filter(({ grant, name }) => grant !== 'RUNTIME_ONLY' || of_the_run.includes(name))
    .filter((tool) => isAllowedBy(tool, skill))
    .map((tool) => ({
      name: tool.name,
      description: `${tool.title}. ${tool.description}`,
      input_schema: chosenSchemaOf(tool),
    }))
}

function settingsOf({ agent }: RunState) {
  const settings = isObject(agent.agent_settings) ? agent.agent_settings : {}
  const { custom_instructions, confidence_threshold } = settings
  return {
    max_tool_calls: ceilingsOf(settings).max_tool_calls,
    custom_instructions: typeof custom_instructions === 'string' ? custom_instructions : '',
    confidence_threshold: typeof confidence_threshold === 'number' ? confidence_threshold : null,
  }
}

const ENTITIES = { TICKET: 'ticket', TIME_ENTRY: 'time entry', NONE: null } as const

/** The first message: the ticket or time entry, by its id as data. */
function workOf({ agent, execution }: RunState): string {
  const { entity_id, entity_number } = execution
  const entity = ENTITIES[agent.entity_type]
  if (entity === null) return 'Do your work.'
  return `Work on this ${entity}: ${JSON.stringify({ id: entity_id, number: entity_number })}`
}

const failed = (failure_kind: 'PLATFORM' | 'LIMIT', code: string, error: string): Step => ({
  do: 'FAIL',
  failure_kind,
  code,
  error,
})

const tooLong = (characters: number): Step =>
  failed(
    'LIMIT',
    'model_request_too_long',
    `A request to the model has at most ${characters} characters, and the instructions, the tools and the last turn have more.`,
  )

const NO_MODEL = 'The agent thinks with a language model, and the service has none: model_not_configured.'

/** The calls, with the whole texts of the long results in which the model reads on. */
async function callsFor({ ctx, execution, calls }: RunState, turns: readonly Turn[]): Promise<Recorded[]> {
  const wanted = readOnIn(turns)
  const long = calls.filter(({ model_call_id, result }) => wanted.has(model_call_id) && firstPartIn(result))
  if (long.length === 0) return calls
  const ids = long.map(({ id }) => id)
  const texts = await keptResults(ctx, execution.execution_id, ids)
  return calls.map((call) => ({ ...call, whole: texts.get(call.id) }))
}

/** The next turn of the model; null if the request for it would be too long. */
async function nextTurn(run: RunState, model: Model, turns: readonly Turn[]) {
  const { agent, ctx, execution, signal } = run
  const { custom_instructions, confidence_threshold } = settingsOf(run)
  const { supervised, escalates, additional_custom_instructions } = execution
  const { agent_name, skills } = agent
  const question = fittedTo(ctx.services.model_request_characters, {
    instructions: instructionsOf({
      agent_name,
      custom_instructions,
      additional_custom_instructions,
      supervised,
      escalates,
      skills,
    }),
    messages: conversationOf({ work: workOf(run), confidence_threshold }, turns, await callsFor(run, turns)),
    tools: offeredTools(run),
  })
  if (question === null) return null
  const ask = () => model.turn({ ...question, timeout_ms: MAX_TURN_MS, signal })
  const answer = await ctx.services.model_calls.run(ctx.viewer.tenant_id, ask, signal)
  return turnOf(answer, turns.length + 1)
}

/** A decider for one run, or for the part of it that one worker does. */
export function agenticDecider(): Decider {
  let turns: Turn[] | null = null
  let originals: ReadonlyMap<string, unknown> = new Map()

  return {
    async next(run) {
      const { model } = run.ctx.services
      if (model === null) return failed('PLATFORM', 'model_not_configured', NO_MODEL)
      turns ??= await readTurns(run)
      for (;;) {
        const step = stepAfter(turns, run.calls, settingsOf(run))
        if (step.do === 'CALL') {
          const { id: model_call_id, tool_name, has_secret } = step.call
          // The arguments with the secret are refused as such. If they are lost with their worker, so is the call.
          const known =
            originals.get(model_call_id) ?? (has_secret ? 'A secret was here.' : step.call.arguments)
          return { do: 'CALL', call: { tool_name, arguments: known, model_call_id } }
        }
        if (step.do !== 'ASK_MODEL') return step
        const over = await suspension(run)
        if (over) return { do: 'FAIL', failure_kind: 'LIMIT', ...over }
        try {
          const next = await nextTurn(run, model, turns)
          if (next === null) return tooLong(run.ctx.services.model_request_characters)
          await storeTurn(run, next.turn)
          turns.push(next.turn)
          originals = next.originals
        } catch (error) {
          if (!(error instanceof ModelFailure)) throw error
          const { code, message, retry_after_ms, status } = error
          run.ctx.log.warn({ code, status }, 'the model failed')
          if (code === 'model_unavailable')
            return { do: 'WAIT_FOR_MODEL', code, error: message, retry_after_ms }
          // Contract silent: the model is a part of the service, so that its outage is a failure of the PLATFORM.
          return failed('PLATFORM', code, message)
        }
      }
    },
  }
}
