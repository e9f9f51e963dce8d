import { describe, expect, it } from 'vitest'
import { argumentsHash } from '../../../src/lib/arguments-hash.ts'
import { type Answer, type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Caller, days, type Msp } from '../../setup/world.ts'
import { ADMIN, asked, deskWorld, NOTE, USER, WRITE } from './people.ts'

type Verb = 'approve' | 'reject' | 'answer'

const INPUTS = { approve: {}, reject: { comment: 'No.' }, answer: { answer: 'Jane' } }

const decider =
  (api: Api) =>
  (caller: Caller, verb: Verb, input: object = INPUTS[verb], headers = {}): Promise<Answer> =>
    api.call(caller, `${verb}_til_request`, { til_request_id: 'til_1', input }, headers)

const QUESTION = {
  kind: 'QUESTION',
  question: 'Which Jane?',
  allowed_decisions: ['ANSWER'],
  tool_name: null,
  options: [{ id: 'a', label: 'Jane in Sales' }],
} as const

describeApi('a decision of a technician', (api) => {
  const decide = decider(api)

  it('approves: the request, its approval and the activity say who and when', async () => {
    const msp = await deskWorld()
    await asked(msp)
    clock.freeze()
    const at = clock.now().toISOString()
    const { status, data, etag } = await decide(msp.user, 'approve', { comment: 'Fine.' })
    expect([status, etag]).toEqual([200, expect.stringMatching(/^"2\./)])
    expect(data).toMatchObject({
      status: 'APPROVED',
      decided_at: at,
      decided_by_name: `Technician ${USER}`,
      closed_at: at,
      decision_comment: 'Fine.',
      revision: 2,
      edited_arguments: null,
      call_error: null,
      updated_at: at,
    })
    const approval = { technician_id: USER, name: `Technician ${USER}`, decision: 'APPROVE' }
    expect(data.approvals).toEqual([{ ...approval, comment: 'Fine.', at, via: 'DASHBOARD' }])
    expect((await api.call(msp.key, 'til_request', { til_request_id: 'til_1' })).data).toEqual(data)
    const [activity] = await activitiesOf(msp)
    expect(activity).toMatchObject({
      action: 'til_request.approved',
      actor_id: msp.user.id,
      targets: [{ type: 'til_request', id: 'til_1' }],
      before: { status: 'PENDING' },
      after: { status: 'APPROVED' },
    })
  })

  it('edits: both versions and both hashes are kept', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const edited_arguments = { ...WRITE.arguments, text: 'Done, and tested.' }
    const { arguments_hash } = WRITE
    const { data } = await decide(msp.user, 'approve', { edited_arguments, arguments_hash })
    expect(data).toMatchObject({
      status: 'APPROVED',
      arguments: WRITE.arguments,
      arguments_hash,
      edited_arguments,
      edited_arguments_hash: argumentsHash(edited_arguments),
      approvals: [{ decision: 'EDIT' }],
    })
  })

  it('rejects with a comment, and a reason if there is one', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const { data } = await decide(msp.user, 'reject', { comment: 'Not hers.', reason_code: 'WRONG_TARGET' })
    expect(data).toMatchObject({
      status: 'REJECTED',
      decision_comment: 'Not hers.',
      reason_code: 'WRONG_TARGET',
      approvals: [{ decision: 'REJECT', comment: 'Not hers.' }],
    })
  })

  it('answers with an option or in own words', async () => {
    for (const [input, stored] of [
      [{ option_id: 'a' }, { answer: 'Jane in Sales', answer_option_id: 'a' }],
      [{ answer: 'Neither: Janet.' }, { answer: 'Neither: Janet.', answer_option_id: null }],
    ] as const) {
      const msp = await deskWorld()
      await asked(msp, QUESTION as never)
      expect((await decide(msp.user, 'answer', input)).data).toMatchObject({ status: 'ANSWERED', ...stored })
    }
  })

  it('is for the technicians who are named, whatever the role of others', async () => {
    const msp = await deskWorld()
    await asked(msp, { technicians: [USER] })
    for (const verb of ['approve', 'reject', 'answer'] as const) {
      const { status, error } = await decide(msp.admin, verb)
      expect([status, error?.code, error?.details.technician_ids]).toEqual([403, 'not_an_approver', [USER]])
      expect(outcome(await decide(msp.owner, verb))).toEqual([403, 'not_an_approver'])
      expect(outcome(await decide(msp.key, verb))).toEqual([403, 'acting_user_required'])
      expect(outcome(await decide(msp.viewer, verb))).toEqual([403, 'forbidden'])
    }
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('is not for a technician who was deleted', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const where = { tenant_id: msp.tenant_id, id: USER }
    await msp.database.prisma.technicianProfile.updateMany({ where, data: { deleted_at: new Date() } })
    expect(outcome(await decide(msp.user, 'approve'))).toEqual([403, 'not_an_approver'])
  })

  it('of somebody who neither sees the agent nor is named finds no request', async () => {
    const msp = await deskWorld()
    await asked(msp, { technicians: [ADMIN] })
    expect(outcome(await decide(msp.user, 'approve'))).toEqual([404, 'til_request_not_found'])
  })

  it('that does not fit the kind is refused', async () => {
    const fits = {
      WRITE: { approve: 200, reject: 200, answer: 409 },
      PLAN: { approve: 200, reject: 200, answer: 409 },
      QUESTION: { approve: 409, reject: 409, answer: 200 },
    }
    const kinds = {
      WRITE: {},
      PLAN: { kind: 'PLAN', allowed_decisions: ['APPROVE', 'REJECT'], tool_name: null },
      QUESTION,
    }
    for (const [kind, decisions] of Object.entries(fits))
      for (const [verb, status] of Object.entries(decisions)) {
        const msp = await deskWorld()
        await asked(msp, kinds[kind as keyof typeof kinds] as never)
        const answer = await decide(msp.user, verb as Verb)
        expect(answer.status, `${verb} a ${kind}`).toBe(status)
        if (status === 409) expect(answer.error?.code).toBe('decision_not_allowed')
      }
    const msp = await deskWorld()
    await asked(msp, kinds.PLAN as never)
    const edited = await decide(msp.user, 'approve', { edited_arguments: WRITE.arguments })
    expect(outcome(edited)).toEqual([409, 'decision_not_allowed'])
    expect(edited.error?.details.allowed_decisions).toEqual(['APPROVE', 'REJECT'])
  })

  it('that has seen other arguments is refused', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const { status, error } = await decide(msp.user, 'approve', { arguments_hash: 'b'.repeat(64) })
    expect([status, error?.code]).toEqual([409, 'arguments_changed'])
    expect(error?.details.arguments_hash).toBe(WRITE.arguments_hash)
    expect((await decide(msp.user, 'approve', { arguments_hash: WRITE.arguments_hash })).status).toBe(200)
  })

  it('on a closed request is refused, whoever closed it, and tells how', async () => {
    for (const status of [
      'APPROVED',
      'REJECTED',
      'EXPIRED',
      'CANCELLED',
      'SUPERSEDED',
      'SHADOWED',
    ] as const) {
      const msp = await deskWorld()
      const decided_at = clock.now()
      await asked(msp, { status, closed_at: decided_at, decided_at, decided_by_name: 'Ada' })
      const { status: code, error } = await decide(msp.user, 'approve')
      expect([code, error?.code]).toEqual([409, 'til_request_closed'])
      const details = { status, decided_by_name: 'Ada', decided_at: decided_at.toISOString() }
      expect(error?.details).toMatchObject(details)
    }
  })

  it('after the time is over is refused, swept or not', async () => {
    const msp = await deskWorld()
    await asked(msp)
    clock.turn(days(3))
    const { status, error } = await decide(msp.user, 'approve')
    expect([status, error?.code, error?.details.status]).toEqual([409, 'til_request_expired', 'PENDING'])
    expect((await api.call(msp.key, 'til_request', { til_request_id: 'til_1' })).data.status).toBe('PENDING')
  })

  it('with an outdated tag is refused, and with the current one taken', async () => {
    const msp = await deskWorld()
    await asked(msp)
    expect(outcome(await decide(msp.user, 'approve', {}, { 'if-match': '"7"' }))).toEqual([
      409,
      'version_conflict',
    ])
    const { etag } = await api.call(msp.user, 'til_request', { til_request_id: 'til_1' })
    expect((await decide(msp.user, 'approve', {}, { 'if-match': etag ?? '' })).status).toBe(200)
  })

  it('with an Idempotency-Key is answered again as it was', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const headers = { 'idempotency-key': 'k' }
    const first = await decide(msp.user, 'approve', {}, headers)
    const again = await decide(msp.user, 'approve', {}, headers)
    expect([again.status, again.data]).toEqual([200, first.data])
    expect(outcome(await decide(msp.user, 'approve'))).toEqual([409, 'til_request_closed'])
  })

  const edit = (edited_arguments: unknown) => ({ edited_arguments })
  const wrong: [string, Verb, object, string][] = [
    ['a rejection without a comment', 'reject', {}, 'comment'],
    ['a rejection with an empty comment', 'reject', { comment: '' }, 'comment'],
    ['a long comment', 'reject', { comment: 'x'.repeat(2001) }, 'comment'],
    ['a reason that is none', 'reject', { comment: 'No.', reason_code: 'BORED' }, 'reason_code'],
    ['an approval with a long comment', 'approve', { comment: 'x'.repeat(2001) }, 'comment'],
    ['a hash that is none', 'approve', { arguments_hash: 'short' }, 'arguments_hash'],
    [
      'an argument out of its values',
      'approve',
      edit({ ...NOTE, visibility: 'LOUD' }),
      'edited_arguments.visibility',
    ],
    [
      'a missing argument',
      'approve',
      edit({ ticket_id: '1', visibility: 'PUBLIC' }),
      'edited_arguments.text',
    ],
    ...['a\0b', '\ud800'].map((text): [string, Verb, object, string] => [
      `an argument with ${JSON.stringify(text)}`,
      'approve',
      edit({ ...NOTE, text }),
      'edited_arguments.text',
    ]),
    ['a name that cannot be stored', 'approve', edit({ ...NOTE, '\0': 1 }), 'edited_arguments'],
    ['an argument that the tool does not have', 'approve', edit({ ...NOTE, more: 1 }), 'edited_arguments'],
    ['arguments that are text', 'approve', edit('text'), 'edited_arguments'],
    ['arguments that are a list', 'approve', edit([]), 'edited_arguments'],
  ]
  it.each(wrong)('with %s is 422, and changes nothing', async (_name, verb, input, field) => {
    const msp = await deskWorld()
    await asked(msp)
    const { status, error } = await decide(msp.user, verb, input)
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors?.[0]?.field).toBe(field)
    expect(await activitiesOf(msp)).toEqual([])
  })

  it.each([{}, { answer: 'x', option_id: 'a' }, { option_id: 'z' }])(
    'answer with %j is 422',
    async (input) => {
      const msp = await deskWorld()
      await asked(msp, QUESTION as never)
      expect(outcome(await decide(msp.user, 'answer', input))).toEqual([422, 'request_validation_failed'])
    },
  )

  it('that holds a secret is refused', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const secret = 'Bearer abcdefgh12345678'
    for (const [verb, input, field] of [
      ['approve', { comment: secret }, 'comment'],
      ['approve', { edited_arguments: { ...WRITE.arguments, text: secret } }, 'edited_arguments'],
      ['reject', { comment: secret }, 'comment'],
      ['answer', { answer: secret }, 'answer'],
    ] as const) {
      const { status, error } = await decide(msp.user, verb, input)
      expect([status, error?.code]).toEqual([422, 'secret_in_content'])
      expect(error?.details.field_errors?.[0]?.field).toBe(field)
    }
  })
})

