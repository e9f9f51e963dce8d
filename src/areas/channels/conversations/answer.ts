/** Answers a message of a chat: the channel's agent, led by the model, with tools that read, or tell people. */

import { type Model, ModelFailure, type ModelMessage } from '../../../connectors/model.ts'
import { fittedTo } from '../../../connectors/questions.ts'
import { tenancyOf } from '../../../db/db.ts'
import { inTransaction } from '../../../db/transaction.ts'
import { redact } from '../../../gateway/redact.ts'
import type { UnboundJobContext } from '../../../jobs/job.ts'
import { storableText } from '../../../lib/text.ts'
import { narrowingSkill, type ToolCallMade } from '../../../tools/skills.ts'
import { isSuspended } from '../../tenant/index.ts'
import { agentProblem } from '../rules.ts'
import { chatInstructions } from './instructions.ts'
import { type Chat, historyOf, readChat, settleMessage, storeAnswer } from './queries.ts'
import { boundedCall, chatTools, makeChatCall, offeredTools } from './tools.ts'

/** The turns of the model for one answer, the tool calls in them, and the time for all. */
const MAX_TURNS = 8
const MAX_CALLS = 20
const ANSWER_MS = 90_000
const ANSWER_CHARACTERS = 8000
const WRITE_MS = 15_000

/** There is no answer; the message tells the code. */
class NoAnswer extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

function checkOpen({ channel_status, agent_state, autonomy_type, audience, psa_company_id }: Chat): void {
  if (channel_status !== 'ACTIVE') throw new NoAnswer('channel_not_active')
  const problem = agentProblem({ state: agent_state, autonomy_type })
  if (problem) throw new NoAnswer(problem)
  if (audience === 'END_USERS' && psa_company_id === null) throw new NoAnswer('end_user_not_found')
}

interface Answer {
  text: string
  /** The tool calls that did their work. */
  calls: number
}

async function converse(ctx: UnboundJobContext, model: Model, chat: Chat): Promise<Answer> {
  const tools = chatTools(chat)
  const done: ToolCallMade[] = []
  const messages: ModelMessage[] = await historyOf(ctx, chat)
  const ends_at = performance.now() + ANSWER_MS
  const { tenant_id } = tenancyOf(ctx)
  let asked = 0
  let succeeded = 0
  for (let turn = 1; turn <= MAX_TURNS; turn++) {
    if (await isSuspended(ctx)) throw new NoAnswer('tenant_suspended')
    const question = fittedTo(ctx.services.model_request_characters, {
      instructions: chatInstructions(chat),
      messages,
      tools: offeredTools(chat, tools, narrowingSkill(chat.skills, done)),
    })
    if (question === null) throw new NoAnswer('model_request_too_long')
    const ask = () =>
      model.turn({
        ...question,
        timeout_ms: Math.max(1, ends_at - performance.now()),
        signal: ctx.signal,
      })
    const { text, calls, end } = await ctx.services.model_calls.run(tenant_id, ask, ctx.signal)
    if (calls.length === 0 || end === 'REFUSED') {
      if (text === null) throw new NoAnswer(end === 'REFUSED' ? 'model_refused' : 'model_said_nothing')
      return { text, calls: succeeded }
    }
    asked += calls.length
    if (asked > MAX_CALLS) throw new NoAnswer('max_tool_calls')
    const named = calls.map((call, index) => ({ ...boundedCall(call), id: `call_${turn}_${index + 1}` }))
    messages.push({ role: 'assistant', text, calls: named })
    for (const call of named) {
      const made = await makeChatCall(ctx, chat, { tools, skill: narrowingSkill(chat.skills, done) }, call)
      if (made.outcome === 'SUCCEEDED') succeeded++
      done.push({ ...call, status: made.outcome })
      messages.push({ role: 'tool', call_id: call.id, tool_name: call.tool_name, result: made.told })
    }
  }
  throw new NoAnswer('model_turns_exceeded')
}

async function answerOf(ctx: UnboundJobContext, chat: Chat): Promise<Answer> {
  checkOpen(chat)
  const { model } = ctx.services
  if (model === null) throw new NoAnswer('model_not_configured')
  return await converse(ctx, model, chat)
}

/** Answers the message, or stores the reason why it has no answer. One that is no longer PENDING stays as it is. */
export async function answerMessage(ctx: UnboundJobContext, message_id: string): Promise<void> {
  const chat = await readChat(ctx, message_id)
  if (!chat) return
  const settle = async (
    settled: Parameters<typeof settleMessage>[2],
    then = async () => {},
  ): Promise<void> => {
    ctx.now = ctx.services.now()
    await inTransaction(ctx, WRITE_MS, async () => {
      if (await settleMessage(ctx, message_id, settled)) await then()
    })
  }
  let answer: Answer
  try {
    answer = await answerOf(ctx, chat)
  } catch (error) {
    if (!(error instanceof NoAnswer || error instanceof ModelFailure)) throw error
    if (error instanceof ModelFailure)
      ctx.log.warn({ code: error.code, status: error.status }, 'the model failed')
    return await settle({ status: 'FAILED', error_code: error.code })
  }
  const text = redact(storableText(answer.text).slice(0, ANSWER_CHARACTERS)) as string
  await settle({ status: 'ANSWERED', error_code: null }, () => storeAnswer(ctx, chat, text, answer.calls))
}
