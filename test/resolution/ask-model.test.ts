import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  askModel,
  type Judged,
  questionOf,
  shownHash,
  type Unsettled,
  verdictsIn,
} from '../../src/areas/company-links/resolution/ask-model.ts'
import { openAiCompatibleModel } from '../../src/connectors/model/openai-compatible.ts'
import { modelServer, type Script } from '../setup/model-server.ts'

const party = (id: string, name: string) => ({ id, name, domains: ['acorn.com'], asset_names: ['ws-secret'] })

const unsettled = (count: number): Unsettled[] =>
  Array.from({ length: count }, (_, at) => ({
    customer: party(`customer-${at}`, `Customer ${at}`),
    candidates: [party(`company-${at}-a`, 'Company A'), party(`company-${at}-b`, 'Company B')],
  }))

interface Limits {
  request_characters?: number
  /** The questions that are allowed. */
  allowed?: number
}

async function ask(
  script: Script,
  of: readonly Unsettled[],
  { request_characters = 200_000, allowed = 1000 }: Limits = {},
) {
  const server = await modelServer(script)
  onTestFinished(() => server.close())
  const model = openAiCompatibleModel({
    base_url: server.base_url,
    api_key: null,
    name: 'scripted',
    pause_ms: 1,
  })
  const taken: string[] = []
  const judged: Record<string, readonly Judged[]> = {}
  const asker = {
    model,
    take: async () => {
      if (taken.length === allowed) return { refusal: 'questions_used_up' } as const
      const question_id = `question-${taken.length}`
      taken.push(question_id)
      return { question_id }
    },
    store: async (question_id: string, of_question: readonly Judged[]) => {
      judged[question_id] = of_question
    },
    inTurn: <Result>(work: () => Promise<Result>) => work(),
    request_characters,
    signal: AbortSignal.timeout(30_000),
  }
  return { server, taken, judged, ...(await askModel(asker, of)) }
}

const report = (matches: unknown) => [{ calls: [{ tool: 'report_matches', args: { matches } }] }]

describe('the model', () => {
  it('is told names and domains only', () => {
    const text = JSON.stringify(questionOf(unsettled(2)).messages)
    expect(text).toContain('Customer 1')
    expect(text).toContain('acorn.com')
    expect(text).not.toMatch(/ws-secret|customer-1|company-1/)
  })

  it('names the company of a customer, with a confidence that a person checks', async () => {
    const { verdicts, server } = await ask(report([{ customer: 1, company: 0, confidence: 1 }]), unsettled(2))
    expect([...verdicts]).toEqual([['customer-1', { company_id: 'company-1-a', confidence: 0.9 }]])
    expect(server.asked).toHaveLength(1)
  })

  it('is asked about twenty customers at once, and every answer is stored', async () => {
    const { server, judged, unasked } = await ask(
      report([{ customer: 1, company: 1, confidence: 0.8 }]),
      unsettled(45),
    )
    expect([server.asked.length, unasked]).toEqual([3, null])
    const stored = Object.values(judged).map((of_question) => of_question.map(({ verdict }) => verdict))
    expect(stored.map((of_question) => of_question.length)).toEqual([20, 20, 5])
    expect(stored[2]).toEqual([null, { company_id: 'company-41-b', confidence: 0.8 }, null, null, null])
  })

  it('is asked as often as is allowed, and the others are counted', async () => {
    const { server, unasked, judged } = await ask(report([]), unsettled(45), { allowed: 2 })
    expect([server.asked.length, Object.keys(judged)]).toEqual([2, ['question-0', 'question-1']])
    expect(unasked).toEqual({ customers: 5, reason: 'questions_used_up' })
  })

  it('is asked about fewer if the request would be too long', async () => {
    const { server } = await ask(report([]), unsettled(8), { request_characters: 2500 })
    expect(server.asked.length).toBeGreaterThan(1)
  })

  it('that fails settles no customer, and is not asked again', async () => {
    const { verdicts, failure, server, unasked, judged } = await ask([{ status: 401 }], unsettled(60))
    expect([verdicts.size, judged]).toEqual([0, {}])
    expect(unasked).toEqual({ customers: 60, reason: 'model_failed' })
    expect(failure?.code).toBe('model_request_refused')
    expect(server.asked).toHaveLength(1)
  })

  it('that only writes text settles no customer', async () => {
    const { verdicts, failure, judged } = await ask([{ text: 'Customer 0 is Company A.' }], unsettled(1))
    expect([verdicts.size, failure, judged]).toEqual([0, null, { 'question-0': [] }])
  })
})

describe('what the model is shown', () => {
  const [asked] = unsettled(1) as [Unsettled]
  const [a, b] = asked.candidates as [Unsettled['customer'], Unsettled['customer']]
  const domains = ['acorn.com', 'acorn.org']
  it.each<[string, boolean, Unsettled]>([
    ['candidates in another order', true, { ...asked, candidates: [b, a] }],
    ['other devices', true, { ...asked, customer: { ...asked.customer, asset_names: ['ws-2'] } }],
    ['another id of the customer', true, { ...asked, customer: { ...asked.customer, id: 'other' } }],
    ['another name of the customer', false, { ...asked, customer: { ...asked.customer, name: 'Other' } }],
    ['another domain of the customer', false, { ...asked, customer: { ...asked.customer, domains } }],
    ['another name of a candidate', false, { ...asked, candidates: [{ ...a, name: 'Other' }, b] }],
    ['a candidate less', false, { ...asked, candidates: [a] }],
    ['another candidate of the same name', false, { ...asked, candidates: [{ ...a, id: 'other' }, b] }],
  ])('with %s has the same hash: %s', (_what, is_same, other) => {
    expect(shownHash(other) === shownHash(asked)).toBe(is_same)
  })

  it('has the same hash whatever the order of domains', () => {
    const both = [domains, domains.toReversed()].map((own) =>
      shownHash({ ...asked, customer: { ...asked.customer, domains: own } }),
    )
    expect(new Set(both).size).toBe(1)
  })
})

describe('a verdict', () => {
  it.each<[string, unknown]>([
    ['of no customer', { matches: [{ customer: 7, company: 0, confidence: 1 }] }],
    ['of no candidate', { matches: [{ customer: 0, company: 2, confidence: 1 }] }],
    ['of another form', { matches: [{ customer: 'customer-0', company: 'company-0-a' }, null, 3] }],
    ['without a list', { matches: 'all' }],
    ['that is text', 'company-0-a'],
    ['of two companies', { matches: [0, 1].map((company) => ({ customer: 0, company, confidence: 1 })) }],
  ])('%s is none', (_what, given) => {
    expect(verdictsIn(given, unsettled(1))?.size ?? 0).toBe(0)
  })

  it('is of a candidate of its customer, below 0.95, whatever the model says', () => {
    const asked = unsettled(3)
    const match = fc.record({ customer: fc.integer(), company: fc.integer(), confidence: fc.double() })
    const near = fc.record({
      customer: fc.nat(3),
      company: fc.nat(3),
      confidence: fc.double({ min: 0, max: 1 }),
    })
    fc.assert(
      fc.property(fc.array(fc.oneof(match, near, fc.anything())), (matches) => {
        for (const [id, { company_id, confidence }] of verdictsIn({ matches }, asked) ?? []) {
          const { candidates } = asked.find(({ customer }) => customer.id === id) as Unsettled
          expect(candidates.map((company) => company.id)).toContain(company_id)
          expect(confidence).toBeLessThan(0.95)
        }
      }),
    )
  })
})
