/** Serves downloads at signed URLs. */

import type { CredentialOptions } from '../access/credentials/credential.ts'
import { grantedParameters, signedUrlCredential } from '../access/credentials/signed-url.ts'
import { refusal } from '../access/policies/authorize.ts'
import { methodNotAllowed } from '../errors/errors.ts'
import { admit, type Gateway } from '../gateway/admit.ts'
import type { Call } from '../gateway/call.ts'
import { type Download, takeLease } from '../gateway/download.ts'
import { commonHeaders, timingsOf } from '../gateway/response-headers.ts'
import type { Endpoint } from '../http/dispatch.ts'
import { sendChunks } from '../http/send-chunks.ts'

interface DownloadOptions extends Pick<Gateway, 'services' | 'request_timeout_ms'> {
  credential_options: CredentialOptions
  downloads: readonly Download[]
}

const METHODS = ['GET', 'OPTIONS']

/** The cost of a download in a tenant's limit. */
const DEMAND = { operations: [], writes: 0, points: 1 }

export function downloadEndpoint(options: DownloadOptions): Endpoint<Call> {
  const { services, request_timeout_ms, credential_options, downloads } = options
  const credentials = [signedUrlCredential.credential(credential_options)].flatMap(
    (credential) => credential ?? [],
  )
  const gateway: Gateway = { services, request_timeout_ms, credentials, max_response_bytes: null }
  const byPath = new Map(downloads.map((download) => [download.path, download]))

  return {
    name: 'downloads',
    has: (path) => byPath.has(path),
    allowed: () => METHODS,
    async handle({ request, res, call }) {
      const download = byPath.get(request.path)
      if (!download || request.method !== 'GET') throw methodNotAllowed(METHODS)
      call.operation = download.name
      const ctx = await admit(gateway, call, DEMAND)
      const refused = refusal(download.access, ctx.viewer)
      if (refused) throw refused
      const lease = await takeLease(ctx)
      try {
        const { content_type, file_name, chunks } = download.open(ctx, grantedParameters(request.query))
        const headers = () => ({
          ...commonHeaders(call, timingsOf(call)),
          'Content-Type': content_type,
          'Content-Disposition': `attachment; filename="${file_name}"`,
        })
        await sendChunks(res, headers, lease.during(chunks))
      } finally {
        await lease.release()
      }
    },
  }
}
