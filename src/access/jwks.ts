/** The keys by which an issuer's tokens are verified. */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { unavailable } from '../errors.ts'
import { isSafeAddress } from './networks.ts'

interface RemoteKeysOptions {
  /** How long a fetched set is used before it is fetched again. */
  cache_seconds?: number
  /** How long a set goes on being used while no newer one can be fetched. */
  stale_seconds?: number
  /** The least time between two fetches for a key that the set lacks. */
  cooldown_seconds?: number
  /** The least time between a fetch that failed and the next. */
  retry_seconds?: number
  timeout_seconds?: number
  max_bytes?: number
}

/** What says that the token is at fault, not the fetch. */
const ABOUT_THE_TOKEN = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]

/** The body as JSON; an error beyond `max` bytes. */
async function readCapped(response: Response, max: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  // The types of the DOM do not know that Node's streams can be iterated.
  for await (const chunk of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > max) throw new Error(`The key set is larger than ${max} bytes`)
    chunks.push(chunk)
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** One key that never changes. */
export const fixedKeys = (publicJwk: JWK): JWTVerifyGetKey => createLocalJWKSet({ keys: [publicJwk] })

/**
 * The key set at a URL. A key it lacks is looked for again; an outage goes on with the latest set, for a day. A
 * token that cannot be judged is 503 `service_unavailable`.
 */
export function remoteKeys(address: string, options: RemoteKeysOptions = {}): JWTVerifyGetKey {
  const { cache_seconds = 600, stale_seconds = 86_400, cooldown_seconds = 1, retry_seconds = 5 } = options
  const { timeout_seconds = 5, max_bytes = 262_144 } = options
  const url = new URL(address)
  if (!isSafeAddress(address)) throw new Error(`The key set must be at an https address: ${address}`)
  let latest: { keys: JWTVerifyGetKey; fetched_at: number } | null = null
  let failure: { error: unknown; at: number } | null = null

  const fetchSet = async (href: string, init: RequestInit): Promise<Response> => {
    if (failure && performance.now() - failure.at < retry_seconds * 1000) throw failure.error
    try {
      const response = await fetch(href, init)
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`The key set answered ${response.status}`)
      }
      const set = await readCapped(response, max_bytes)
      latest = { keys: createLocalJWKSet(set as JSONWebKeySet), fetched_at: performance.now() }
      failure = null
      return Response.json(set)
    } catch (error) {
      failure = { error, at: performance.now() }
      throw error
    }
  }

  const remote = createRemoteJWKSet(url, {
    [customFetch]: fetchSet,
    cacheMaxAge: cache_seconds * 1000,
    cooldownDuration: cooldown_seconds * 1000,
    timeoutDuration: timeout_seconds * 1000,
  })

  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      if (ABOUT_THE_TOKEN.some((kind) => error instanceof kind)) throw error
      const usable = latest && performance.now() - latest.fetched_at < stale_seconds * 1000
      if (!latest || !usable) throw unavailable(retry_seconds, error)
      try {
        return await latest.keys(header, token)
      } catch {
        throw unavailable(retry_seconds, error)
      }
    }
  }
}
