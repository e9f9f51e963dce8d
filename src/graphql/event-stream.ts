/** Streams in the form of GraphQL over SSE, in its mode of one connection for each operation. */
import type { ServerResponse } from 'node:http'
import { sendChunks } from '../http/send-chunks.ts'
import type { StreamPart } from './subscription.ts'

const KEEP_ALIVE_MS = 12_000
const KEEP_ALIVE = ':\n\n'

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer answers would keep updates back.
  'X-Accel-Buffering': 'no',
}

/**
 * The part in the form of event streams. A client that knows the id of its last update goes on from there once the
 * connection has ended, unless it was told `complete`. Comments are for people: no client takes them for results.
 */
function textOf(part: StreamPart): string {
  switch (part.part) {
    case 'BEGINNING':
      return `id: ${part.id}\n\n`
    case 'RESULT':
      return `id: ${part.id}\nevent: next\ndata: ${part.text}\n\n`
    case 'INTERRUPTION':
      return `: ${part.text}\n\n`
    case 'COMPLETION':
      return 'event: complete\ndata:\n\n'
  }
}

/** Sends the stream until it ends or the client goes. */
export async function sendStream(
  res: ServerResponse,
  headers: Record<string, string>,
  parts: AsyncIterable<StreamPart>,
): Promise<void> {
  let beginning: Record<string, string> = {}
  async function* chunks(): AsyncGenerator<string> {
    for await (const part of parts) {
      if (part.part === 'BEGINNING') beginning = { 'Last-Event-ID': part.id }
      yield textOf(part)
    }
  }
  const keepAlive = setInterval(() => {
    if (res.headersSent && res.writableLength === 0 && !res.writableEnded) res.write(KEEP_ALIVE)
  }, KEEP_ALIVE_MS)
  try {
    await sendChunks(res, () => ({ ...headers, ...HEADERS, ...beginning }), chunks())
  } finally {
    clearInterval(keepAlive)
  }
}
