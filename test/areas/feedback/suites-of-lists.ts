/** Cases of what reads feedback, for the suites of all operations. */
import type { FeedbackEntry } from '../../../src/db/generated/client/client.ts'
import { addFeedback } from '../../setup/feedback.ts'
import type { AreaSuites } from '../../setup/suites/area.ts'
import { from, page_size } from '../../setup/suites/calls.ts'
import { addSharedAgents } from '../../setup/suites/parents.ts'
import { at, instant, isEqual, type ListSampler, newestFirst } from '../../setup/suites/sampler.ts'
import { agent, at_row, mostly, ofEnum } from '../../setup/suites/skewed.ts'

const AGENTS = [1, 2, 3]

/** A link with a rating that was revoked is like neither of its neighbours. */
const STATES = [
  ['SUBMITTED', 'POSITIVE'],
  ['PENDING', null],
  ['SUBMITTED', 'NEGATIVE'],
  ['EXPIRED', null],
  ['REVOKED', 'NEUTRAL'],
  ['REVOKED', null],
  ['SUBMITTED', 'NEUTRAL'],
] as const

const feedback_entries: ListSampler<FeedbackEntry> = {
  async add(msp, numbers) {
    await addSharedAgents(msp, AGENTS)
    await addFeedback(
      msp,
      numbers.map((n) => {
        const [status, rating] = at(STATES, n)
        return {
          id: `fb_${String(n).padStart(4, '0')}_${msp.tenant_id}`,
          status,
          rating,
          agent_id: at([1, 2, 3, null], n >> 1),
          execution_id: at(['exe_1', 'exe_2', null], n >> 1),
          end_company_id: at(['cmp_1', null, 'cmp_2'], n >> 2),
          submitted_at: rating ? instant(n) : null,
          created_at: instant(n),
        }
      }),
    )
  },
  rows: ({ database: { prisma }, tenant_id }) => prisma.feedbackEntry.findMany({ where: { tenant_id } }),
  async remove({ database: { prisma }, tenant_id }, id) {
    await prisma.feedbackEntry.deleteMany({ where: { tenant_id, id } })
  },
  id: 'id',
  orders: { '': newestFirst(({ id }) => id) },
  isSeenBy: ({ agent_id }) => agent_id !== 2,
  filters: {
    status: isEqual('status', ['PENDING', ['SUBMITTED', 'REVOKED']]),
    rating: isEqual('rating', ['NEGATIVE', ['POSITIVE', 'NEUTRAL']]),
    agent_id: isEqual('agent_id', [1, 2, 3, 999]),
    end_company_id: isEqual('end_company_id', ['cmp_1', 'unknown']),
    execution_id: isEqual('execution_id', ['exe_1', 'unknown']),
  },
  indexed: ['status', 'rating', 'agent_id', 'end_company_id', 'execution_id'],
  grows: {
    agent_id: [1, 21, 301, 302, 999],
    end_company_id: ['cmp_7', '-'],
    execution_id: ['exe_0000007', '-'],
  },
}

export const LISTS = {
  who_may: {
    feedback_entries: { scope: 'feedback:read' },
    feedback_entry: { scope: 'feedback:read' },
    feedback_summary: { scope: 'feedback:read' },
  },
  reads: {
    feedback_entries: { rating: ['NEGATIVE'], page_size },
    feedback_entry: { feedback_id: from('feedback_entries', 'id') },
    feedback_summary: { group_by: 'COMPANY' },
  },
  lists: { feedback_entries },
  skewed_rows: {
    feedback_entry: {
      id: `'fb_' || lpad(n::text, 7, '0')`,
      status: ofEnum('feedback_status', 'EXPIRED'),
      rating: mostly(
        'null::feedback_rating',
        `(array['POSITIVE', 'NEUTRAL', 'NEGATIVE', null]::feedback_rating[])[1 + ? % 4]`,
        2,
      ),
      agent_id: agent,
      execution_id: `'exe_' || lpad(n::text, 7, '0')`,
      end_company_id: `'cmp_' || n % 50000`,
      expires_at: at_row,
      created_at: at_row,
      updated_at: at_row,
    },
  },
  // Links name no tenant, so that no two tenants have feedback with the same id.
  async own_rows(msp, { mark, of }) {
    const { agent_id, execution_id } = { ...(await of('agents')), ...(await of('executions')) }
    const { end_company_id } = await of('end-companies')
    const feedback_id = `fb_${mark}`
    const texts = { comment: mark, ticket_number: mark, end_user_name: mark }
    await addFeedback(msp, [
      {
        id: feedback_id,
        status: 'SUBMITTED',
        rating: 'NEGATIVE',
        agent_id: Number(agent_id),
        execution_id: String(execution_id),
        end_company_id: String(end_company_id),
        ...texts,
      },
    ])
    return { feedback_id }
  },
  shown_with: { feedback_summary: { group_by: 'COMPANY' } },
} as const satisfies Partial<AreaSuites> & { reads: AreaSuites['examples']['reads'] }
