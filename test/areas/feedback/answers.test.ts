import { beforeAll, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf, countActivities } from '../../setup/audit-log.ts'
import { answer, EXECUTION, feedbackMsp, feedbackOf, makeLink } from '../../setup/feedback.ts'
import { raised } from '../../setup/raised.ts'
import { days, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

const hours = (count: number): number => days(count / 24)

beforeAll(installQueues)

describeApi('feedback_form', (api) => {
  it('shows the work to the holder of the link, and records nothing', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const before = await feedbackOf(msp)
    const { data, status } = await api.call(null, 'feedback_form', link)
    expect([status, data]).toEqual([
      200,
      {
        id: link.feedback_id,
        tenant_name: 'Test MSP',
        ticket_reference: 'T-4711',
        ticket_title: 'No mail',
        agent_name: 'Mailbox helper',
        status: 'PENDING',
        rating: null,
        expires_at: new Date(Number(link.expires) * 1000).toISOString(),
        closes_at: null,
      },
    ])
    expect(await feedbackOf(msp)).toEqual(before)
    expect(await countActivities(msp)).toBe(1)
  })

  it('needs the link alone, whatever header comes with it', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { feedback_id } = link
    const other = await world()
    expect((await api.call(other.key, 'feedback_form', link)).status).toBe(200)
    const wrong = await api.call({ id: '', token: 'svc_sk_test_wrong' }, 'feedback_form', link)
    // GraphQL judges the header of a request before its document.
    expect(wrong.status).toBe(api.name === 'rest' ? 200 : 401)
    for (const caller of [null, msp.key, msp.owner])
      expect(outcome(await api.call(caller, 'feedback_form', { feedback_id }))).toEqual([
        401,
        'invalid_signature',
      ])
  })

  it('is not there for the links of a suspended tenant', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const where = { id: msp.tenant_id }
    await msp.database.prisma.tenant.update({ where, data: { suspended_at: clock.now() } })
    expect(outcome(await api.call(null, 'feedback_form', link))).toEqual([403, 'tenant_suspended'])
  })
})

