/** Posts to addresses that tenants gave, with sockets for each receiver: no repeats, no circuit, no budget. */
import { once } from 'node:events'
import type { buildConnector, Dispatcher } from 'undici'
import { isSafeAddress } from '../../lib/networks.ts'
import type { Post, PostAnswer, PostFailure } from '../posts.ts'
import { AddressRefused } from './addresses.ts'
import { createAgents } from './agents.ts'
import { codeOf, retryAfterSeconds } from './failure.ts'

interface Poster {
  post: Post
  /** Resolves once posts under way have ended. */
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
/** The time for the body after the headers. */
const BODY_MS = 1000
const EXCERPT_BYTES = 1024
const MAX_RETRY_AFTER_SECONDS = 86_400
const CONNECTIONS_PER_RECEIVER = 10

const USER_AGENT = 'Automation-Service-Webhooks/1.0'

/** Errors of the caller, not of the receiver. */
const OWN_FAULTS = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'])

const NOT_HTTP = 'The answer is not HTTP/1.1'

const MESSAGES: Readonly<Record<string, string>> = {
  UND_ERR_CONNECT_TIMEOUT: 'No connection in time',
  UND_ERR_SOCKET: 'The connection was closed before an answer',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NOT_HTTP,
  HTTPParserError: NOT_HTTP,
}

const addressRefused = (message: string): PostFailure => ({ failure: 'ADDRESS_REFUSED', message })

/** The failure of a URL to which nothing is sent; null for the others, whose addresses the connector judges. */
function refusalOf(url: URL, allow_private: boolean): PostFailure | null {
  const is_safe = isSafeAddress(url.href) && (url.protocol === 'https:' || allow_private)
  if (!is_safe) return addressRefused('The address is not https')
  return url.username || url.password ? addressRefused('The address has user information') : null
}

/** The beginning of the body: what is there when the time is over, or when the body breaks off. */
async function readExcerpt(body: Dispatcher.ResponseData['body']): Promise<string> {
  const timer = setTimeout(() => body.destroy(), BODY_MS)
  const chunks: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > EXCERPT_BYTES) break
    }
  } catch {
    // The status is known already.
  } finally {
    clearTimeout(timer)
  }
  const first = Buffer.concat(chunks).subarray(0, EXCERPT_BYTES)
  // `stream` leaves an incomplete character at the end out.
  const decoded = new TextDecoder().decode(first, { stream: bytes > EXCERPT_BYTES })
  const text = decoded.replaceAll(/[^\P{Cc}\n\t]/gu, '')
  // U+FFFD has more bytes than what it stands for.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(EXCERPT_BYTES))
  return text.slice(0, read)
}

async function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData): Promise<PostAnswer> {
  const retry_after = [headers['retry-after']].flat()[0]
  const retry_after_seconds = retryAfterSeconds(retry_after, new Date(), MAX_RETRY_AFTER_SECONDS)
  return {
    status: statusCode,
    ...(retry_after_seconds !== undefined && { retry_after_seconds }),
    excerpt: await readExcerpt(body),
  }
}

export function createPoster(connect: buildConnector.connector, allow_private: boolean): Poster {
  const agents = createAgents({ connect, connections: CONNECTIONS_PER_RECEIVER })

  const post: Post = async (receiver, address, { headers, body, ms = DEADLINE_MS }) => {
    const { tenant_id, environment, id } = receiver
    const url = URL.parse(address)
    if (!url) return addressRefused('The address is no URL')
    const refusal = refusalOf(url, allow_private)
    if (refusal) return refusal
    const late: PostFailure = { failure: 'LATE', message: `No answer within ${ms / 1000} seconds` }
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), ms)
    try {
      const request = agents.of(JSON.stringify([tenant_id, environment, id])).request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: 'POST',
        headers: {
          ...headers,
          'content-type': 'application/json',
          'accept-encoding': 'identity',
          'user-agent': USER_AGENT,
        },
        body,
        signal: deadline.signal,
      })
      // undici heeds the signal only once the request has a socket.
      const response = await Promise.race([request, once(deadline.signal, 'abort').then(() => null)])
      return response ? await answerOf(response) : late
    } catch (error) {
      if (deadline.signal.aborted) return late
      if (error instanceof AddressRefused) return addressRefused(error.message)
      const code = codeOf(error)
      if (OWN_FAULTS.has(code)) throw error
      return { failure: 'UNREACHABLE', message: MESSAGES[code] ?? `Could not be reached (${code})` }
    } finally {
      clearTimeout(timer)
    }
  }

  return { post, close: agents.close }
}
