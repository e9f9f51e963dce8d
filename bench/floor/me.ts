import type { FastifyInstance } from 'fastify'
import { standings } from './caller.ts'
import { rows } from './database.ts'
import { route } from './route.ts'

const WEEK_SECONDS = 7 * 24 * 60 * 60
const REQUESTS_A_WEEK = 5

const REQUESTS = {
  name: 'integration_requests',
  text: `select count(*)::int as used, min(created_at) as first_at from integration_request
         where tenant_id = $1 and created_at > $2`,
}

interface Requests {
  used: number
  first_at: Date | null
}

export function me(app: FastifyInstance): void {
  app.get(
    '/public-api/tenant/me',
    route(null, async (call) => {
      const { id, name, tenant_id, environment, scopes, expires_at, acting_user } = call.caller
      const now = Date.now()
      const since = new Date(now - WEEK_SECONDS * 1000)
      const [requests] = await rows<Requests>(call, REQUESTS, [tenant_id, since])
      const { used = 0, first_at = null } = requests ?? {}
      const limits = standings(call.caller).map(({ item: _item, reset_seconds, ...standing }) => ({
        ...standing,
        reset_at: new Date(now + reset_seconds * 1000),
      }))
      const own = {
        name: 'integration_requests',
        window_seconds: WEEK_SECONDS,
        limit: REQUESTS_A_WEEK,
        remaining: REQUESTS_A_WEEK - used,
        reset_at: first_at ? new Date(first_at.getTime() + WEEK_SECONDS * 1000) : new Date(now),
      }
      const { role = null, id: acting_user_id = null } = acting_user ?? {}
      const who = { principal_type: 'API_KEY', id, name, role, scopes, acting_user_id }
      return { data: { ...who, tenant_id, environment, expires_at, limits: [...limits, own] } }
    }),
  )
}