describeApi('submit_feedback', (api) => {
  it('gives the rating and the comment, and tells of it once', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { feedback_id } = link
    clock.freeze()
    const { data } = await answer(api, link, { rating: 'POSITIVE', comment: '  Quick, thank you!\n' })
    expect(data).toMatchObject({
      status: 'SUBMITTED',
      rating: 'POSITIVE',
      closes_at: new Date(clock.now().getTime() + hours(24)).toISOString(),
    })
    const entry = await api.call(msp.admin, 'feedback_entry', { feedback_id })
    expect(entry.data).toMatchObject({
      status: 'SUBMITTED',
      rating: 'POSITIVE',
      comment: 'Quick, thank you!',
      submitted_at: clock.now().toISOString(),
    })
    expect(await raised(msp, 'feedback.submitted')).toMatchObject([
      {
        entity_id: feedback_id,
        agent_id: 1,
        data: { feedback_id, rating: 'POSITIVE', execution_id: EXECUTION, ticket_number: 'T-4711' },
      },
    ])
    const [, activity] = await activitiesOf(msp)
    expect(activity).toMatchObject({
      action: 'feedback.submitted',
      actor_type: 'FEEDBACK_LINK',
      actor_id: feedback_id,
      actor_name: 'Ada',
    })
    expect(JSON.stringify(activity)).not.toContain('Quick')
  })

  it('replaces the answer for 24 hours, and is closed from then on', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    clock.freeze()
    const first = clock.now()
    await answer(api, link, { rating: 'NEGATIVE', comment: 'Still broken.' })
    clock.frozen_at = new Date(first.getTime() + hours(24) - 1)
    expect((await answer(api, link, { rating: 'POSITIVE' })).data).toMatchObject({ rating: 'POSITIVE' })
    expect(await feedbackOf(msp)).toMatchObject([{ rating: 'POSITIVE', comment: null, submitted_at: first }])
    clock.frozen_at = new Date(first.getTime() + hours(24))
    const late = await answer(api, link, { rating: 'NEGATIVE' })
    expect([late.status, late.error]).toMatchObject([
      409,
      { code: 'feedback_closed', details: { status: 'SUBMITTED' } },
    ])
    expect((await api.call(null, 'feedback_form', link)).data).toMatchObject({
      status: 'SUBMITTED',
      rating: 'POSITIVE',
    })
    expect((await raised(msp, 'feedback.submitted')).map(({ data }) => data)).toMatchObject([
      { rating: 'NEGATIVE' },
      { rating: 'POSITIVE' },
    ])
  })

  it('records the same answer once, and counts it', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    for (const _time of [1, 2]) await answer(api, link, { rating: 'NEUTRAL', comment: 'Hm.' })
    const [entry] = await feedbackOf(msp)
    expect([entry?.revision, entry?.accepted_at.length]).toEqual([2, 2])
    expect(await raised(msp, 'feedback.submitted')).toHaveLength(1)
    expect(await countActivities(msp)).toBe(2)
  })

  it('takes ten answers an hour, of which refused ones are none', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    clock.freeze()
    const first = clock.now()
    await answer(api, link, { rating: 'NEUTRAL' })
    clock.advance(1000)
    clock.frozen_at = new Date(first.getTime() + 60_000)
    for (let time = 2; time <= 10; time++) {
      expect(outcome(await answer(api, link, { rating: 'BAD' }))[0]).toBe(422)
      expect((await answer(api, link, { rating: 'POSITIVE', comment: `${time}` })).status).toBe(200)
    }
    const eleventh = await answer(api, link, { rating: 'NEGATIVE' })
    expect([eleventh.status, eleventh.error]).toMatchObject([
      429,
      { code: 'rate_limited', details: { scope: 'OPERATION' } },
    ])
    expect(eleventh.headers.get('retry-after')).toBe(String(59 * 60))
    expect(await feedbackOf(msp)).toMatchObject([{ rating: 'POSITIVE', comment: '10' }])
    clock.frozen_at = new Date(first.getTime() + hours(1))
    expect((await answer(api, link, { rating: 'NEGATIVE' })).status).toBe(200)
    expect((await answer(api, link, { rating: 'NEGATIVE' })).status).toBe(429)
  })

  it.each([
    ['no rating', {}, 'rating'],
    ['an unknown rating', { rating: 'GREAT' }, 'rating'],
    ['a comment of 4,001 characters', { rating: 'POSITIVE', comment: 'a'.repeat(4001) }, 'comment'],
  ])('refuses %s, and stores nothing', async (_what, input, field) => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { status, error } = await answer(api, link, input)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body' }])
    expect(await feedbackOf(msp)).toMatchObject([{ status: 'PENDING', rating: null, accepted_at: [] }])
  })

  it('keeps a comment of 4,000 characters, and one of spaces as none', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const comment = 'ö😀'.repeat(1333)
    expect((await answer(api, link, { rating: 'POSITIVE', comment })).status).toBe(200)
    expect(await feedbackOf(msp)).toMatchObject([{ comment }])
    expect((await answer(api, link, { rating: 'POSITIVE', comment: ' \n ' })).status).toBe(200)
    expect(await feedbackOf(msp)).toMatchObject([{ comment: null }])
  })

  it('looks at no version', async () => {
    const link = await makeLink(await feedbackMsp())
    expect((await answer(api, link, { rating: 'POSITIVE' }, { 'if-match': '"77"' })).status).toBe(200)
  })

  it('answers a repeated request as before, though the answer has changed', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const key = { 'idempotency-key': 'k1' }
    const first = await answer(api, link, { rating: 'NEGATIVE' }, key)
    await answer(api, link, { rating: 'POSITIVE' })
    const again = await answer(api, link, { rating: 'NEGATIVE' }, key)
    expect(again.data).toEqual(first.data)
    expect(await feedbackOf(msp)).toMatchObject([{ rating: 'POSITIVE' }])
  })

  it('takes the link until its last instant, and not at the second at which it expires', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp, { execution_id: EXECUTION, expires_in_hours: 1 })
    const expires_at = new Date(Number(link.expires) * 1000)
    clock.freeze()
    clock.frozen_at = new Date(expires_at.getTime() - 1)
    expect((await answer(api, link, { rating: 'NEUTRAL' })).status).toBe(200)
    expect((await api.call(null, 'feedback_form', link)).data.closes_at).toBe(expires_at.toISOString())
    clock.frozen_at = expires_at
    for (const late of [
      await answer(api, link, { rating: 'NEGATIVE' }),
      await api.call(null, 'feedback_form', link),
    ])
      expect([late.status, late.error]).toMatchObject([
        401,
        { code: 'signature_expired', details: { expired_at: expires_at.toISOString() } },
      ])
    expect(await feedbackOf(msp)).toMatchObject([{ rating: 'NEUTRAL' }])
  })

  it('takes an answer that came in time, though the link is stored as EXPIRED meanwhile', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const where = { tenant_id: msp.tenant_id }
    await msp.database.prisma.feedbackEntry.updateMany({ where, data: { status: 'EXPIRED' } })
    expect((await answer(api, link, { rating: 'POSITIVE' })).data).toMatchObject({ status: 'SUBMITTED' })
  })
})
