/** This service over GraphQL. Variables have the types that its published schema gives the arguments. */
import type { GraphQLObjectType, GraphQLSchema } from 'graphql'
import { nextTicket, type Question, type Read } from '../questions.ts'
import { type Dialect, keyOf, settled } from './dialect.ts'
import {
  AGENT,
  EXECUTION,
  FUNNEL,
  LATEST,
  LINK,
  MEMORY,
  only,
  post,
  postEach,
  SETTINGS,
  SUMMARY,
  TOOL_CALL,
} from './documents.ts'

interface Operation {
  root?: 'Mutation'
  field: string
  arguments: readonly string[]
  selection: string
}

const update: Operation = {
  root: 'Mutation',
  field: 'update_settings',
  arguments: ['input'],
  selection: SETTINGS,
}

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
  R5: { field: 'callback_funnel', arguments: ['since', 'until'], selection: FUNNEL },
  R6: {
    field: 'audit_log',
    arguments: ['system', 'access', 'outcome', 'page_size', 'cursor'],
    selection: `items { ${TOOL_CALL} } pagination { next_cursor has_more }`,
  },
  R7: {
    field: 'memories',
    arguments: ['page_size', 'cursor'],
    selection: `items { ${MEMORY} pinned restricted_to_agent_ids } pagination { next_cursor has_more }`,
  },
  W1: update,
  W2: update,
  W3: {
    root: 'Mutation',
    field: 'create_agent',
    arguments: ['input'],
    selection: 'id name state created_at updated_at',
  },
  W4: {
    root: 'Mutation',
    field: 'run_agent_now',
    arguments: ['agent_id', 'input'],
    selection: 'execution_id temporal_run_id status already_live supervised',
  },
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
    case 'R5':
      return { since: question.since, until: question.until }
    case 'R6':
      return { ...question.filters, page_size: question.page_size, cursor }
    case 'R7':
      return { page_size: question.page_size, cursor }
    case 'W3':
      return { input: question.agent }
    case 'W4':
      return { agent_id: question.agent_id, input: { entity_id: nextTicket() } }
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

/** Reads whose answer is the items of their page. */
const LISTS: readonly Read[] = ['R4', 'R6', 'R7']

export function graphqlOf(schema: GraphQLSchema): Dialect {
  const documents = new Map<Read, string>()
  // Only of what is asked: the schema may be that of a checkout that does not have the others.
  function documentFor(read: Read): string {
    const known = documents.get(read)
    if (known) return known
    const { root = 'Query' } = OPERATIONS[read]
    const type = root === 'Query' ? schema.getQueryType() : schema.getMutationType()
    if (!type) throw new Error(`The schema has no ${root}`)
    const text = documentOf(type, OPERATIONS[read])
    documents.set(read, text)
    return text
  }
  return {
    request(question, after) {
      const [key, document] = [keyOf(question), documentFor(question.read)]
      if (question.read === 'W4') return postEach(key, document, () => variablesOf(question, after))
      return { ...post(key, document, variablesOf(question, after)), idempotent: question.read === 'W2' }
    },
    answer(read, body) {
      const { pagination, ...data } = only(body) as { pagination?: Paged; items?: unknown }
      const answered = LISTS.includes(read) ? data.items : settled(read, data)
      return { data: answered, next_cursor: pagination?.next_cursor ?? null }
    },
  }
}
