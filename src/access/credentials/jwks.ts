/** JSON Web Key Sets: the keys that verify an issuer's tokens. */
import {
  createLocalJWKSet,
  errors,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWTVerifyGetKey,
} from 'jose'
import { unavailable } from '../../errors/errors.ts'
import { isSafeAddress } from '../../lib/networks.ts'

interface RemoteKeysOptions {
  /** The age at which a newer set is fetched in the background. */
  cache_seconds?: number
  /** The age up to which a set is used while no newer one can be fetched. */
  stale_seconds?: number
  /** The least time between two fetches for a key that the set lacks. */
  cooldown_seconds?: number
  /** The least time between a fetch that failed and the next. */
  retry_seconds?: number
  timeout_seconds?: number
  max_bytes?: number
  /** Monotonic milliseconds. */
  elapsed?: () => number
}

const SIGNING_KEY_TYPES = ['RSA', 'EC']

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

async function isUsable(jwk: unknown): Promise<boolean> {
  const { kty, use = 'sig', alg } = (jwk ?? {}) as JWK
  if (!SIGNING_KEY_TYPES.includes(kty ?? '') || use !== 'sig') return false
  try {
    await importJWK(jwk as JWK, alg ?? (kty === 'RSA' ? 'RS256' : 'ES256'))
    return true
  } catch {
    return false
  }
}

/** The keys of the set that can verify signatures; an error if there are none. */
async function usableKeys(set: unknown): Promise<JWK[]> {
  const { keys } = (set ?? {}) as Partial<JSONWebKeySet>
  const listed = Array.isArray(keys) ? keys : []
  const usable = await Promise.all(listed.map(isUsable))
  const found = listed.filter((_, place) => usable[place])
  if (found.length === 0) throw new Error('The key set has no key that can be used')
  return found
}

/** One key that never changes. */
export const fixedKeys = (publicJwk: JWK): JWTVerifyGetKey => createLocalJWKSet({ keys: [publicJwk] })

/**
 * The key set at a URL, fetched by one request at a time. An old set goes on being used while a newer one is fetched
 * in the background, and for a day if none can be fetched. Only a token whose key the set lacks waits for a fetch;
 * if that fetch fails the token cannot be judged, which is 503 `service_unavailable`.
 */
export function remoteKeys(address: string, options: RemoteKeysOptions = {}): JWTVerifyGetKey {
  const { cache_seconds = 600, stale_seconds = 86_400, cooldown_seconds = 1, retry_seconds = 5 } = options
  const { timeout_seconds = 5, max_bytes = 262_144, elapsed = () => performance.now() } = options
  if (!isSafeAddress(address)) throw new Error(`The key set must be at an https address: ${address}`)
  let latest: { keys: JWTVerifyGetKey; fetched_at: number } | null = null
  let failure: { error: unknown; at: number } | null = null
  let fetching: Promise<void> | null = null

  const secondsSince = (at: number): number => (elapsed() - at) / 1000

  async function fetchSet(): Promise<void> {
    try {
      const response = await fetch(address, {
        headers: { Accept: 'application/jwk-set+json, application/json' },
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout_seconds * 1000),
      })
      if (response.status !== 200) {
        await response.body?.cancel()
        throw new Error(`The key set answered ${response.status}`)
      }
      const keys = await usableKeys(await readCapped(response, max_bytes))
      latest = { keys: createLocalJWKSet({ keys }), fetched_at: elapsed() }
      failure = null
    } catch (error) {
      failure = { error, at: elapsed() }
      throw error
    }
  }

  /** Joins the fetch that is under way, or starts one; rejects if the last one failed a moment ago. */
  function refresh(): Promise<void> {
    if (!fetching && failure && secondsSince(failure.at) < retry_seconds) return Promise.reject(failure.error)
    fetching ??= fetchSet().finally(() => {
      fetching = null
    })
    return fetching
  }

  const refreshOrFail = async (): Promise<void> => {
    try {
      await refresh()
    } catch (error) {
      throw unavailable(retry_seconds, error)
    }
  }

  return async (header, token) => {
    const age = latest ? secondsSince(latest.fetched_at) : Number.POSITIVE_INFINITY
    if (age >= stale_seconds) await refreshOrFail()
    else if (age >= cache_seconds) refresh().catch(() => {})
    const current = latest as NonNullable<typeof latest>
    try {
      return await current.keys(header, token)
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
      const isNew = !failure && secondsSince(current.fetched_at) < cooldown_seconds
      if (isNew) throw error
      await refreshOrFail()
      return await (latest as NonNullable<typeof latest>).keys(header, token)
    }
  }
}
