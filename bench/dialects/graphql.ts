/** This service over GraphQL. Variables have the types that its published schema gives the arguments. */
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import type { Question, Read } from '../questions.ts'
import { type Dialect, keyOf, settled } from './dialect.ts'
import { AGENT, EXECUTION, LATEST, LINK, only, post, SETTINGS, SUMMARY } from './documents.ts'

interface Operation {
  field: string
  arguments: readonly string[]
  selection: string
}

const update: Operation = { field: 'update_settings', arguments: ['input'], selection: SETTINGS }

const OPERATIONS: Record<Read, Operation> = {
  R1: {
    field: 'company_links',
    arguments: ['system', 'search', 'page_size', 'cursor'],
    selection: `links { ${LINK} needs_review } counts { total mapped unmapped } pagination { next_cursor has_more }`,
  },
  R2: { field: 'execution', arguments: ['execution_id'], selection: EXECUTION },
  R3: { field: 'performance_summary', arguments: ['from', 'to'], selection: SUMMARY },
  R4: {
    field: 'agents',
    arguments: ['page_size', 'cursor'],
    selection: `items { id ${AGENT} executions(page_size: 5) { items { ${LATEST} } pagination { has_more } } }
      pagination { next_cursor has_more }`,
  },
  W1: update,
  W2: update,
  key: {
    field: 'me',
    arguments: [],
    selection: `principal_type id name role scopes acting_user_id tenant_id environment expires_at
      limits { name limit window_seconds remaining reset_at }`,
  },
}

function documentOf(root: GraphQLObjectType, operation: Operation): string {
  const { field, selection } = operation
  const declared = root.getFields()[field]
  if (!declared) throw new Error(`The schema has no ${root.name}.${field}`)
  const variables = operation.arguments.map((name) => {
    const argument = declared.args.find((one) => one.name === name)
    if (!argument) throw new Error(`${field} has no argument ${name}`)
    return `$${name}: ${argument.type}`
  })
  const all = (items: readonly string[]) => (items.length === 0 ? '' : `(${items.join(', ')})`)
  const given = all(operation.arguments.map((name) => `${name}: $${name}`))
  return `${root.name.toLowerCase()} Bench${all(variables)} { ${field}${given} { ${selection} } }`
}

function variablesOf(question: Question, cursor: string | null): object {
  switch (question.read) {
    case 'R1': {
      const { system, page_size, search } = question
      return { system, page_size, search, cursor }
    }
    case 'R2':
      return { execution_id: question.execution_id }
    case 'R3':
      return { from: question.from, to: question.to }
    case 'R4':
      return { page_size: question.page_size, cursor }
    case 'W1':
    case 'W2':
      return { input: { sleep_before_callback_processing_seconds: question.sleep_seconds } }
    case 'key':
      return {}
  }
}

interface Paged {
  next_cursor: string | null
}

export function graphqlOf(schema: GraphQLSchema): Dialect {
  const [query, mutation] = [schema.getQueryType(), schema.getMutationType()]
  if (!query || !mutation) throw new Error('The schema has no queries, or no mutations')
  const documents = Object.fromEntries(
    Object.entries(OPERATIONS).map(([read, operation]) => [
      read,
      documentOf(operation === update ? mutation : query, operation),
    ]),
  ) as Record<Read, string>
  return {
    request: (question, after) => ({
      ...post(keyOf(question), documents[question.read], variablesOf(question, after)),
      idempotent: question.read === 'W2',
    }),
    answer(read, body) {
      const { pagination, ...data } = only(body) as { pagination?: Paged; items?: unknown }
      if (read === 'key') return { data: settled(data), next_cursor: null }
      return { data: read === 'R4' ? data.items : data, next_cursor: pagination?.next_cursor ?? null }
    },
  }
}
