/** The minimum, which answers rows: no counts, and nothing of who calls but the key's own row. */
import type { Question } from '../questions.ts'
import type { Dialect } from './dialect.ts'

type Row = Record<string, unknown>

/** A cursor is the sort key itself. */
const cursorOf = (last: Row | undefined, names: readonly string[]): string | null =>
  last ? new URLSearchParams(names.map((name) => [name, String(last[name])])).toString() : null

function pathOf(question: Question, after: string | null): string {
  const { read, tenant } = question
  const path = (values: Record<string, string | number>) => {
    const own = new URLSearchParams(Object.entries(values).map(([name, value]) => [name, String(value)]))
    return `/${read}${after ? '-after' : ''}?tenant=${tenant.id}&${own}${after ? `&${after}` : ''}`
  }
  switch (read) {
    case 'R1':
      return path({ system: question.system, page_size: question.page_size })
    case 'R2':
      return path({ execution_id: question.execution_id })
    case 'R3':
      return path({ from: question.from, to: question.to })
    case 'R4':
      return path({ page_size: question.page_size })
    default:
      return path({})
  }
}

export const minimum: Dialect = {
  request(question, after) {
    const { read, tenant } = question
    const request = { method: 'GET', path: pathOf(question, after), key: tenant.key } as const
    if (read === 'R1' && question.search !== undefined) return null
    if (read !== 'W1' && read !== 'W2') return request
    const body = JSON.stringify({ sleep_before_callback_processing_seconds: question.sleep_seconds })
    return { ...request, method: 'PUT', body, idempotent: read === 'W2' }
  },
  answer(read, body) {
    const rows = body as Row[]
    if (read === 'R1')
      return {
        data: { links: rows },
        next_cursor: cursorOf(rows.at(-1), ['mapped', 'sort_name', 'external_id']),
      }
    if (read === 'R4') return { data: rows, next_cursor: cursorOf(rows.at(-1), ['created_at', 'id']) }
    return { data: read === 'R3' ? rows[0]?.answer : rows[0], next_cursor: null }
  },
}