describe.runIf(process.env.DATABASE_URL)('at once', () => {
  describeApi('decisions', (api) => {
    const decide = decider(api)
    const pairs: [string, Verb, Verb][] = [
      ['approve and reject', 'approve', 'reject'],
      ['approve twice', 'approve', 'approve'],
      ['reject twice', 'reject', 'reject'],
    ]
    it.each(pairs)('%s: exactly one wins, every time', async (_name, one, other) => {
      for (let turn = 0; turn < 15; turn++) {
        const msp: Msp = await deskWorld()
        await asked(msp)
        const answers = await Promise.all([decide(msp.admin, one), decide(msp.user, other)])
        const [winner, ...winners] = answers.filter(({ status }) => status === 200)
        expect(winners).toEqual([])
        const loser = answers.find(({ status }) => status !== 200)
        expect([loser?.status, loser?.error?.code]).toEqual([409, 'til_request_closed'])
        expect(loser?.error?.details).toMatchObject({
          status: winner?.data.status,
          decided_by_name: winner?.data.decided_by_name,
        })
        const { data } = await api.call(msp.key, 'til_request', { til_request_id: 'til_1' })
        expect(data).toMatchObject({ status: winner?.data.status, approvals: { length: 1 }, revision: 2 })
      }
    })
  })
})
