import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { world } from '../../setup/world.ts'

describeApi('a change of a technician', (api) => {
  const technician = async (values = {}) => {
    const msp = await world()
    const [profile_id = 0] = await addTechnicians(msp, [values])
    const update = (input: object, headers = {}) =>
      api.call(msp.admin, 'update_technician', { profile_id, input }, headers)
    const read = () => api.call(msp.viewer, 'technician', { profile_id })
    return { msp, profile_id, update, read }
  }

  it('sets the fields that are given, and keeps the others', async () => {
    const { msp, update, read } = await technician({ skills: ['VPN'], custom_instructions: 'Ask me.' })
    const { data, etag } = await update({ profile: ' Second line. ', skills: ['Backups', 'vpn', 'VPN'] })
    expect(data).toMatchObject({
      profile: 'Second line.',
      profile_status: 'READY',
      is_ready: true,
      custom_instructions: 'Ask me.',
      skills: ['Backups', 'vpn'],
      update_automatically: true,
      revision: 2,
    })
    expect(await read()).toMatchObject({ data, etag })
    expect(await activitiesOf(msp)).toMatchObject([
      {
        action: 'technician.updated',
        targets: [{ type: 'technician', id: String(data.id), name: data.name }],
        before: { profile: null, skills: ['VPN'] },
        after: { profile: 'Second line.', skills: ['Backups', 'vpn'] },
      },
    ])
  })

  it.each([null, '', '   '])('to %j clears the profile and the instructions', async (text) => {
    const ready = { profile: 'Old.', profile_status: 'READY', is_ready: true, custom_instructions: 'Old.' }
    const { update } = await technician(ready as object)
    const { data } = await update({ profile: text, custom_instructions: text, skills: [] })
    expect(data).toMatchObject({
      profile: null,
      profile_status: 'PENDING',
      is_ready: false,
      custom_instructions: null,
    })
  })

  it('with what was read leaves everything as it is', async () => {
    const stale = { profile: 'Old.', profile_status: 'STALE', is_ready: true, skills: ['VPN'] }
    const { msp, update, read } = await technician(stale as object)
    const before = await read()
    const { profile, custom_instructions, update_automatically, skills, ...others } = before.data
    const sent = { profile, custom_instructions, update_automatically, skills }
    clock.advance(1000)
    const again = await update(api.name === 'rest' ? { ...sent, ...others } : sent)
    expect([again.status, again.data, again.etag]).toEqual([200, before.data, before.etag])
    expect(await activitiesOf(msp)).toEqual([])
  })

  it('of a deleted technician keeps them deleted', async () => {
    const { update } = await technician({ deleted_at: clock.now(), update_automatically: false })
    const { data } = await update({ profile: 'Left in May.' })
    expect(data).toMatchObject({ profile_status: 'READY', is_ready: false })
    expect(data.deleted_at).not.toBeNull()
  })

  it('needs the version that was read', async () => {
    const { update, read } = await technician()
    const { etag } = await read()
    expect((await update({ skills: ['VPN'] }, { 'if-match': etag ?? '' })).status).toBe(200)
    const late = await update({ skills: ['Cabling'] }, { 'if-match': etag ?? '' })
    expect(outcome(late)).toEqual([409, 'version_conflict'])
    expect((await read()).data.skills).toEqual(['VPN'])
  })

  it.each([
    [{ profile: 'x'.repeat(8001) }, 'profile'],
    [{ custom_instructions: 'x'.repeat(4001) }, 'custom_instructions'],
    [{ custom_instructions: 'a\u0000b' }, 'custom_instructions'],
    [{ profile: '\ud800' }, 'profile'],
    [{ skills: [''] }, 'skills.0'],
    [{ skills: ['x'.repeat(61)] }, 'skills.0'],
    [{ skills: Array(51).fill('VPN') }, 'skills'],
    [{ skills: null }, 'skills'],
    [{ update_automatically: null }, 'update_automatically'],
  ])('to %o is refused by the field %s', async (input, field) => {
    const { msp, update } = await technician()
    const { status, error } = await update({ ...input })
    expect([status, error?.code]).toEqual([422, 'request_validation_failed'])
    expect(error?.details.field_errors?.map((problem) => problem.field)).toEqual([field])
    expect(await activitiesOf(msp)).toEqual([])
  })
})
