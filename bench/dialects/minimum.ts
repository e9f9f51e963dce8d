/** The minimum, which answers rows: no counts, and nothing of who calls but the key's own row. */
import type { Question } from '../questions.ts'
import { bodyOf, type Dialect, methodOf, settled } from './dialect.ts'

type Row = Record<string, unknown>

/** On a page that is not the last one. */
const TOOL_CALLS = 50

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
    case 'R7':
      return path({ page_size: question.page_size })
    case 'R5':
      return path({ from: question.since, to: question.until })
    case 'R6':
      return path({ ...question.filters, page_size: question.page_size })
    case 'W4':
      return path({ agent_id: question.agent_id })
    default:
      return path({})
  }
}

export const minimum: Dialect = {
  request(question, after) {
    const { read, tenant } = question
    if (read === 'R1' && question.search !== undefined) return null
    const body = bodyOf(question)
    return {
      method: methodOf(question),
      path: pathOf(question, after),
      key: tenant.key,
      ...(body && { body }),
      idempotent: read === 'W2',
    }
  },
  answer(read, body) {
    const rows = body as Row[]
    if (read === 'R1')
      return {
        data: { links: rows },
        next_cursor: cursorOf(rows.at(-1), ['mapped', 'sort_name', 'external_id']),
      }
    if (read === 'R4' || read === 'R7')
      return { data: rows, next_cursor: cursorOf(rows.at(-1), ['created_at', 'id']) }
    if (read === 'R6')
      return { data: rows, next_cursor: cursorOf(rows[TOOL_CALLS - 1], ['occurred_at', 'sequence']) }
    const [row] = rows
    return { data: read === 'R3' || read === 'R5' ? row?.answer : settled(read, row), next_cursor: null }
  },
}
