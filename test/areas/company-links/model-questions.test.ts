/** Questions to the model about customers that no other rung settles: when they are asked, and what they cost. */
import { pino } from 'pino'
import { beforeAll, describe, expect, it } from 'vitest'
import { QUESTIONS_A_DAY, takeQuestion } from '../../../src/areas/billing/index.ts'
import { RESOLVE_LINKS } from '../../../src/areas/company-links/index.ts'
import { READ_PAGE } from '../../../src/areas/integration-syncs/declared.ts'
import { inTransaction } from '../../../src/db/transaction.ts'
import { enqueue } from '../../../src/jobs/enqueue.ts'
import { serviceContext } from '../../../src/jobs/service-context.ts'
import { type Api, apis, describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { times } from '../../setup/at-once.ts'
import { addCompanies } from '../../setup/companies.ts'
import { performAtOnce, performWaiting } from '../../setup/due.ts'
import { playModel, useModel } from '../../setup/model.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'
import { changeTerms } from '../executions/run/chain.ts'

beforeAll(installQueues)

const report = (...matches: object[]) => ({ calls: [{ tool: 'report_matches', args: { matches } }] })
const FIRST = { customer: 0, company: 0, confidence: 0.9 }

const MARINE = { external_id: '4', name: 'Penrose Marine Rescue' }
const DENTAL = { external_id: '5', name: 'Penrose Dental Clinic' }

async function unsettledMsp(): Promise<Msp> {
  const msp = await world()
  await addCompanies(msp, [{ id: 'b', name: 'Penrose Consulting' }])
  return msp
}

const name = 'hudu'

/** Puts the customers, and does the sync. The sync as it is answered then. */
async function put(api: Api, msp: Msp, customers: readonly object[]) {
  const { data } = await api.call(msp.admin, 'put_integration_customers', { name, input: { customers } })
  while ((await performWaiting(msp, READ_PAGE.name)) > 0);
  const answer = await api.call(msp.key, 'integration_sync', { name, sync_id: data.id })
  return answer.data as { status: string; error: string | null; warning: string | null }
}

const linksOf = async (api: Api, msp: Msp) => {
  const { data } = await api.call(msp.key, 'company_links', { system: 'HUDU' })
  const links = data.links as Record<string, unknown>[]
  return Object.fromEntries(links.map((link) => [link.external_id, [link.psa_company_id, link.match_method]]))
}

const creditsOf = async (api: Api, msp: Msp): Promise<number> =>
  (await api.call(msp.admin, 'billing_subscription', {})).data.credits_used

const rowOf = ({ tenant_id, environment }: Msp) => ({ tenant_id, environment })

const addQuestions = ({ database, ...msp }: Msp, count: number, at: Date) =>
  database.prisma.modelQuestion.createMany({
    data: Array.from({ length: count }, (_, n) => ({
      tenant_id: msp.tenant_id,
      environment: msp.environment,
      id: `mqu_${at.getTime()}_${n}`,
      at,
    })),
  })

describeApi('the model', (api) => {
  it('is asked once about the same customers, and its verdict is charged once', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report(FIRST)])
    const first = await put(api, msp, [MARINE, DENTAL])
    expect(first).toMatchObject({ status: 'SUCCEEDED', error: null, warning: null })
    const links = { 4: ['psa_b', 'LLM'], 5: [null, 'UNMATCHED'] }
    expect([server.asked.length, await linksOf(api, msp), await creditsOf(api, msp)]).toEqual([1, links, 1])
    await put(api, msp, [DENTAL, MARINE])
    expect([server.asked.length, await linksOf(api, msp), await creditsOf(api, msp)]).toEqual([1, links, 1])
  })

  it('is asked again about a customer with another name, and about all candidates of a renamed company', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report()])
    await put(api, msp, [MARINE, DENTAL])
    await put(api, msp, [{ ...MARINE, name: 'Penrose Lifeboats' }, DENTAL])
    expect(server.asked).toHaveLength(2)
    const again = server.asked[1]?.messages.at(-1)?.content
    expect([again?.includes('Lifeboats'), again?.includes('Dental')]).toEqual([true, false])
    await msp.database.prisma.endCompany.updateMany({
      where: { ...rowOf(msp), psa_company_id: 'psa_b' },
      data: { name: 'Penrose Advisers' },
    })
    await put(api, msp, [{ ...MARINE, name: 'Penrose Lifeboats' }, DENTAL])
    expect(server.asked).toHaveLength(3)
    expect(server.asked[2]?.messages.at(-1)?.content).toContain('Dental')
  })

  it('is asked nothing more once the questions of the day are used up, and the sync says so', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report(FIRST)])
    await addQuestions(msp, QUESTIONS_A_DAY, clock.now())
    expect(await put(api, msp, [MARINE, DENTAL])).toMatchObject({
      status: 'SUCCEEDED',
      error: null,
      warning: expect.stringContaining('(2): the 500 questions of the day are used up'),
    })
    expect(server.asked).toHaveLength(0)
    expect(await linksOf(api, msp)).toEqual({ 4: [null, 'UNMATCHED'], 5: [null, 'UNMATCHED'] })
    await msp.database.prisma.modelQuestion.updateMany({
      where: rowOf(msp),
      data: { at: new Date(clock.now().getTime() - 86_400_000) },
    })
    expect(await put(api, msp, [MARINE, DENTAL])).toMatchObject({ status: 'SUCCEEDED', warning: null })
    expect([server.asked.length, (await linksOf(api, msp))['4']]).toEqual([1, ['psa_b', 'LLM']])
  })

  it.each([
    [
      'credits_included',
      { credits_included: 0, overage_allowed: false },
      'the credits of the billing period',
    ],
    ['status', { status: 'PAUSED' }, 'the subscription is paused'],
  ] as const)('is asked nothing without credits or a subscription: %s', async (_what, terms, warning) => {
    const msp = await unsettledMsp()
    const server = await playModel([report(FIRST)])
    await changeTerms(msp, terms)
    expect(await put(api, msp, [MARINE])).toMatchObject({
      status: 'SUCCEEDED',
      warning: expect.stringContaining(warning),
    })
    expect([server.asked.length, await linksOf(api, msp)]).toEqual([0, { 4: [null, 'UNMATCHED'] }])
    expect(await msp.database.prisma.modelQuestion.count({ where: rowOf(msp) })).toBe(0)
  })

  it('is asked again about a customer that was deleted with its verdict, and comes back', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report()])
    await put(api, msp, [MARINE])
    expect(await msp.database.prisma.customerVerdict.count({ where: rowOf(msp) })).toBe(1)
    await msp.database.prisma.integrationCustomer.deleteMany({ where: rowOf(msp) })
    expect(await msp.database.prisma.customerVerdict.count({ where: rowOf(msp) })).toBe(0)
    await put(api, msp, [MARINE])
    expect(server.asked).toHaveLength(2)
  })

  it('that fails costs no credit, and is asked again by the next sync', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([{ status: 401 }])
    const failed = await put(api, msp, [MARINE])
    expect(failed).toMatchObject({
      status: 'SUCCEEDED',
      warning: expect.stringContaining('the model could not'),
    })
    expect([server.asked.length, await creditsOf(api, msp)]).toEqual([1, 0])
    server.play([report(FIRST)])
    await put(api, msp, [MARINE])
    expect([await creditsOf(api, msp), await linksOf(api, msp)]).toEqual([1, { 4: ['psa_b', 'LLM'] }])
  })

  it('is not asked without credits when filters bring companies, and the log says so', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report(FIRST)])
    await changeTerms(msp, { credits_included: 0, overage_allowed: false })
    await put(api, msp, [MARINE, DENTAL])
    const { services } = (await testApp()).app
    const ctx = serviceContext(services, 'test', 'req_resolve', rowOf(msp))
    await inTransaction(ctx, 10_000, () => enqueue(ctx, RESOLVE_LINKS, { after: null }))
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
    await performWaiting(msp, RESOLVE_LINKS.name, { services: { ...services, log } })
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'the model was not asked about customers', customers: 2, reason: 'credits_exhausted' },
    ])
    expect(server.asked).toHaveLength(0)
  })

  it('is not asked by a service without one, whose sync warns of nothing', async () => {
    const msp = await unsettledMsp()
    await useModel(null)
    expect(await put(api, msp, [MARINE])).toMatchObject({ status: 'SUCCEEDED', warning: null })
  })
})

