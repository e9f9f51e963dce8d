/** REST: this service, and the expert floor, which has a route of its own for R4. */
import type { Question, Read } from '../questions.ts'
import { bodyOf, type Dialect, keyOf, methodOf, settled } from './dialect.ts'

const REST = '/public-api'

function restPath(question: Question, after: string | null): string {
  const query = (values: Record<string, string | number | null | undefined>) => {
    const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
    return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  }
  switch (question.read) {
    case 'R1': {
      const { system, page_size, search } = question
      return `${REST}/company-links?${query({ system, page_size, search, cursor: after })}`
    }
    case 'R2':
      return `${REST}/executions/${question.execution_id}`
    case 'R3':
      return `${REST}/performance/summary?${query({ from: question.from, to: question.to })}`
    case 'R4':
      return `${REST}/agents-at-work?${query({ page_size: question.page_size, cursor: after })}`
    case 'R5':
      return `${REST}/observability/callback-funnel?${query({ since: question.since, until: question.until })}`
    case 'R6':
      return `${REST}/audit-log?${query({ ...question.filters, page_size: question.page_size, cursor: after })}`
    case 'R7':
      return `${REST}/memories?${query({ page_size: question.page_size, cursor: after })}`
    case 'W1':
    case 'W2':
      return `${REST}/settings`
    case 'W3':
      return `${REST}/agents`
    case 'W4':
      return `${REST}/agents/${question.agent_id}/run-now`
    case 'key':
      return `${REST}/tenant/me`
  }
}

interface Envelope {
  data: unknown
  meta: { pagination?: { next_cursor: string | null } }
}

export const rest = (serves: (read: Read) => boolean): Dialect => ({
  request(question, after) {
    const { read } = question
    if (!serves(read)) return null
    const body = bodyOf(question)
    return {
      method: methodOf(question),
      path: restPath(question, after),
      key: keyOf(question),
      ...(body && { body }),
      idempotent: read === 'W2',
    }
  },
  answer(read, body) {
    const { data, meta } = body as Envelope
    return { data: settled(read, data), next_cursor: meta.pagination?.next_cursor ?? null }
  },
})
