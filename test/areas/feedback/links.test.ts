import { expect, it } from 'vitest'
import { addAgents, addExecutions } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock, startApp } from '../../setup/app.ts'
import { activitiesOf, countActivities } from '../../setup/audit-log.ts'
import { EXECUTION, feedbackMsp, feedbackOf, linkIn, makeLink, TICKET } from '../../setup/feedback.ts'
import { addPsaTickets } from '../../setup/psa.ts'
import { world } from '../../setup/world.ts'

describeApi('create_feedback_link', (api) => {
  it('asks the contact of the ticket that the execution works on', async () => {
    const msp = await feedbackMsp()
    clock.freeze()
    const { data, status, warnings } = await api.call(msp.admin, 'create_feedback_link', {
      input: { execution_id: EXECUTION },
    })
    expect(status).toBe(200)
    expect(data).toMatchObject({
      id: expect.stringMatching(/^fb_[0-9A-Za-z]{22}$/),
      status: 'PENDING',
      rating: null,
      comment: null,
      execution_id: EXECUTION,
      agent_id: 1,
      ticket_id: TICKET,
      ticket_number: 'T-4711',
      end_company_id: 'alder',
      end_user_id: 'eu_ada',
      end_user_name: 'Ada',
      submitted_at: null,
      revoked_at: null,
    })
    const seconds = Math.floor((clock.now().getTime() + 336 * 3_600_000) / 1000)
    expect(data.expires_at).toBe(new Date(seconds * 1000).toISOString())
    expect(data.url).toMatch(
      new RegExp(`^/public-api/feedback/${data.id}/form\\?expires=${seconds}&signature=[\\w-]{43}$`),
    )
    expect(warnings).toEqual(['relative_url: the service does not know its own address (PUBLIC_URL)'])
  })

  it('makes a link about a ticket alone, whose title the form has', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp, { ticket_id: TICKET, expires_in_hours: 1 }, api)
    const { data } = await api.call(null, 'feedback_form', link)
    expect(data).toMatchObject({
      ticket_reference: 'T-4711',
      ticket_title: 'No mail',
      agent_name: null,
      status: 'PENDING',
    })
    expect(await feedbackOf(msp)).toMatchObject([
      { execution_id: null, agent_id: null, end_user_id: 'eu_ada' },
    ])
  })

  it('asks another end user than the contact', async () => {
    const msp = await feedbackMsp()
    const { tenant_id, environment, database } = msp
    const now = clock.now()
    const bob = { id: 'eu_bob', psa_contact_id: 'bob', name: 'Bob', end_company_id: 'alder' }
    const stamps = { last_synced_at: now, created_at: now, updated_at: now }
    await database.prisma.endUser.create({ data: { tenant_id, environment, ...bob, ...stamps } })
    await makeLink(msp, { ticket_id: TICKET, end_user_id: 'eu_bob' }, api)
    expect(await feedbackOf(msp)).toMatchObject([{ end_user_id: 'eu_bob', end_user_name: 'Bob' }])
  })

  it('makes a link about an execution whose ticket the PSA no longer has', async () => {
    const msp = await feedbackMsp()
    await addExecutions(msp, [{ execution_id: 'exe_2', agent_id: 1, entity_id: '9', entity_number: 'T-9' }])
    const { data } = await api.call(msp.admin, 'create_feedback_link', { input: { execution_id: 'exe_2' } })
    expect(data).toMatchObject({ ticket_id: '9', ticket_number: 'T-9', end_user_id: null })
  })

  it('makes a link about an execution that works on no ticket', async () => {
    const msp = await feedbackMsp()
    const of_company = { entity_id: '7', psa_company_id: 'psa_alder' }
    await addExecutions(msp, [
      { execution_id: 'exe_2', agent_id: 1, entity_type: 'NONE' },
      { execution_id: 'exe_3', agent_id: 1, entity_type: 'TIME_ENTRY', ...of_company },
    ])
    const made = async (execution_id: string) =>
      (await api.call(msp.admin, 'create_feedback_link', { input: { execution_id } })).data
    const no_ticket = { ticket_id: null, ticket_number: null }
    expect(await made('exe_2')).toMatchObject({ ...no_ticket, end_company_id: null })
    expect(await made('exe_3')).toMatchObject({ ...no_ticket, end_company_id: 'alder' })
  })

  const problem = (field: string, code: string) => [{ field, location: 'body', code }]

  it.each([
    ['neither an execution nor a ticket', {}, 'entity_required', problem('execution_id', 'required')],
    [
      'a ticket that the PSA does not have',
      { ticket_id: '1' },
      'request_validation_failed',
      problem('ticket_id', 'unknown'),
    ],
    [
      'another ticket than that of the execution',
      { execution_id: EXECUTION, ticket_id: '4712' },
      'request_validation_failed',
      problem('ticket_id', 'other_ticket'),
    ],
    [
      'an unknown end user',
      { ticket_id: TICKET, end_user_id: 'nobody' },
      'request_validation_failed',
      problem('end_user_id', 'unknown'),
    ],
    [
      'no hours',
      { ticket_id: TICKET, expires_in_hours: 0 },
      'request_validation_failed',
      problem('expires_in_hours', 'range'),
    ],
    [
      'too many hours',
      { ticket_id: TICKET, expires_in_hours: 721 },
      'request_validation_failed',
      problem('expires_in_hours', 'range'),
    ],
  ])('refuses %s, and stores nothing', async (_what, input, code, field_errors) => {
    const msp = await feedbackMsp()
    await addPsaTickets(msp, [{ ticket_id: '4712' }])
    const { status, error } = await api.call(msp.admin, 'create_feedback_link', { input })
    expect([status, error?.code]).toEqual([422, code])
    expect(error?.details.field_errors).toMatchObject(field_errors)
    expect([await feedbackOf(msp), await countActivities(msp)]).toEqual([[], 0])
  })

  it('does not find an execution of an agent that the caller does not see', async () => {
    const msp = await feedbackMsp()
    const input = { execution_id: EXECUTION }
    expect(outcome(await api.call(msp.user, 'create_feedback_link', { input }))).toEqual([
      404,
      'execution_not_found',
    ])
    expect(outcome(await api.call((await world()).admin, 'create_feedback_link', { input }))).toEqual([
      404,
      'execution_not_found',
    ])
    await addAgents(msp, [{ id: 2, created_by_user_id: msp.user.id }])
    await addExecutions(msp, [{ execution_id: 'exe_2', agent_id: 2, entity_type: 'NONE' }])
    const own = await api.call(msp.user, 'create_feedback_link', { input: { execution_id: 'exe_2' } })
    expect(own.status).toBe(200)
  })

  it('answers a repeated request with the same address, and keeps no signature', async () => {
    const msp = await feedbackMsp()
    const call = () =>
      api.call(
        msp.admin,
        'create_feedback_link',
        { input: { execution_id: EXECUTION } },
        { 'idempotency-key': 'k1' },
      )
    const [first, again] = [await call(), await call()]
    expect(first.data.url).toMatch(/&signature=[\w-]{43}$/)
    expect(again.data).toEqual(first.data)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await feedbackOf(msp)).toHaveLength(1)
    const kept = await msp.database.prisma.idempotencyRecord.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(kept).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain('signature')
    expect(JSON.stringify(kept)).not.toContain(linkIn(first.data.url).signature)
  })

  it('leaves an activity that names the ticket, and no signature', async () => {
    const msp = await feedbackMsp()
    const { feedback_id, signature } = await makeLink(msp, { execution_id: EXECUTION }, api)
    const activities = await activitiesOf(msp)
    expect(activities).toMatchObject([
      { action: 'feedback.link_created', targets: [{ type: 'feedback', id: feedback_id, name: 'T-4711' }] },
    ])
    expect(JSON.stringify(activities)).not.toContain(signature)
  })
})