describe('the questions of a day', () => {
  it('are no more than allowed when two systems are resolved at once, and both syncs end', async () => {
    const msp = await unsettledMsp()
    const server = await playModel([report()])
    const many = Array.from({ length: 60 }, (_, n) => ({ external_id: `${n}`, name: `Penrose Clinic ${n}` }))
    await addQuestions(msp, QUESTIONS_A_DAY - 4, clock.now())
    const [api] = apis as [Api]
    const systems = ['hudu', 'auvik']
    const syncs = await Promise.all(
      systems.map((of) =>
        api.call(msp.admin, 'put_integration_customers', { name: of, input: { customers: many } }),
      ),
    )
    await performAtOnce(msp, READ_PAGE.name)
    expect(server.asked).toHaveLength(4)
    expect(await creditsOf(api, msp)).toBe(4)
    const ended = await Promise.all(
      syncs.map(({ data }, at) =>
        api.call(msp.key, 'integration_sync', { name: systems[at], sync_id: data.id }),
      ),
    )
    expect(ended.map(({ data }) => data.status)).toEqual(['SUCCEEDED', 'SUCCEEDED'])
    const unasked = ended.map(({ data }) => Number(/\((\d+)\): the 500/.exec(data.warning ?? '')?.[1] ?? 0))
    expect(unasked.reduce((sum, count) => sum + count, 0)).toBe(2 * 60 - 4 * 20)
  })

  it('are no more than allowed, however many are asked at once, nor by another environment or tenant', async () => {
    const [msp, other] = [await world(), await world()]
    await addQuestions(msp, QUESTIONS_A_DAY - 3, clock.now())
    await addQuestions(other, QUESTIONS_A_DAY, clock.now())
    const { services } = (await testApp()).app
    const taken = await times(() =>
      takeQuestion({ ...serviceContext(services, 'test', 'req_take', rowOf(msp)), services }),
    )
    const refusals = taken.map((one) => ('refusal' in one ? one.refusal : 'taken'))
    expect(refusals.filter((one) => one === 'taken')).toHaveLength(3)
    expect(new Set(refusals)).toEqual(new Set(['taken', 'questions_used_up']))
    expect(await msp.database.prisma.modelQuestion.count({ where: rowOf(msp) })).toBe(QUESTIONS_A_DAY)
  })
})
