/** A language model that thinks for a while and always does the same, behind an OpenAI-compatible endpoint. */
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

interface Question {
  messages: { role: string; content: unknown }[]
}

export interface Model {
  base_url: string
  close(): Promise<void>
}

/** The mean time of an answer, in milliseconds. Models take seconds. */
export const MEAN_MS = 4_000
const LONGEST_MS = 12_000

type Calls = readonly [tool: string, args: object][]

/** What it wants in its first, second and third answer: it reads the ticket, writes twice, and ends. */
const answers = (ticket_id: string): readonly Calls[] => [
  [['ticket.read', { ticket_id }]],
  [
    ['ticket.add_note', { ticket_id, text: 'We are on it.', visibility: 'INTERNAL' }],
    ['ticket.set_priority', { ticket_id, priority: 'High' }],
  ],
  [['run.finish', { message: 'Done.', resolution: 'FULL', confidence: 1 }]],
]

/** The tools that it calls in a run, beside its end. */
export const CALLS_OF_RUN = 3

/** As good as random, and the same for the same question: exponential, as waits for many others are. */
function thinkingMs(ticket_id: string, answer: number): number {
  const hash = createHash('sha256').update(`${ticket_id} ${answer}`).digest()
  const share = (hash.readUInt32BE(0) + 1) / (2 ** 32 + 1)
  return Math.min(LONGEST_MS, -Math.log(share) * MEAN_MS)
}

const answerOf = (calls: Calls): string =>
  JSON.stringify({
    id: 'answer',
    object: 'chat.completion',
    created: 1,
    model: 'scripted',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: calls.map(([tool, args], index) => ({
            id: `call_${index}`,
            type: 'function',
            function: { name: tool.replaceAll('.', '__'), arguments: JSON.stringify(args) },
          })),
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })

async function read(request: IncomingMessage): Promise<Question> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString()) as Question
}

export async function startModel(): Promise<Model> {
  const server = createServer(async (request, response) => {
    const { messages } = await read(request)
    const work = messages.find(({ role }) => role === 'user')?.content
    const ticket_id = /"id":"([^"\\]+)/.exec(typeof work === 'string' ? work : '')?.[1]
    const answer = messages.filter(({ role }) => role === 'assistant').length
    const calls = ticket_id && answers(ticket_id)[answer]
    if (!calls) return void response.writeHead(500).end()
    await sleep(thinkingMs(ticket_id, answer))
    response.writeHead(200, { 'content-type': 'application/json' }).end(answerOf(calls))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
