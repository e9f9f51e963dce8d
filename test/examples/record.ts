/** Calls every operation over REST, on a demo of its own whose clock stands still. */
import type { Operation } from '../../src/gateway/operation.ts'
import { BODY } from '../../src/rest/bind.ts'
import type { Example, Examples } from '../../src/rest/openapi/examples.ts'
import { type Arguments, restRequest } from '../setup/api.ts'
import { checkResponse } from '../setup/openapi.ts'
import { resolved, rowsOf } from '../setup/suites/calls.ts'
import { CALLS } from './calls.ts'
import { startDemo } from './demo.ts'
import { shown } from './shown.ts'

/** The examples of the operations. Throws if a call is not answered with 200, and as the document says. */
export async function recordExamples(operations: readonly Operation[]): Promise<Examples> {
  const demo = await startDemo({ LIMITS: '' })
  const answered = new Map<string, ReturnType<typeof rowsOf>>()
  const known: string[] = []

  async function exampleOf(operation: Operation, given: Arguments, token: string): Promise<Example> {
    const { name, rest, kind } = operation
    const args = resolved(given, answered)
    const { url, body } = restRequest(operation, args)
    const type = body === null ? {} : { 'content-type': 'application/json' }
    const headers = { authorization: `Bearer ${token}`, ...type }
    const response = await fetch(demo.base + url, { method: rest.method, headers, body })
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
    const examples: Record<string, Record<string, Example>> = {}
    for (const [name, calls] of Object.entries(CALLS)) {
      const operation = operations.find((candidate) => candidate.name === name)
      if (!operation) throw new Error(`There is no operation ${name}`)
      const own: Record<string, Example> = {}
      for (const [kind, args] of Object.entries(calls)) {
        own[kind] = await exampleOf(operation, args, demo.tokenOf(operation))
      }
      examples[name] = own
    }
    return Object.fromEntries(Object.entries(examples).sort(([one], [other]) => (one < other ? -1 : 1)))
  } finally {
    await demo.close()
  }
}
