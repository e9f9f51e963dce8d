/** Rate limits by address: calls without a viewer, failed credentials, lookups of unknown credentials. */
import type { AddressGuard } from '../access/credentials/credential.ts'
import type { AddressLimit } from '../access/limits/catalogue.ts'
import type { Decision } from '../access/limits/rules.ts'
import { type RateLimitStatus, rateLimited } from '../access/limits/state.ts'
import { ApiError } from '../errors/errors.ts'
import { rateLimitAddress } from '../lib/networks.ts'
import type { Call } from './call.ts'
import type { Services } from './context.ts'
import { withDeadline } from './deadline.ts'

/** The timeout of limits for an answer that needs nothing else from the database. */
const OUTAGE_MS = 500

const FAILED = 'Too many failed credentials came from this address. '

const statusOf = ({ limits }: Services, name: AddressLimit, decision: Decision): RateLimitStatus => ({
  limit: limits[name],
  scope: 'IP',
  decision,
})

/** The status of the address in the headers of a call that is not charged yet. */
export const addressStatus = (services: Services, ip: string): RateLimitStatus =>
  statusOf(
    services,
    'anonymous_ip',
    services.limiter.peek(services.limits.anonymous_ip, rateLimitAddress(ip)),
  )

/** Takes one token of an address's limit; null in an outage of the database, which changes no answer. */
async function takeIfPossible(
  services: Services,
  call: Call,
  name: AddressLimit,
): Promise<RateLimitStatus | null> {
  try {
    const taken = services.limiter.take(services.limits[name], call.address)
    const decision = taken instanceof Promise ? await withDeadline(OUTAGE_MS, taken) : taken
    const status = statusOf(services, name, decision)
    call.rates.add(status)
    return status
  } catch {
    return null
  }
}

/** Charges the call to its address, unless it is charged or free; 429 if the address has used up its limit. */
export async function chargeAddress(services: Services, call: Call): Promise<void> {
  if (call.charged) return
  call.charged = true
  const status = await takeIfPossible(services, call, 'anonymous_ip')
  if (status && !status.decision.allowed) throw rateLimited(status, services.now())
}

/** Charges a refusal to the address, unless the call is charged already. Returns the error to answer with, which may be 429. */
export async function chargeRefusal(services: Services, call: Call, error: ApiError): Promise<ApiError> {
  if (error.status === 429 || error.status >= 500) return error
  try {
    await chargeAddress(services, call)
    return error
  } catch (limited) {
    return limited instanceof ApiError ? limited : error
  }
}

/** Counts a failed credential against its address. Returns the error to answer with, which may be 429. */
export async function failedCredential(services: Services, call: Call, error: ApiError): Promise<ApiError> {
  const status = await takeIfPossible(services, call, 'failed_credentials_ip')
  return status && !status.decision.allowed ? rateLimited(status, services.now(), FAILED) : error
}

/** The guard of lookups of unknown credentials by the call's address. */
export function addressGuard(services: Services, call: Call): AddressGuard {
  const { limits, limiter, now } = services
  const take = async (name: AddressLimit): Promise<Decision> => await limiter.take(limits[name], call.address)
  return {
    async key() {
      const failed = limiter.peek(limits.failed_credentials_ip, call.address)
      if (failed.allowed || (await take('unknown_credentials_ip')).allowed) return
      const status = statusOf(services, 'failed_credentials_ip', failed)
      call.rates.add(status)
      throw rateLimited(status, now(), FAILED)
    },
    async user() {
      for (const name of ['anonymous_ip', 'unknown_credentials_ip'] as const) {
        if (!(await take(name)).allowed) continue
        call.charged = true
        return () => {
          limiter.refund(limits[name], call.address)
          call.charged = false
        }
      }
      const status = addressStatus(services, call.ip)
      call.rates.add(status)
      throw rateLimited(status, now())
    },
  }
}
