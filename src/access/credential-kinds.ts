/** The list of all kinds of credentials. */
import { apiKey } from './api-key.ts'
import type { CredentialKind } from './credential.ts'
import { dashboardUser } from './dashboard-user.ts'
import { type Limits, readLimits } from './limits/catalogue.ts'
import type { ViewerKind } from './viewer.ts'

export const CREDENTIAL_KINDS: readonly CredentialKind[] = [apiKey, dashboardUser]

/** The limits by address and those of the kinds, with the quotas of `LIMITS`; an Error names every problem. */
export const limitsFor = (kinds: readonly ViewerKind[], override?: string): Limits =>
  readLimits(
    override,
    kinds.flatMap(({ limits }) => limits.map(({ limit }) => limit)),
  )
