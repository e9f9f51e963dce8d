/** The tokens of the double: of the client itself, and of a user by a refresh token. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type DoubleAnswer, type DoubleRequest, Refusal } from '../vendor.ts'

export const SETTINGS = { client_id: 'client-1', client_secret: 'secret-1' }
export const REFRESH_TOKEN = 'refresh-1'

export interface SignInOptions {
  /** Seconds for which tokens are good. */
  token_seconds?: number
  /** True: each use of a refresh token replaces it, and the one before is refused. */
  rotates?: boolean
  /** Milliseconds after which a refresh token is judged. */
  refresh_ms?: number
}

type TokenCaller = 'CLIENT' | 'USER'

export function createSignIn({ token_seconds = 3600, rotates = false, refresh_ms = 0 }: SignInOptions) {
  const tokens = new Map<string, TokenCaller>()
  let issued = 0
  let refresh_token = REFRESH_TOKEN
  let refreshed = 0
  let of_user: TokenCaller = 'USER'

  function answer(caller: TokenCaller, scope: string, more: object = {}): DoubleAnswer {
    const access_token = `token-${++issued}`
    tokens.set(access_token, caller)
    const body = { access_token, token_type: 'Bearer', expires_in: token_seconds, scope, ...more }
    return { status: 200, body }
  }

  function checkClient({ client_id, client_secret }: Readonly<Record<string, string>>): void {
    if (client_id !== SETTINGS.client_id || client_secret !== SETTINGS.client_secret)
      throw new Refusal(401, 'invalid_client', { is_expected: true })
  }

  async function ofUser(form: Readonly<Record<string, string>>): Promise<DoubleAnswer> {
    await sleep(refresh_ms)
    if (form.refresh_token !== refresh_token) throw new Refusal(400, 'invalid_grant', { is_expected: true })
    refreshed++
    if (rotates) refresh_token = `refresh-${refreshed + 1}`
    return answer(of_user, 'monitoring management', rotates ? { refresh_token } : {})
  }

  return {
    async token({ method, headers, text }: DoubleRequest): Promise<DoubleAnswer> {
      if (method !== 'POST' || headers['content-type'] !== 'application/x-www-form-urlencoded')
        throw new Refusal(400, 'no form')
      const form = Object.fromEntries(new URLSearchParams(text))
      const names = Object.keys(form).sort().join()
      checkClient(form)
      if (form.grant_type === 'refresh_token' && names === 'client_id,client_secret,grant_type,refresh_token')
        return await ofUser(form)
      if (form.grant_type === 'client_credentials' && names === 'client_id,client_secret,grant_type,scope')
        if (form.scope === 'monitoring') return answer('CLIENT', 'monitoring')
      throw new Refusal(400, 'invalid_request')
    },
    /** The caller of a request by its header. */
    callerOf(authorization: string | undefined): TokenCaller {
      const caller = tokens.get(authorization?.replace('Bearer ', '') ?? '')
      if (!caller) throw new Refusal(401, 'Unauthorized', { is_expected: true })
      return caller
    },
    /** Ends every token before its time. */
    expireTokens: (): void => tokens.clear(),
    /** Refuses the refresh token from now on. */
    revokeUser(): void {
      refresh_token = ''
    },
    /** The caller that tokens for a refresh token stand for from now on. */
    answerAs(caller: TokenCaller): void {
      of_user = caller
    },
    issued: () => issued,
    /** The number of tokens that were issued for a refresh token. */
    refreshed: () => refreshed,
    /** The refresh token that is good now. */
    refreshToken: () => refresh_token,
  }
}
