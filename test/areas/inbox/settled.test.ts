/** Items of inboxes that are settled elsewhere. */
import { afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { clock } from '../../setup/app.ts'
import { addCompanies } from '../../setup/companies.ts'
import { failure, happened, inboxesWith, inboxMsp, itemsOf, tidyUp } from '../../setup/inboxes.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)
afterEach(() => clock.reset())

/** Events that open an item of ADMINs and OWNERs, each with the event that settles it. */
const SETTLED = [
  {
    kind: 'INTEGRATION_HEALTH',
    opens: {
      type: 'integration.disconnected',
      entity_id: 'halo-psa',
      data: { name: 'halo-psa', reason: 'CREDENTIALS_REFUSED' },
    },
    settles: {
      type: 'integration.healthy',
      entity_id: 'halo-psa',
      data: { name: 'halo-psa', former_health: 'DOWN' },
    },
    subject: 'INTEGRATION',
  },
  {
    kind: 'INTEGRATION_HEALTH',
    opens: {
      type: 'integration.sync_finished',
      entity_id: 'syn_1',
      data: { name: 'halo-psa', status: 'FAILED', error: 'Gone' },
    },
    settles: {
      type: 'integration.sync_finished',
      entity_id: 'syn_2',
      data: { name: 'halo-psa', status: 'SUCCEEDED' },
    },
    subject: 'INTEGRATION',
  },
  {
    kind: 'INTEGRATION_HEALTH',
    opens: {
      type: 'integration.sync_finished',
      entity_id: 'syn_1',
      data: { name: 'halo-psa', status: 'FAILED', error: 'Gone' },
    },
    settles: {
      type: 'integration.disconnected',
      entity_id: 'halo-psa',
      data: { name: 'halo-psa', reason: 'BY_PERSON' },
    },
    subject: 'INTEGRATION',
  },
  {
    kind: 'API_KEY_EXPIRING',
    opens: {
      type: 'api_key.expiring',
      entity_id: 'key_1',
      data: { name: 'Scripts', expires_at: '2099-01-01T00:00:00.000Z' },
    },
    settles: { type: 'api_key.rotated', entity_id: 'key_1', data: {} },
    subject: 'API_KEY',
  },
  {
    kind: 'WEBHOOK_DISABLED',
    opens: { type: 'webhook_endpoint.disabled', entity_id: 'whe_1', data: { disabled_reason: 'FAILING' } },
    settles: { type: 'webhook_endpoint.switched', entity_id: 'whe_1', data: { disabled_reason: null } },
    subject: 'WEBHOOK_ENDPOINT',
  },
  {
    kind: 'WEBHOOK_DISABLED',
    opens: { type: 'webhook_endpoint.disabled', entity_id: 'whe_1', data: { disabled_reason: 'FAILING' } },
    settles: { type: 'webhook_endpoint.deleted', entity_id: 'whe_1', data: { disabled_reason: 'FAILING' } },
    subject: 'WEBHOOK_ENDPOINT',
  },
] as const

test.each(SETTLED)(
  '$opens.type makes a $kind, which $settles.type settles',
  async ({ kind, opens, settles, subject }) => {
    const msp = await inboxMsp()
    await happened(msp, opens, opens)
    const expected = { kind, subject_type: subject, action_required: true, occurrence_count: 2 }
    expect(await itemsOf(msp)).toMatchObject([
      { ...expected, resolved: false },
      { ...expected, resolved: false },
    ])
    expect((await inboxesWith(msp)).toSorted()).toEqual([msp.owner.id, msp.admin.id].toSorted())
    await happened(msp, settles)
    expect(await itemsOf(msp)).toMatchObject([{ resolved: true }, { resolved: true }])
  },
)

describe('failures of executions', () => {
  it.each([
    [
      'a system of that category is healthy again',
      { type: 'integration.healthy', entity_id: 'halo-psa', data: { name: 'halo-psa' } },
      true,
    ],
    [
      'a system of another category is',
      { type: 'integration.healthy', entity_id: 'ninjaone', data: { name: 'ninjaone' } },
      false,
    ],
    ['the agent is archived', { type: 'agent.archived', entity_id: '1', agent_id: 1, data: {} }, true],
    ['another agent is', { type: 'agent.archived', entity_id: '2', agent_id: 2, data: {} }, false],
  ])('for a system that is away are settled: %s', async (_what, event, resolved) => {
    const msp = await inboxMsp()
    await happened(msp, failure('a', 'upstream_unavailable'))
    await happened(msp, event)
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ waits_on: 'PSA', resolved }])
  })

  it('open a new item if they happened again after the system was healthy', async () => {
    const msp = await inboxMsp()
    const recovered = { type: 'integration.healthy', entity_id: 'halo-psa', data: { name: 'halo-psa' } }
    await happened(msp, failure('a', 'upstream_unavailable'), recovered, failure('b', 'upstream_unavailable'))
    expect(await itemsOf(msp, msp.owner.id)).toMatchObject([
      { occurrence_count: 1, resolved: true },
      { occurrence_count: 1, resolved: false },
    ])
  })
})

