/** Streams in the form of GraphQL over SSE, in its mode of one connection for each operation. */
import type { ServerResponse } from 'node:http'
import { sendChunks } from '../http/send-chunks.ts'
import type { StreamedResult } from './subscription.ts'

const KEEP_ALIVE_MS = 12_000
const COMMENT = ':\n\n'
const COMPLETE = 'event: complete\ndata:\n\n'

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer answers would keep updates back.
  'X-Accel-Buffering': 'no',
}

const message = ({ id, text }: StreamedResult): string =>
  `${id === null ? '' : `id: ${id}\n`}event: next\ndata: ${text}\n\n`

/** The text of the stream. Some browsers show nothing of an answer before its first bytes. */
async function* chunksOf(results: AsyncIterable<StreamedResult>): AsyncGenerator<string> {
  yield COMMENT
  for await (const result of results) yield message(result)
  yield COMPLETE
}

/** Sends the stream until it ends or the client goes. */
export async function sendStream(
  res: ServerResponse,
  headers: Record<string, string>,
  results: AsyncIterable<StreamedResult>,
): Promise<void> {
  const keepAlive = setInterval(() => {
    if (res.headersSent && res.writableLength === 0 && !res.writableEnded) res.write(COMMENT)
  }, KEEP_ALIVE_MS)
  try {
    await sendChunks(res, () => ({ ...headers, ...HEADERS }), chunksOf(results))
  } finally {
    clearInterval(keepAlive)
  }
}
