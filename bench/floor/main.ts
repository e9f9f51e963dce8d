/**
 * The expert floor: what somebody who knows Fastify, pg and PostgreSQL well would write by hand, to do the same work for
 * a caller. It judges the key, its scopes and its limits, checks its input, reads by statements that are planned once,
 * signs cursors, and answers in the same envelope with the same headers. Counts and sums it reads from the rows: it has
 * no rollups. It writes no log.
 */
import Fastify from 'fastify'
import { agents } from './agents.ts'
import { auditLog } from './audit-log.ts'
import { Refusal, sendRefusal } from './call.ts'
import { companyLinks } from './company-links.ts'
import { createAgent } from './create-agent.ts'
import { executions } from './executions.ts'
import { callbackFunnel } from './funnel.ts'
import { me } from './me.ts'
import { memories } from './memories.ts'
import { performanceSummary } from './performance.ts'
import { runNow } from './run-now.ts'
import { settings } from './settings.ts'

const app = Fastify()

companyLinks(app)
executions(app)
performanceSummary(app)
agents(app)
callbackFunnel(app)
auditLog(app)
memories(app)
settings(app)
createAgent(app)
runNow(app)
me(app)

app.setErrorHandler((error: Error & { validation?: unknown }, _request, reply) => {
  if (error instanceof Refusal) return sendRefusal(reply, error)
  if (error.validation) return sendRefusal(reply, new Refusal(422, 'validation_error'))
  console.error(error)
  return sendRefusal(reply, new Refusal(500, 'internal_error'))
})

console.log(await app.listen({ port: Number(process.env.PORT ?? 0), host: '127.0.0.1' }))
