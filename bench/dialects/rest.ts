/** REST: this service, and the floor, which has a route of its own for R4. */
import type { Question, Read } from '../questions.ts'
import { type Answer, type Dialect, keyOf } from './dialect.ts'

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
    case 'write':
      return `${REST}/settings`
    case 'key':
      return `${REST}/tenant/me`
  }
}

function restAnswer(body: unknown): Answer {
  const { data, meta } = body as { data: unknown; meta: { pagination?: { next_cursor: string | null } } }
  return { data, next_cursor: meta.pagination?.next_cursor ?? null }
}

/** The floor, and this service but for R4, which REST has no operation for. */
export const rest = (serves: (read: Read) => boolean): Dialect => ({
  request(question, after) {
    if (!serves(question.read)) return null
    const request = { method: 'GET', path: restPath(question, after), key: keyOf(question) } as const
    if (question.read !== 'write') return request
    const { sleep_seconds } = question
    return {
      ...request,
      method: 'PUT',
      body: JSON.stringify({ sleep_before_callback_processing_seconds: sleep_seconds }),
    }
  },
  answer: (_read, body) => restAnswer(body),
})
