/** A language model that plays a script, behind an HTTP endpoint that is compatible with OpenAI's chat completions. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface WireCall {
  id?: string
  function: { name: string; arguments: string }
}

interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool'
  content: string | null
  tool_calls?: WireCall[]
  tool_call_id?: string
}

/** A question as it reached the server. */
export interface Asked {
  model: string
  messages: WireMessage[]
  tools: { function: { name: string; description: string; parameters: unknown } }[]
  max_tokens: number
  authorization: string | undefined
}

/** A tool call. `raw` is sent as its arguments in place of their JSON. */
interface PlayedCall {
  tool: string
  args?: unknown
  raw?: string
  id?: string
}

interface PlayedAnswer {
  text?: string
  calls?: PlayedCall[]
  finish_reason?: string
  refusal?: string
  /** The milliseconds before the answer. */
  after_ms?: number
}

/** One answer of the model, or one way in which it fails to give one. */
export type Played =
  | PlayedAnswer
  | { status: number; retry_after?: number; body?: string }
  | { reset: true }
  /** The connection breaks in the middle of the answer. */
  | { cut_off: true }
  | { silent_ms: number }
  /** The answer comes byte by byte, one in so many milliseconds. */
  | { slow_ms: number; text: string }
  | { bytes: number }
  | { raw: string }

/** The answers in their order, the last one again and again; or what answers each question. */
export type Script = readonly Played[] | ((asked: Asked, turn: number) => Played)

export interface ModelServer {
  base_url: string
  /** Plays this from the next question on. */
  play(script: Script): void
  /** Every question since the script began. */
  asked: Asked[]
  close(): Promise<void>
}

const answerOf = ({ text, calls = [], refusal, finish_reason }: PlayedAnswer): string => {
  const tool_calls = calls.map(({ tool, args = {}, raw, id }, index) => ({
    id: id ?? `call_${index}`,
    type: 'function',
    function: { name: tool.replaceAll('.', '__'), arguments: raw ?? JSON.stringify(args) },
  }))
  return JSON.stringify({
    id: 'answer',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text ?? null,
          ...(refusal !== undefined && { refusal }),
          ...(tool_calls.length > 0 && { tool_calls }),
        },
        finish_reason: finish_reason ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop'),
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}

const JSON_TYPE = { 'content-type': 'application/json' }

async function send(response: ServerResponse, played: Played): Promise<void> {
  if ('reset' in played) return void response.socket?.resetAndDestroy()
  if ('cut_off' in played) {
    response.writeHead(200, JSON_TYPE).write('{"id":"answer","choices":[')
    await sleep(5)
    return void response.socket?.destroy()
  }
  if ('status' in played) {
    const headers = played.retry_after === undefined ? {} : { 'retry-after': String(played.retry_after) }
    return void response
      .writeHead(played.status, { ...JSON_TYPE, ...headers })
      .end(played.body ?? JSON.stringify({ error: { message: 'scripted' } }))
  }
  if ('silent_ms' in played) {
    await sleep(played.silent_ms, undefined, { ref: false })
    return void response.end()
  }
  if ('bytes' in played) {
    response.writeHead(200, JSON_TYPE).write('{"id":"')
    const chunk = 'a'.repeat(64 * 1024)
    for (let sent = 0; sent < played.bytes && !response.destroyed; sent += chunk.length)
      if (!response.write(chunk))
        await Promise.race([new Promise((done) => response.once('drain', done)), sleep(50)])
    return void response.end('"}')
  }
  if ('slow_ms' in played) {
    response.writeHead(200, JSON_TYPE)
    for (const character of answerOf({ text: played.text })) {
      if (response.destroyed) return
      response.write(character)
      await sleep(played.slow_ms)
    }
    return void response.end()
  }
  if ('raw' in played) return void response.writeHead(200, JSON_TYPE).end(played.raw)
  if (played.after_ms) await sleep(played.after_ms)
  response.writeHead(200, JSON_TYPE).end(answerOf(played))
}

async function read(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Asked
  return { ...body, tools: body.tools ?? [], authorization: request.headers.authorization }
}

export async function modelServer(script: Script = [{ text: 'Nothing is scripted.' }]): Promise<ModelServer> {
  let playing = script
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const question = await read(request)
    const turn = asked.push(question) - 1
    const played =
      typeof playing === 'function' ? playing(question, turn) : playing[Math.min(turn, playing.length - 1)]
    await send(response, played ?? { status: 500 })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    play(next) {
      playing = next
      asked.length = 0
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
