/** End users of a white-label chat app, who present the SSO token that the chat platform gives to the app's tab. */
import { ApiError } from '../../errors/errors.ts'
import { BASE_PATH } from '../../lib/api.ts'
import type { LimitDeclaration } from '../limits/catalogue.ts'
import { bearerCredential, type CredentialKind, isCompactJws, refusedToken } from './credential.ts'

/** The route of the operation that takes such tokens. Everywhere else they are no credential. */
export const END_USER_TICKETS = '/end-user/tickets'

const END_USER_PATH = BASE_PATH + END_USER_TICKETS

/** A cheap limit before the exact one of the operation, which asks the database at every call. */
const END_USER: LimitDeclaration = {
  name: 'end_user',
  item: 'end-user',
  quota: 120,
  window_seconds: 60,
}

export const endUser: CredentialKind = {
  type: 'END_USER',
  description: 'The SSO token of an end user, in the tab of a white-label chat app.',
  security: {
    name: 'chat_tab_sso',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description:
        'The SSO token that the chat platform gives to the tab of a white-label chat app. It names the end user and ' +
        'their workplace-suite tenant.',
    },
  },
  limits: [{ limit: END_USER, scope: 'USER', counts: 'calls' }],
  errors: ['invalid_credentials', 'tenant_suspended'],
  errorsOf: () => [],
  requirement: () => null,
  refusal: () => refusedToken('invalid_credentials'),
  roleRefusal: () => new ApiError('forbidden'),
  seen_in: null,
  named_only: true,
  credential({ sql, environment, chat_issuer, jwt_max_age_seconds: max_age_seconds }) {
    if (!chat_issuer) return null
    const load = async () => {
      const { verifiedEndUser } = await import('./end-user-jwt.ts')
      return verifiedEndUser({
        ...chat_issuer,
        sql,
        environment,
        max_age_seconds,
        kind: endUser,
        keys: await chat_issuer.keys(),
      })
    }
    let loading: ReturnType<typeof load> | undefined
    const bearer = bearerCredential(isCompactJws, async (token, presented) => {
      loading ??= load()
      return await (await loading)(token, presented)
    })
    return {
      authenticate: (presented) =>
        presented.request.path === END_USER_PATH ? bearer.authenticate(presented) : null,
    }
  },
}
