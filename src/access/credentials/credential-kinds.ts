/** The list of all kinds of credentials. */

import { type Limits, readLimits } from '../limits/catalogue.ts'
import type { ViewerKind } from '../viewer.ts'
import { apiKey } from './api-key.ts'
import type { CredentialKind } from './credential.ts'
import { dashboardUser } from './dashboard-user.ts'
import { endUser } from './end-user.ts'
import { feedbackLink } from './feedback-link.ts'

// The address of a feedback link is its credential, whatever headers come with it.
// An end user's token has the form of a dashboard user's, and is asked for first if it is taken.
export const CREDENTIAL_KINDS: readonly CredentialKind[] = [feedbackLink, apiKey, endUser, dashboardUser]

/** The limits by address and those of the kinds, with the quotas of `LIMITS`; an Error names every problem. */
export const limitsFor = (kinds: readonly ViewerKind[], override?: string): Limits =>
  readLimits(
    override,
    kinds.flatMap(({ limits }) => limits.map(({ limit }) => limit)),
  )
