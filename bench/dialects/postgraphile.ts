/**
 * PostGraphile, which has no sums and no search of its own. Its mutation stores the setting, and neither raises the
 * revision nor records the change.
 */
import { ENVIRONMENT } from '../data/tenants.ts'
import type { Question, Read } from '../questions.ts'
import { type Dialect, keyOf } from './dialect.ts'
import { AGENT, EXECUTION, LATEST, LINK, MEMORY, only, post, SETTINGS, TOOL_CALL } from './documents.ts'

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
/** Fields under the names that this service gives them. */
const renamed = (names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${name}: ${camel(name)}`)
    .join(' ')

const MINE = `tenantId: $tenant, environment: "${ENVIRONMENT}"`
const OF_AGENT = 'ByTenantIdAndEnvironmentAndAgentId'
const DOCUMENTS: Partial<Record<Read, string>> = {
  R1: `query Links($tenant: String!, $system: String!, $first: Int!, $after: Cursor) {
    page: allCompanyLinks(condition: { ${MINE}, system: $system, hidden: false }, first: $first, after: $after,
      orderBy: [MAPPED_ASC, SORT_NAME_ASC, EXTERNAL_ID_ASC]) {
      nodes { ${renamed(LINK)} } totalCount pageInfo { hasNextPage endCursor }
    }
    mapped: allCompanyLinks(condition: { ${MINE}, system: $system, hidden: false, mapped: true }) { totalCount }
  }`,
  R2: `query Execution($tenant: String!, $id: String!) {
    executionByTenantIdAndEnvironmentAndExecutionId(${MINE}, executionId: $id) {
      ${renamed(EXECUTION.replace(/agent_name|pending_til_request_count|error_code/g, ''))}
      agent: agentByTenantIdAndEnvironmentAndAgentId { agent_name: name }
      pending: tilRequestsByTenantIdAndEnvironmentAndExecutionId(condition: { status: PENDING }) { totalCount }
    }
  }`,
  R4: `query AgentsAtWork($tenant: String!, $first: Int!, $after: Cursor) {
    allAgents(condition: { ${MINE} }, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $first, after: $after) {
      nodes { id: rowId ${renamed(AGENT)}
        executions: executions${OF_AGENT}(first: 5, orderBy: [CREATED_AT_DESC, EXECUTION_ID_DESC]) {
          nodes { ${renamed(LATEST)} } pageInfo { hasNextPage }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  // It has no bound to the last thirty days: the newest of a list that is longer are in them.
  R6: `query ToolCalls($tenant: String!, $system: String!, $access: ToolAccess!, $outcome: AuditOutcome!,
      $first: Int!, $after: Cursor) {
    allAuditEntries(condition: { ${MINE}, system: $system, access: $access, outcome: $outcome }, first: $first,
      after: $after, orderBy: [OCCURRED_AT_DESC, SEQUENCE_DESC]) {
      nodes { id: rowId ${renamed(TOOL_CALL.replace(/^id/, ''))} } pageInfo { hasNextPage endCursor }
    }
  }`,
  R7: `query Memories($tenant: String!, $first: Int!, $after: Cursor) {
    allAgentMemories(condition: { ${MINE}, state: ACTIVE, testMode: false }, first: $first, after: $after,
      orderBy: [CREATED_AT_DESC, ROW_ID_DESC]) {
      nodes { id: rowId ${renamed(MEMORY.replace(/^id/, ''))} } pageInfo { hasNextPage endCursor }
    }
  }`,
  W1: `mutation Sleep($tenant: String!, $seconds: Int!) {
    updateSettingByTenantIdAndEnvironment(
      input: { ${MINE}, settingPatch: { sleepBeforeCallbackProcessingSeconds: $seconds } }
    ) {
      setting { ${renamed(SETTINGS.replace(/data_residency|referral_code|revision/g, ''))} }
    }
  }`,
}

interface Connection {
  nodes: Record<string, unknown>[]
  pageInfo: { hasNextPage: boolean; endCursor?: string }
  totalCount?: number
}

const nextOf = ({ pageInfo }: Connection): string | null =>
  pageInfo.hasNextPage ? (pageInfo.endCursor ?? null) : null

function postgraphileVariables(question: Question, after: string | null): object {
  const tenant = question.tenant.id
  if (question.read === 'R1') return { tenant, system: question.system, first: question.page_size, after }
  if (question.read === 'R2') return { tenant, id: question.execution_id }
  if (question.read === 'W1') return { tenant, seconds: question.sleep_seconds }
  const first = 'page_size' in question ? question.page_size : 0
  if (question.read === 'R6') return { tenant, ...question.filters, first, after }
  return { tenant, first, after }
}

export const postgraphile: Dialect = {
  request(question, after) {
    const document = DOCUMENTS[question.read]
    if (!document || (question.read === 'R1' && question.search !== undefined)) return null
    return post(keyOf(question), document, postgraphileVariables(question, after))
  },
  answer(read, body) {
    if (read === 'R2') {
      const { agent, pending, ...execution } = only(body)
      const { totalCount: pending_til_request_count } = pending as { totalCount: number }
      return { data: { ...execution, ...(agent as object), pending_til_request_count }, next_cursor: null }
    }
    if (read === 'W1') return { data: only(body).setting, next_cursor: null }
    const page = only(body) as unknown as Connection
    const next_cursor = nextOf(page)
    if (read === 'R4') {
      const data = page.nodes.map(({ executions, ...agent }) => {
        const { nodes: items, pageInfo } = executions as Connection
        return { ...agent, executions: { items, pagination: { has_more: pageInfo.hasNextPage } } }
      })
      return { data, next_cursor }
    }
    if (read === 'R7') return { data: page.nodes, next_cursor }
    // Its 64 bits are text.
    if (read === 'R6')
      return { data: page.nodes.map((call) => ({ ...call, sequence: Number(call.sequence) })), next_cursor }
    const { mapped } = (body as { data: { mapped: { totalCount: number } } }).data
    const total = page.totalCount ?? 0
    const counts = { total, mapped: mapped.totalCount, unmapped: total - mapped.totalCount }
    return { data: { links: page.nodes, counts }, next_cursor }
  },
}
