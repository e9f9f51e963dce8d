/** A language model that thinks for a while and always does the same, behind an OpenAI-compatible endpoint. */
import { createHash } from 'node:crypto'
import { type ModelServer, modelServer, type Played } from '../../test/setup/model-server.ts'

/** The mean time of an answer, in milliseconds. Models take seconds. */
export const MEAN_MS = 4_000
const LONGEST_MS = 12_000

/** What it wants in its first, second and third answer: it reads the ticket, writes twice, and ends. */
const answers = (ticket_id: string) => [
  [{ tool: 'ticket.read', args: { ticket_id } }],
  [
    { tool: 'ticket.add_note', args: { ticket_id, text: 'We are on it.', visibility: 'INTERNAL' } },
    { tool: 'ticket.set_priority', args: { ticket_id, priority: 'High' } },
  ],
  [{ tool: 'run.finish', args: { message: 'Done.', resolution: 'FULL', confidence: 1 } }],
]

/** The tools that it calls in a run, beside its end. */
export const CALLS_OF_RUN = 3

/** As good as random, and the same for the same question: exponential, as waits for many others are. */
function thinkingMs(ticket_id: string, answer: number): number {
  const hash = createHash('sha256').update(`${ticket_id} ${answer}`).digest()
  const share = (hash.readUInt32BE(0) + 1) / (2 ** 32 + 1)
  return Math.min(LONGEST_MS, -Math.log(share) * MEAN_MS)
}

export const startModel = (): Promise<ModelServer> =>
  modelServer(({ messages }): Played => {
    const ticket_id = /"id":"([^"\\]+)/.exec(messages.find(({ role }) => role === 'user')?.content ?? '')?.[1]
    const answer = messages.filter(({ role }) => role === 'assistant').length
    const calls = ticket_id && answers(ticket_id)[answer]
    return calls ? { calls, after_ms: thinkingMs(ticket_id, answer) } : { status: 500 }
  })
