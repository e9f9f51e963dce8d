/** Calls of operations through either interface, with the same arguments and the same form of answer. */
import { type DocumentNode, print } from 'graphql'
import { afterEach, beforeAll, describe } from 'vitest'
import type { Schemas } from '../../src/composition/schemas.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { BASE_PATH } from '../../src/lib/api.ts'
import { BODY, locationOf } from '../../src/rest/bind.ts'
import { toPartsOf } from '../../src/rest/envelope.ts'
import { deriveRoutes, type SofaRoute } from '../../src/rest/sofa.ts'
import { builtSchemas, clock, testApp } from './app.ts'
import { checkResponse, detailsProblems } from './openapi.ts'
import type { Caller } from './world.ts'

/** The answer of an operation, in the same form for both interfaces. */
export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read any operation's data
  data: any
  pagination: { next_cursor: string | null; has_more: boolean } | undefined
  warnings: string[]
  etag: string | null
  error: {
    code: string
    message: string
    details: Record<string, unknown> & { field_errors?: FieldError[] }
  } | null
  headers: Headers
}

interface FieldError {
  field: string
  location: string
  code: string
  message: string
  depth?: number
}

export type Arguments = Record<string, unknown>

export interface Api {
  name: 'graphql' | 'rest'
  call(
    caller: Caller | null,
    operation: string,
    args?: Arguments,
    headers?: Record<string, string>,
  ): Promise<Answer>
}

/** False for an operation that no API key and no user may call. */
export const isForCallers = ({ access }: Pick<Operation, 'access'>): boolean =>
  access.kind !== 'only' && access.kind !== 'signed'

type BaseUrl = () => Promise<string>

let built: Promise<Schemas & { routes: SofaRoute[]; documents: Map<string, DocumentNode> }> | undefined

/** The schemas, the routes that SOFA has, and the derived GraphQL document of every operation. */
export const published = () => {
  built ??= (async () => {
    const schemas = builtSchemas()
    const routes = await deriveRoutes(schemas.rest_view, schemas.operations)
    return { ...schemas, routes, documents: new Map(routes.map(({ name, document }) => [name, document])) }
  })()
  return built
}

const texts = new Map<string, string>()

/** The text of the derived document of an operation, printed once. */
async function textOf(name: string): Promise<string> {
  const known = texts.get(name)
  if (known !== undefined) return known
  const document = (await published()).documents.get(name)
  if (!document) throw new Error(`${name} has no document`)
  const text = print(document)
  texts.set(name, text)
  return text
}

async function operationNamed(name: string): Promise<Operation> {
  const operation = (await published()).operations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  return operation
}

const bearer = (caller: Caller | null): Record<string, string> =>
  caller ? { authorization: `Bearer ${caller.token}` } : {}

/** The REST URL and body for the arguments. */
export function restRequest(operation: Operation, args: Arguments): { url: string; body: string | null } {
  let path = operation.rest.path
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(args)) {
    const location = locationOf(operation, name)
    if (location === 'path')
      path = path.replace(`{${name}}`, encodeURIComponent(String(value).toWellFormed()))
    else if (location === 'query' && value !== undefined) {
      for (const item of Array.isArray(value) ? value : [value]) query.append(name, String(item))
    }
  }
  const search = query.size > 0 ? `?${query}` : ''
  return { url: `${BASE_PATH}${path}${search}`, body: BODY in args ? JSON.stringify(args[BODY]) : null }
}

const restAt = (baseUrl: BaseUrl): Api => ({
  name: 'rest',
  async call(caller, name, args = {}, headers = {}) {
    const operation = await operationNamed(name)
    const { url, body } = restRequest(operation, args)
    const type = body === null ? {} : { 'content-type': 'application/json' }
    const response = await fetch((await baseUrl()) + url, {
      method: operation.rest.method,
      headers: { ...bearer(caller), ...type, ...headers },
      body,
    })
    const text = await response.text()
    const answer = text === '' ? {} : JSON.parse(text)
    checkResponse(name, { status: response.status, headers: response.headers, body: answer })
    return {
      status: response.status,
      data: answer.data,
      pagination: answer.meta?.pagination,
      warnings: answer.meta?.warnings ?? [],
      etag: response.headers.get('etag'),
      error: answer.error ?? null,
      headers: response.headers,
    }
  },
})

const graphqlAt = (baseUrl: BaseUrl): Api => ({
  name: 'graphql',
  async call(caller, name, args = {}, headers = {}) {
    const operation = await operationNamed(name)
    const response = await fetch(`${await baseUrl()}/graphql`, {
      method: 'POST',
      headers: { ...bearer(caller), 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: await textOf(name), variables: args }),
    })
    const { data, errors, extensions } = await response.json()
    const [error] = errors ?? []
    const problems = error ? detailsProblems(error.extensions) : []
    if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`)
    const value = data?.[name]
    const parts = error ? { data: undefined } : toPartsOf(operation.field.type)(value)
    return {
      status: error?.extensions.status ?? response.status,
      data: parts.data,
      pagination: 'pagination' in parts ? (parts.pagination as Answer['pagination']) : undefined,
      warnings: extensions?.warnings ?? [],
      etag: extensions?.etags?.[name] ?? null,
      error: error
        ? { code: error.extensions.code, message: error.message, details: error.extensions.details }
        : null,
      headers: response.headers,
    }
  },
})

/** The status and the error code of an answer. */
export const outcome = ({ status, error }: Answer) => [status, error?.code]

/** Every page of a list, from the first on; `read` is given the cursor of all but the first. */
export async function walk(read: (cursor: { cursor?: string }) => Promise<Answer>): Promise<Answer[]> {
  const pages: Answer[] = []
  let cursor: string | null | undefined
  do {
    const page: Answer = await read(cursor ? { cursor } : {})
    pages.push(page)
    cursor = page.pagination?.next_cursor
  } while (cursor)
  return pages
}

/** Both interfaces of the service at that address. */
export const apisAt = (baseUrl: BaseUrl): readonly Api[] => [graphqlAt(baseUrl), restAt(baseUrl)]

/** Both interfaces, for tests that loop over them. */
export const apis = apisAt(async () => (await testApp()).base)

/** REST, for tests of what lies below the interfaces. */
export const rest = apis.find(({ name }) => name === 'rest') as Api

/**
 * Runs the same tests through GraphQL and through REST. The difference between the two lies above the database: on
 * PostgreSQL, where tests look for the difference between databases, REST is enough.
 */
export function describeApi(subject: string, tests: (api: Api) => void): void {
  const through = process.env.DATABASE_URL ? [rest] : apis
  describe.each(through)(`${subject} ($name)`, (api) => {
    beforeAll(async () => {
      await testApp()
    })
    afterEach(() => clock.reset())
    tests(api)
  })
}
