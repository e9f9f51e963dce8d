/**
 * The floor: what somebody would write by hand, on Fastify and pg, to do the same work for a caller. It judges the
 * key, its scopes and its limits, checks its input, reads by prepared statements in one round trip for each need,
 * signs cursors, and answers in the same envelope with the same headers. It writes no log.
 */
import Fastify from 'fastify'
import { agents } from './agents.ts'
import { Refusal, sendRefusal } from './call.ts'
import { companyLinks } from './company-links.ts'
import { executions } from './executions.ts'
import { performanceSummary } from './performance.ts'
import { route } from './route.ts'
import { settings } from './settings.ts'

const app = Fastify()

companyLinks(app)
executions(app)
performanceSummary(app)
agents(app)
settings(app)

app.get(
  '/public-api/tenant/me',
  route(null, async ({ caller }) => {
    const { id, name, tenant_id, environment, scopes, expires_at, acting_user } = caller
    const { role = null, id: acting_user_id = null } = acting_user ?? {}
    const who = { principal_type: 'API_KEY', id, name, role, scopes, acting_user_id }
    return { data: { ...who, tenant_id, environment, expires_at } }
  }),
)

app.setErrorHandler((error: Error & { validation?: unknown }, _request, reply) => {
  if (error instanceof Refusal) return sendRefusal(reply, error)
  if (error.validation) return sendRefusal(reply, new Refusal(422, 'validation_error'))
  console.error(error)
  return sendRefusal(reply, new Refusal(500, 'internal_error'))
})

console.log(await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' }))
