/** Sends answers while they are made. */
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const isClientGone = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'

/**
 * Sends the chunks as the client takes them. The first is made before the head is sent, so that what fails at once can
 * be answered; a later failure cuts the connection, so that no client takes a part for the whole.
 */
export async function sendChunks(
  res: ServerResponse,
  headersOf: () => Record<string, string>,
  chunks: AsyncIterable<string>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const first = await iterator.next()
  async function* all() {
    if (!first.done) yield first.value
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  if (res.destroyed) return void (await iterator.return?.())
  res.writeHead(200, headersOf())
  try {
    await pipeline(Readable.from(all()), res)
  } catch (error) {
    if (!isClientGone(error)) throw error
  }
}
