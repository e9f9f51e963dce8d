/** The adapter for models behind an HTTP endpoint that is compatible with OpenAI's chat completions. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Model,
  type ModelCall,
  ModelFailure,
  type ModelMessage,
  type ModelQuestion,
  type ModelTurn,
} from '../model.ts'

interface Endpoint {
  base_url: string
  api_key: string | null
  name: string
  /** The pause after the first failure; it doubles. */
  pause_ms?: number
}

const ATTEMPTS = 3
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024
const MAX_OUTPUT_TOKENS = 8192

/** The package is loaded with the first question, so that a start does not wait for it. */
async function loadSdk() {
  const [ai, { createOpenAICompatible }] = await Promise.all([
    import('ai'),
    import('@ai-sdk/openai-compatible'),
  ])
  // Its warnings would go to stdout.
  globalThis.AI_SDK_LOG_WARNINGS = false
  return { ...ai, createOpenAICompatible }
}

type Sdk = Awaited<ReturnType<typeof loadSdk>>

const WIRE_NAME_CHARACTERS = 64

// Names of functions there have no dots, and are short. Names of tools have no double underscores. A name that the model
// made up is sent back in a form that the provider takes.
const wireName = (tool_name: string): string =>
  tool_name
    .replaceAll('.', '__')
    .replaceAll(/[^\w-]/g, '_')
    .slice(0, WIRE_NAME_CHARACTERS) || '_'
const toolName = (wire_name: string): string => wire_name.replaceAll('__', '.')

const wireCall = ({ id, tool_name, arguments: input }: ModelCall) => ({
  type: 'tool-call' as const,
  toolCallId: id,
  toolName: wireName(tool_name),
  input,
})

const wireMessage = (message: ModelMessage) => {
  if (message.role === 'user') return { role: message.role, content: message.text }
  if (message.role === 'assistant') {
    const text = message.text === null ? [] : [{ type: 'text' as const, text: message.text }]
    return { role: message.role, content: [...text, ...message.calls.map(wireCall)] }
  }
  const output = { type: 'text' as const, value: message.result }
  const part = { toolCallId: message.call_id, toolName: wireName(message.tool_name), output }
  return { role: message.role, content: [{ type: 'tool-result' as const, ...part }] }
}

class TooLarge extends Error {}

/** `fetch` that follows no redirect, and whose body ends with TooLarge after the most bytes. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  let bytes = 0
  const counted = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength
        if (bytes > MAX_RESPONSE_BYTES) controller.error(new TooLarge())
        else controller.enqueue(chunk)
      },
    }),
  )
  return new Response(counted ?? null, response)
}

/** The errors that led to this one, the last first. */
function* causes(error: unknown): Generator<unknown> {
  for (let depth = 0, cause = error; cause && depth < 8; depth++, cause = (cause as Error).cause) yield cause
}

interface Judged {
  failure: ModelFailure
  is_passing: boolean
}

function retryAfterMs(headers: Record<string, string> | undefined): number {
  const seconds = Number(headers?.['retry-after'] ?? 0)
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : 0
}

/** The failure of an attempt, with `is_passing` if another attempt may succeed. */
function judge({ APICallError }: Sdk, error: unknown): Judged {
  const once = (failure: ModelFailure): Judged => ({ failure, is_passing: false })
  const all = [...causes(error)]
  if (all.some((cause) => cause instanceof TooLarge)) return once(new ModelFailure('model_answer_invalid'))
  const call = all.find((cause) => APICallError.isInstance(cause))
  const status = call?.statusCode ?? null
  if (call && (status === null || status === 408 || status === 429 || status >= 500))
    return {
      failure: new ModelFailure('model_unavailable', status, retryAfterMs(call.responseHeaders)),
      is_passing: true,
    }
  if (status !== null && status >= 400) return once(new ModelFailure('model_request_refused', status))
  const is_cut_off = all.some((cause) =>
    ['UND_ERR_SOCKET', 'ECONNRESET'].includes((cause as { code?: string }).code ?? ''),
  )
  if (is_cut_off) return { failure: new ModelFailure('model_unavailable'), is_passing: true }
  return once(new ModelFailure('model_answer_invalid', status))
}

async function ask(
  sdk: Sdk,
  endpoint: Endpoint,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { createOpenAICompatible, generateText, jsonSchema, tool } = sdk
  const provider = createOpenAICompatible({
    name: 'model',
    baseURL: endpoint.base_url,
    ...(endpoint.api_key !== null && { apiKey: endpoint.api_key }),
    fetch: boundedFetch,
  })
  const tools = question.tools.map(({ name, description, input_schema }) => [
    wireName(name),
    // The run that makes the call validates its arguments, so that each refusal is recorded.
    tool({ description, inputSchema: jsonSchema(input_schema) }),
  ])
  const { text, toolCalls, finishReason } = await generateText({
    model: provider.chatModel(endpoint.name),
    instructions: question.instructions,
    messages: question.messages.map(wireMessage),
    ...(tools.length > 0 && { tools: Object.fromEntries(tools) }),
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    maxRetries: 0,
    abortSignal: signal,
  })
  return {
    text: text.trim() === '' ? null : text,
    calls: toolCalls.map(({ toolCallId, toolName: name, input }) => ({
      id: toolCallId,
      tool_name: toolName(name),
      arguments: input as unknown,
    })),
    end: finishReason === 'content-filter' ? 'REFUSED' : finishReason === 'length' ? 'LENGTH' : 'DONE',
  }
}

export function openAiCompatibleModel(endpoint: Endpoint): Model {
  return {
    async turn(question) {
      const sdk = await loadSdk()
      const late = AbortSignal.timeout(Math.ceil(question.timeout_ms))
      const signal = AbortSignal.any([late, ...(question.signal ? [question.signal] : [])])
      const ends_at = performance.now() + question.timeout_ms
      let pause_ms = endpoint.pause_ms ?? 500
      for (let attempt = 1; ; attempt++, pause_ms *= 2) {
        try {
          return await ask(sdk, endpoint, question, signal)
        } catch (error) {
          question.signal?.throwIfAborted()
          if (late.aborted) throw new ModelFailure('model_unavailable')
          const { failure, is_passing } = judge(sdk, error)
          const wait_ms = Math.max(failure.retry_after_ms, pause_ms * (0.75 + Math.random() / 2))
          if (!is_passing || attempt === ATTEMPTS || performance.now() + wait_ms >= ends_at) throw failure
          await sleep(wait_ms, undefined, { signal: question.signal }).catch(() =>
            question.signal?.throwIfAborted(),
          )
        }
      }
    },
  }
}
