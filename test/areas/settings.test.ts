import { expect, it } from 'vitest'
import { describeApi } from '../setup/api.ts'
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

  it.each(['Nowhere/City', 'europe/london', '+05:30', 'UTC+1', 'garbage5', '', 'Etc/../UTC'])(
    'refuse the time zone %j with 400',
    async (timezone) => {
      const msp = await world()
      const { status, error } = await api.call(msp.admin, 'update_settings', { input: { timezone } })
      expect([status, error?.code]).toEqual([400, 'invalid_timezone'])
      expect((await api.call(msp.admin, 'settings')).data.timezone).toBeNull()
    },
  )

  it('suggest the spelling of a time zone', async () => {
    const msp = await world()
    const { error } = await api.call(msp.admin, 'update_settings', { input: { timezone: 'europe/london' } })
    expect(error?.details.suggestions).toContain('Europe/London')
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

  it('leave one activity row per change, with what was before and after', async () => {
    const msp = await world()
    await api.call(msp.admin, 'update_settings', { input: { end_business_hours: 20 } })
    const rows = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
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
    await api.call(key, 'update_settings', { input: {} })
    const [row] = await msp.database.prisma.activityEntry.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(row).toMatchObject({
      actor_type: 'API_KEY',
      actor_id: key.id,
      context: { acting_user_id: msp.admin.id },
    })
  })
})
