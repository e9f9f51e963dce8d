/** This service over GraphQL. */
import type { Question, Read } from '../questions.ts'
import { type Dialect, keyOf } from './dialect.ts'
import { AGENT, EXECUTION, LATEST, LINK, only, post, SUMMARY } from './documents.ts'

const SETTINGS = `data_residency referral_code start_business_hours end_business_hours human_friendly_client_name
  sleep_before_callback_processing_seconds timezone revision`

const DOCUMENTS: Record<Read, string> = {
  R1: `query Links($system: CompanyLinkSystem!, $search: String, $page_size: Int, $cursor: Cursor) {
    company_links(system: $system, search: $search, page_size: $page_size, cursor: $cursor) {
      links { ${LINK} needs_review } counts { total mapped unmapped } pagination { next_cursor has_more }
    }
  }`,
  R2: `query Execution($execution_id: Id!) { execution(execution_id: $execution_id) { ${EXECUTION} } }`,
  R3: `query Summary($from: DateTime, $to: DateTime) { performance_summary(from: $from, to: $to) { ${SUMMARY} } }`,
  R4: `query AgentsAtWork($page_size: Int, $cursor: Cursor) {
    agents(page_size: $page_size, cursor: $cursor) {
      items { id ${AGENT} executions(page_size: 5) { items { ${LATEST} } pagination { has_more } } }
      pagination { next_cursor has_more }
    }
  }`,
  write: `mutation Sleep($seconds: Int) {
    update_settings(input: { sleep_before_callback_processing_seconds: $seconds }) { ${SETTINGS} }
  }`,
  key: '{ me { principal_type id name role scopes acting_user_id tenant_id environment expires_at } }',
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
    case 'write':
      return { seconds: question.sleep_seconds }
    case 'key':
      return {}
  }
}

interface Paged {
  next_cursor: string | null
}

export const graphql: Dialect = {
  request: (question, after) => post(keyOf(question), DOCUMENTS[question.read], variablesOf(question, after)),
  answer(read, body) {
    const { pagination, ...data } = only(body) as { pagination?: Paged; items?: unknown }
    return { data: read === 'R4' ? data.items : data, next_cursor: pagination?.next_cursor ?? null }
  },
}
