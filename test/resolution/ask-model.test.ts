import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  askModel,
  questionOf,
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

async function ask(script: Script, of: readonly Unsettled[], request_characters = 200_000) {
  const server = await modelServer(script)
  onTestFinished(() => server.close())
  const model = openAiCompatibleModel({
    base_url: server.base_url,
    api_key: null,
    name: 'scripted',
    pause_ms: 1,
  })
  const asker = {
    model,
    inTurn: <Result>(work: () => Promise<Result>) => work(),
    request_characters,
    signal: AbortSignal.timeout(30_000),
  }
  return { server, ...(await askModel(asker, of)) }
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

  it('is asked about twenty customers at once, and twenty times at most', async () => {
    const { server } = await ask(report([]), unsettled(450))
    expect(server.asked).toHaveLength(20)
  })

  it('is asked about fewer if the request would be too long', async () => {
    const { server } = await ask(report([]), unsettled(8), 2500)
    expect(server.asked.length).toBeGreaterThan(1)
  })

  it('that fails settles no customer, and is not asked again', async () => {
    const { verdicts, failure, server } = await ask([{ status: 401 }], unsettled(60))
    expect(verdicts.size).toBe(0)
    expect(failure?.code).toBe('model_request_refused')
    expect(server.asked).toHaveLength(1)
  })

  it('that only writes text settles no customer', async () => {
    const { verdicts, failure } = await ask([{ text: 'Customer 0 is Company A.' }], unsettled(1))
    expect([verdicts.size, failure]).toEqual([0, null])
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
    expect(verdictsIn(given, unsettled(1)).size).toBe(0)
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
        for (const [id, { company_id, confidence }] of verdictsIn({ matches }, asked)) {
          const { candidates } = asked.find(({ customer }) => customer.id === id) as Unsettled
          expect(candidates.map((company) => company.id)).toContain(company_id)
          expect(confidence).toBeLessThan(0.95)
        }
      }),
    )
  })
})