it('a credit threshold is one item of its billing period, which ends with it', async () => {
  const msp = await inboxMsp()
  const period = { period_start: '2026-11-01T00:00:00.000Z', period_end: '2026-12-01T00:00:00.000Z' }
  const reached = (threshold_pct: number) => ({
    type: 'billing.threshold_reached',
    entity_id: 'subscription',
    data: { threshold_pct, credits_used: threshold_pct * 10, credits_included: 1000, ...period },
  })
  await happened(msp, reached(80))
  await happened(msp, reached(100))
  expect(await itemsOf(msp, msp.owner.id)).toMatchObject([
    {
      title: '100 % of the credits of the billing period are used',
      body: '1000 of 1000 credits.',
      severity: 'CRITICAL',
      subject_type: 'SUBSCRIPTION',
      subject_id: null,
      occurrence_count: 2,
      over_at: new Date(period.period_end),
    },
  ])
  clock.advance(new Date(period.period_end).getTime() - clock.now().getTime())
  await tidyUp()
  expect(await itemsOf(msp, msp.owner.id)).toMatchObject([{ resolved: true }])
})

it('the review of company links is one item of their system, until no link needs a check', async () => {
  const msp = await inboxMsp()
  const { tenant_id, environment, database } = msp
  const link = (external_id: string) => ({
    tenant_id,
    environment,
    system: 'NINJAONE' as const,
    external_id,
    external_name: external_id,
    psa_company_id: '2',
    psa_company_name: 'ACME Inc.',
    link_state: 'AUTO' as const,
    match_method: 'FUZZY' as const,
    confidence: 0.6,
    created_at: clock.now(),
    updated_at: clock.now(),
  })
  await addCompanies(msp, [{ id: 'acme', psa_company_id: '2' }])
  await database.prisma.companyLink.createMany({ data: [link('a'), link('b')] })
  const review = (external_id: string) => ({
    type: 'company_link.needs_review',
    entity_id: `NINJAONE/${external_id}`,
    data: { ...link(external_id), created_at: null, updated_at: null },
  })
  await happened(msp, review('a'), review('b'))
  const resolved = async () => (await itemsOf(msp, msp.owner.id)).map((item) => item.resolved)
  expect(await itemsOf(msp, msp.owner.id)).toMatchObject([
    {
      kind: 'COMPANY_LINK_REVIEW',
      subject_type: 'COMPANY_LINK',
      subject_id: 'NINJAONE/b',
      occurrence_count: 2,
    },
  ])
  const unlink = (external_id: string) =>
    database.prisma.companyLink.deleteMany({ where: { tenant_id, external_id } })
  await unlink('a')
  await tidyUp()
  expect(await resolved()).toEqual([false])
  await unlink('b')
  await tidyUp()
  expect(await resolved()).toEqual([true])
})
