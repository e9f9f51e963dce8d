/** Calls every operation over REST, on a demo of its own whose clock stands still. */

import { newSecret } from '../../src/access/api-key-secret.ts'
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../../src/access/demo.ts'
import type { Database } from '../../src/db/database.ts'
import { demoContacts } from '../../src/demo/people.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { JOBS } from '../../src/jobs.ts'
import { BODY } from '../../src/rest/bind.ts'
import type { Example, Examples } from '../../src/rest/openapi/examples.ts'
import { type Arguments, restRequest } from '../setup/api.ts'
import { KEY_PEPPER, signTabToken, signToken, startApp } from '../setup/app.ts'
import { cloneDatabase } from '../setup/database.ts'
import { checkResponse } from '../setup/openapi.ts'
import { type Calls, resolved, rowsOf } from './call.ts'
import { READS } from './reads.ts'
import { shown } from './shown.ts'
import { KINDS, WRITES } from './writes.ts'

const NOW = new Date('2026-11-20T09:30:00Z')
const environment = 'dev'
const demo_api_key = newSecret(environment, (size) => Buffer.alloc(size, 1))

const single = (calls: Calls): Record<string, Calls> =>
  Object.fromEntries(Object.entries(calls).map(([operation, args]) => [operation, { default: args }]))

/** The calls of every operation by the names of their examples, in the order in which they are made. */
export const CALLS: Readonly<Record<string, Calls>> = { ...single(READS), ...KINDS, ...single(WRITES) }

/** An SSO token of somebody with an open ticket, as the tab of a chat app gets it. */
async function tabToken({ prisma }: Database): Promise<string> {
  const open = await prisma.psaTicket.findMany({ where: { closed_at: null } })
  const askers = new Set(open.map(({ contact_id }) => contact_id))
  const contact = demoContacts().find(
    ({ contact_id, workplace_tenant_id }) => workplace_tenant_id !== null && askers.has(contact_id),
  )
  const { workplace_tenant_id: tid, workplace_user_id: oid, email, name } = contact ?? {}
  if (!tid || !oid) throw new Error('The demo has no open ticket of anybody whose workplace suite is known')
  return await signTabToken({ tid, oid, preferred_username: email, name })
}

/** Requests to technicians are decided by one of them, which the demo's owner is not. */
const DECISIONS = ['approve_til_request', 'reject_til_request', 'answer_til_request']

/** The owner calls everything, but for decisions, the operation of end users, and the one that says what a key may do. */
async function tokens(database: Database): Promise<(operation: Operation) => string> {
  const tokenOf = (sub: string) => signToken({ sub, tenant_id: DEMO_TENANT_ID, environment })
  const [owner, admin] = [await tokenOf(DEMO_SUBJECTS.OWNER), await tokenOf(DEMO_SUBJECTS.ADMIN)]
  const end_user = await tabToken(database)
  return ({ name, access }) => {
    if (access.kind === 'only') return end_user
    if (DECISIONS.includes(name)) return admin
    return name === 'me' ? demo_api_key : owner
  }
}

/** The examples of the operations. Throws where a call is not answered with 200, and as the document says. */
export async function recordExamples(operations: readonly Operation[]): Promise<Examples> {
  const database = await cloneDatabase()
  // A busy machine could let the true one last so long that the health is another.
  const prompt = { ...database, ping: async () => {} }
  const { app, base } = await startApp(prompt, { ENVIRONMENT: environment, LIMITS: '' }, undefined, {
    now: () => NOW,
    elapsed: () => 0,
  })
  const answered = new Map<string, ReturnType<typeof rowsOf>>()
  const known: string[] = []

  async function exampleOf(operation: Operation, given: Arguments, token: string): Promise<Example> {
    const { name, rest, kind } = operation
    const args = resolved(given, answered)
    const { url, body } = restRequest(operation, args)
    const type = body === null ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const response = await fetch(base + url, { method: rest.method, headers, body })
    const answer = await response.json()
    if (response.status !== 200) throw new Error(`${name} was answered: ${JSON.stringify(answer.error)}`)
    checkResponse(name, { status: response.status, headers: response.headers, body: answer })
    if (!answered.has(name)) answered.set(name, rowsOf(answer))
    const { [BODY]: sent, ...parameters } = args
    // The answers of queries are those of the demo, whose ids are the same each time.
    if (kind === 'query') known.push(JSON.stringify(answer))
    return shown(
      {
        ...(Object.keys(parameters).length > 0 && { parameters }),
        ...(sent !== undefined && { body: sent }),
        answer,
      },
      [...known, JSON.stringify(given)].join(),
    )
  }

  try {
    await installJobs(database, environment, JOBS)
    await seedDemo(database, { now: NOW, environment, demo_api_key, key_pepper: KEY_PEPPER })
    const tokenOf = await tokens(database)
    const examples: Record<string, Record<string, Example>> = {}
    for (const [name, calls] of Object.entries(CALLS)) {
      const operation = operations.find((candidate) => candidate.name === name)
      if (!operation) throw new Error(`There is no operation ${name}`)
      const own: Record<string, Example> = {}
      for (const [kind, args] of Object.entries(calls)) {
        own[kind] = await exampleOf(operation, args, tokenOf(operation))
      }
      examples[name] = own
    }
    return Object.fromEntries(Object.entries(examples).sort(([one], [other]) => (one < other ? -1 : 1)))
  } finally {
    await app.close(0)
    await database.close()
  }
}
