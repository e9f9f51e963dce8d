/** What every route has in common. */
import { randomUUID } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Scope } from '../../src/access/policies/scopes.ts'
import { type Answer, type Call, sendData } from './call.ts'
import { authenticate, charge } from './caller.ts'

type Work<Request> = (call: Call, request: Request, reply: FastifyReply) => Promise<Answer>

/** Judges who calls, counts it, does the work and answers. */
export function route<Request extends FastifyRequest>(scope: Scope | null, work: Work<Request>) {
  return async (request: Request, reply: FastifyReply): Promise<FastifyReply> => {
    const started = performance.now()
    const id = randomUUID()
    const user_agent = request.headers['user-agent'] ?? null
    const call = { id, ip: request.ip, user_agent, started, auth_ms: 0, db_ms: 0 } as Call
    call.caller = await authenticate(request, call, scope)
    call.auth_ms = performance.now() - started
    call.standings = charge(call.caller, { writes: request.method !== 'GET', runs: scope === 'agents:run' })
    return sendData(reply, call, await work(call, request, reply))
  }
}
