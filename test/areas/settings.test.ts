import { expect, it } from 'vitest'
import { describeApi } from '../setup/api.ts'
import { clock } from '../setup/app.ts'
import { activitiesOf, countActivities } from '../setup/audit-log.ts'
import { json, request } from '../setup/http.ts'
import { world } from '../setup/world.ts'

describeApi('settings', (api) => {
  it('are read by every role and by a key', async () => {
    const msp = await world()
    for (const caller of [msp.owner, msp.admin, msp.user, msp.viewer, msp.key]) {
      const { data } = await api.call(caller, 'settings')
      expect(data).toEqual({
        data_residency: 'EU',
        referral_code: 'TESTCODE',
        start_business_hours: 8,
        end_business_hours: 18,
        human_friendly_client_name: 'Test MSP',
        sleep_before_callback_processing_seconds: 30,
        timezone: null,
        revision: 1,
      })
    }
  })

  it('change only in the fields that are given', async () => {
    const msp = await world()
    const { data } = await api.call(msp.admin, 'update_settings', { input: { timezone: 'Asia/Kolkata' } })
    expect(data).toMatchObject({ timezone: 'Asia/Kolkata', start_business_hours: 8 })
    const later = await api.call(msp.key, 'update_settings', { input: { end_business_hours: 20 } })
    expect(later.data).toMatchObject({ timezone: 'Asia/Kolkata', end_business_hours: 20 })
  })

  it('keep the time zone when it is absent and clear it when it is null', async () => {
    const msp = await world()
    await api.call(msp.admin, 'update_settings', { input: { timezone: 'Europe/London' } })
    const kept = await api.call(msp.admin, 'update_settings', { input: {} })
    expect(kept.data.timezone).toBe('Europe/London')
    const cleared = await api.call(msp.admin, 'update_settings', { input: { timezone: null } })
    expect(cleared.data.timezone).toBeNull()
  })

  it.each(['US/Eastern', 'GB', 'Asia/Calcutta', 'Asia/Kolkata', 'UTC', 'Etc/GMT+5'])(
    'store the time zone %s as it is sent',
    async (timezone) => {
      const msp = await world()
      const { data } = await api.call(msp.admin, 'update_settings', { input: { timezone } })
      expect(data.timezone).toBe(timezone)
      expect((await api.call(msp.admin, 'settings')).data.timezone).toBe(timezone)
    },
  )

  it.each([
    'Nowhere/City',
    'europe/london',
    'us/eastern',
    'gb',
    '+05:30',
    '-03',
    'UTC+1',
    'GMT-5',
    'garbage5',
    'localtime',
    'Factory',
    'posix/Europe/London',
    '',
    ' ',
    'Etc/../UTC',
    'x'.repeat(64),
  ])('refuse the time zone %j with 400', async (timezone) => {
    const msp = await world()
    const { status, error } = await api.call(msp.admin, 'update_settings', { input: { timezone } })
    expect([status, error?.code, error?.details.timezone]).toEqual([400, 'invalid_timezone', timezone])
    expect(error?.message).toContain('timezone')
    expect((await api.call(msp.admin, 'settings')).data.timezone).toBeNull()
  })

  it.each([
    ['europe/london', 'Europe/London'],
    ['us/eastern', 'US/Eastern'],
    ['Europe/Lodnon', 'Europe/London'],
  ])('suggest for the time zone %s that %s was meant', async (timezone, meant) => {
    const msp = await world()
    const { error } = await api.call(msp.admin, 'update_settings', { input: { timezone } })
    expect(error?.details).toHaveProperty('suggestions.0', meant)
  })

  it.each([
    ['A with dashes of 64 characters', `A${'-'.repeat(62)}!`],
    ['A with dashes of 65 characters', `A${'-'.repeat(63)}!`],
    ['letters and dashes of 65 characters', `${'A-'.repeat(32)}!`],
    ['A with dashes of 100,000 characters', `A${'-'.repeat(99_998)}!`],
    ['letters of 900 kB', 'x'.repeat(900_000)],
    ['astral letters of 900 kB', '\u{1d49c}'.repeat(225_000)],
  ])('answer a time zone of %s at once, in few bytes, and others meanwhile', async (_name, timezone) => {
    const msp = await world()
    const started = performance.now()
    const hostile = api.call(
      msp.admin,
      'update_settings',
      { input: { timezone } },
      { 'idempotency-key': 'hostile' },
    )
    const other = api.call(msp.viewer, 'settings')
    expect((await other).status).toBe(200)
    const { status, error } = await hostile
    expect(performance.now() - started).toBeLessThan(8000)
    expect([status, error?.code]).toEqual([400, 'invalid_timezone'])
    expect(error?.details.timezone).toBe([...timezone].slice(0, 64).join(''))
    expect(error?.details.suggestions).toEqual([])
    const kept = await msp.database.prisma.idempotencyRecord.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(JSON.stringify(kept).length).toBeLessThan(5000)
  })

  it('always accept the stored time zone, even one that the runtime does not know', async () => {
    const msp = await world()
    const { tenant_id, environment } = msp
    await msp.database.prisma.settings.updateMany({
      where: { tenant_id, environment },
      data: { timezone: 'Old/Zone' },
    })
    const { status, data } = await api.call(msp.admin, 'update_settings', { input: { timezone: 'Old/Zone' } })
    expect([status, data.timezone]).toEqual([200, 'Old/Zone'])
    const summary = await api.call(msp.viewer, 'performance_summary')
    expect(summary.status).toBe(200)
  })

  it('refuse read-only fields, even with their own values, and write nothing', async () => {
    const msp = await world()
    const input = { data_residency: 'EU', referral_code: null, end_business_hours: 20 }
    const { status, error } = await api.call(msp.admin, 'update_settings', { input })
    expect([status, error?.code]).toEqual([422, 'read_only_field'])
    expect(error?.details.field_errors?.map(({ field }) => field)).toEqual([
      'data_residency',
      'referral_code',
    ])
    expect((await api.call(msp.admin, 'settings')).data.end_business_hours).toBe(18)
  })

  it.each([5, true, ['EU'], { value: 'EU' }, '\ud800', null])(
    'refuse %j for a read-only field as they refuse any value',
    async (data_residency) => {
      const msp = await world()
      const { status, error } = await api.call(msp.admin, 'update_settings', { input: { data_residency } })
      expect([status, error?.code]).toEqual([422, 'read_only_field'])
    },
  )

  it('refuse any literal for a read-only field', async () => {
    const msp = await world()
    const query = 'mutation { update_settings(input: { referral_code: { a: [1, X, null] } }) { timezone } }'
    const response = await request('/graphql', json({ query }), msp.admin)
    expect((await response.json()).errors[0].extensions.code).toBe('read_only_field')
  })

  it.each([
    [{ start_business_hours: 24 }, 'start_business_hours', 'range'],
    [{ start_business_hours: -1 }, 'start_business_hours', 'range'],
    [{ end_business_hours: 0 }, 'end_business_hours', 'range'],
    [{ end_business_hours: 25 }, 'end_business_hours', 'range'],
    [{ start_business_hours: 8.5 }, 'start_business_hours', 'type'],
    [{ start_business_hours: '8' }, 'start_business_hours', 'type'],
    [{ start_business_hours: true }, 'start_business_hours', 'type'],
    [{ start_business_hours: null }, 'start_business_hours', 'null'],
    [{ human_friendly_client_name: ' ' }, 'human_friendly_client_name', 'length'],
    [{ human_friendly_client_name: 'x'.repeat(121) }, 'human_friendly_client_name', 'length'],
    [{ human_friendly_client_name: 'a\u0000b' }, 'human_friendly_client_name', 'characters'],
    [{ human_friendly_client_name: '\ud800' }, 'human_friendly_client_name', 'characters'],
    [{ sleep_before_callback_processing_seconds: 901 }, 'sleep_before_callback_processing_seconds', 'range'],
    [{ timezone: 5 }, 'timezone', 'type'],
    [{ timezone: 'a\u0000b' }, 'timezone', 'characters'],
  ])('refuse %j with 422', async (input, field, code) => {
    const msp = await world()
    const { status, error } = await api.call(msp.admin, 'update_settings', { input })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors).toMatchObject([{ field, location: 'body', code }])
  })

  it('refuse business hours that do not end after they start, stored and sent taken together', async () => {
    const msp = await world()
    const { status, error } = await api.call(msp.admin, 'update_settings', {
      input: { start_business_hours: 18 },
    })
    expect([status, error?.code]).toEqual([422, 'business_hours_order'])
    const both = { start_business_hours: 18, end_business_hours: 22 }
    expect((await api.call(msp.admin, 'update_settings', { input: both })).status).toBe(200)
  })

  it('are not changed by a USER or VIEWER, nor by a key without the scope', async () => {
    const msp = await world()
    const key = await msp.newKey({ scopes: ['settings:read'] })
    const refused = await Promise.all(
      [msp.user, msp.viewer, key].map((caller) => api.call(caller, 'update_settings', { input: {} })),
    )
    expect(refused.map(({ status, error }) => [status, error?.code])).toEqual([
      [403, 'forbidden'],
      [403, 'forbidden'],
      [403, 'insufficient_scope'],
    ])
  })

  it('refuse an outdated If-Match and accept the current one', async () => {
    const msp = await world()
    const { etag } = await api.call(msp.admin, 'settings')
    const input = { end_business_hours: 20 }
    const changed = await api.call(msp.admin, 'update_settings', { input }, { 'if-match': etag ?? '' })
    expect(changed.status).toBe(200)
    const late = await api.call(msp.admin, 'update_settings', { input }, { 'if-match': etag ?? '' })
    expect([late.status, late.error?.code]).toEqual([409, 'version_conflict'])
    expect(late.error?.details.current_etag).toBe(changed.etag)
  })

  it('have a new tag with every change, also of one millisecond', async () => {
    const msp = await world()
    clock.freeze()
    const tags = [(await api.call(msp.admin, 'settings')).etag]
    for (const end_business_hours of [20, 21, 20]) {
      const { data, etag } = await api.call(msp.admin, 'update_settings', { input: { end_business_hours } })
      expect(etag).toBe(`"${data.revision}"`)
      tags.push(etag)
    }
    expect(tags).toEqual(['"1"', '"2"', '"3"', '"4"'])
    const input = { end_business_hours: 22 }
    const late = await api.call(msp.admin, 'update_settings', { input }, { 'if-match': '"3"' })
    expect([late.status, late.error?.code, late.error?.details.current_etag]).toEqual([
      409,
      'version_conflict',
      '"4"',
    ])
  })

  it.each(['"1"', 'W/"1"', '"7", "1"', '*', ' "7" ,W/"1", '])('take the If-Match %s', async (header) => {
    const msp = await world()
    const input = { end_business_hours: 20 }
    const { data } = await api.call(msp.admin, 'update_settings', { input }, { 'if-match': header })
    expect(data.revision).toBe(2)
  })

  it.each(['1', 'w/"1"', '"1', '"1" "2"', '1, "1"', '*, "1"', '""x""', ','])(
    'refuse the If-Match %s with 400',
    async (header) => {
      const msp = await world()
      const input = { end_business_hours: 20 }
      const { status, error } = await api.call(
        msp.admin,
        'update_settings',
        { input },
        { 'if-match': header },
      )
      expect([status, error?.code]).toEqual([400, 'bad_request'])
      expect(error?.details.reason).toContain('If-Match')
      expect((await api.call(msp.admin, 'settings')).data.revision).toBe(1)
    },
  )

  it('that have the values already stay as they are, and nothing is recorded', async () => {
    const msp = await world()
    const { data, etag } = await api.call(msp.admin, 'settings')
    const { data_residency: _residency, referral_code: _code, revision: _revision, ...input } = data
    for (const same of [{}, input, { timezone: null }]) {
      const answer = await api.call(msp.admin, 'update_settings', { input: same })
      expect([answer.status, answer.data, answer.etag]).toEqual([200, data, etag])
    }
    expect(await countActivities(msp)).toBe(0)
  })

  it('leave one activity row per change, with what was before and after', async () => {
    const msp = await world()
    await api.call(msp.admin, 'update_settings', { input: { end_business_hours: 20 } })
    const rows = await activitiesOf(msp)
    expect(rows).toMatchObject([
      {
        action: 'settings.updated',
        actor_type: 'USER',
        actor_id: msp.admin.id,
        before: { end_business_hours: 18 },
        after: { end_business_hours: 20 },
      },
    ])
  })

  it('name the person in whose name a key changed them', async () => {
    const msp = await world()
    const key = await msp.newKey({ acting_user_id: msp.admin.id })
    await api.call(key, 'update_settings', { input: { end_business_hours: 20 } })
    const [row] = await activitiesOf(msp)
    expect(row).toMatchObject({
      actor_type: 'API_KEY',
      actor_id: key.id,
      context: { acting_user_id: msp.admin.id },
    })
  })
})