describeApi('revoke_feedback', (api) => {
  it('takes the link back, once', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { feedback_id } = link
    const revoked = await api.call(msp.admin, 'revoke_feedback', { feedback_id })
    expect(revoked.data).toMatchObject({ status: 'REVOKED', revoked_at: expect.any(String) })
    const again = await api.call(msp.admin, 'revoke_feedback', { feedback_id })
    expect([again.status, again.data]).toEqual([200, revoked.data])
    expect(outcome(await api.call(null, 'feedback_form', link))).toEqual([404, 'feedback_not_found'])
    expect(
      outcome(await api.call(null, 'submit_feedback', { ...link, input: { rating: 'POSITIVE' } })),
    ).toEqual([404, 'feedback_not_found'])
    expect((await activitiesOf(msp)).map(({ action }) => action)).toEqual([
      'feedback.link_created',
      'feedback.revoked',
    ])
  })

  it('keeps the rating that was given', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    await api.call(null, 'submit_feedback', { ...link, input: { rating: 'NEUTRAL', comment: 'Well.' } })
    const { data } = await api.call(msp.admin, 'revoke_feedback', { feedback_id: link.feedback_id })
    expect(data).toMatchObject({ status: 'REVOKED', rating: 'NEUTRAL', comment: 'Well.' })
  })

  it('does not find feedback about an agent that the caller does not see', async () => {
    const msp = await feedbackMsp()
    const { feedback_id } = await makeLink(msp)
    for (const caller of [msp.user, (await world()).admin])
      expect(outcome(await api.call(caller, 'revoke_feedback', { feedback_id }))).toEqual([
        404,
        'feedback_not_found',
      ])
  })

  it('is refused if the feedback was given meanwhile', async () => {
    const msp = await feedbackMsp()
    const link = await makeLink(msp)
    const { feedback_id } = link
    const { etag } = await api.call(msp.admin, 'feedback_entry', { feedback_id })
    await api.call(null, 'submit_feedback', { ...link, input: { rating: 'POSITIVE' } })
    const late = await api.call(msp.admin, 'revoke_feedback', { feedback_id }, { 'if-match': String(etag) })
    expect(outcome(late)).toEqual([409, 'version_conflict'])
  })
})

it('gives the whole address where the service knows its own', async () => {
  const msp = await feedbackMsp()
  const { app, base } = await startApp(msp.database, { PUBLIC_URL: 'https://api.msp.test' })
  try {
    const response = await fetch(`${base}/public-api/feedback/links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${msp.key.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ticket_id: TICKET }),
    })
    const { data, meta } = (await response.json()) as { data: { url: string }; meta: object }
    expect(data.url).toMatch(
      /^https:\/\/api\.msp\.test\/public-api\/feedback\/fb_\w+\/form\?expires=\d+&signature=/,
    )
    expect(meta).not.toHaveProperty('warnings')
  } finally {
    await app.close()
  }
})
