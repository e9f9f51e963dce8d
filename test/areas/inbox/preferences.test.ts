import { expect, it } from 'vitest'
import { apis, describeApi, outcome } from '../../setup/api.ts'
import { world } from '../../setup/world.ts'

const update = 'update_inbox_preferences'

describeApi('the preferences of an inbox', (api) => {
  it('are empty at first, and what their user stores then', async () => {
    const msp = await world()
    const first = await api.call(msp.viewer, 'inbox_preferences')
    expect(first.data).toEqual({ mail_kinds: [], quiet_kinds: [], revision: 1 })
    const input = { mail_kinds: ['TIL_REQUEST', 'ESCALATION', 'TIL_REQUEST'], quiet_kinds: ['FEEDBACK'] }
    const stored = await api.call(msp.viewer, update, { input })
    expect(stored.data).toEqual({
      mail_kinds: ['ESCALATION', 'TIL_REQUEST'],
      quiet_kinds: ['FEEDBACK'],
      revision: 2,
    })
    const read = await api.call(msp.viewer, 'inbox_preferences')
    expect([read.data, read.etag]).toEqual([stored.data, stored.etag])
    const again = await api.call(msp.viewer, update, {
      input: { mail_kinds: ['ESCALATION', 'TIL_REQUEST'], quiet_kinds: ['FEEDBACK'] },
    })
    expect([again.status, again.data]).toEqual([200, stored.data])
    const emptied = await api.call(msp.viewer, update, { input: { mail_kinds: [], quiet_kinds: [] } })
    expect(emptied.data).toEqual({ mail_kinds: [], quiet_kinds: [], revision: 3 })
    expect((await api.call(msp.user, 'inbox_preferences')).data.revision).toBe(1)
    const { prisma } = msp.database
    const { id: user_id } = msp.viewer
    const [first_change] = await prisma.activityEntry.findMany({
      where: { tenant_id: msp.tenant_id, action: 'inbox_preferences.updated' },
      orderBy: { occurred_at: 'asc' },
    })
    expect(first_change).toMatchObject({
      targets: [{ type: 'inbox_preferences', id: user_id, name: 'Viewer' }],
      before: { mail_kinds: [], quiet_kinds: [] },
      after: { mail_kinds: ['ESCALATION', 'TIL_REQUEST'], quiet_kinds: ['FEEDBACK'] },
    })
  })

  it('have both kinds, and no kind in both', async () => {
    const msp = await world()
    const both = { mail_kinds: ['DISPATCH', 'ESCALATION'], quiet_kinds: ['FEEDBACK', 'ESCALATION'] }
    const refused = await api.call(msp.user, update, { input: both })
    expect([refused.status, refused.error]).toMatchObject([
      422,
      {
        code: 'request_validation_failed',
        details: { field_errors: [{ field: 'quiet_kinds.1', location: 'body', code: 'exclusive' }] },
      },
    ])
    for (const input of [
      { mail_kinds: ['DISPATCH'] },
      { mail_kinds: [], quiet_kinds: ['NONE'] },
      { mail_kinds: null, quiet_kinds: [] },
    ])
      expect(outcome(await api.call(msp.user, update, { input }))).toEqual([422, 'request_validation_failed'])
    expect((await api.call(msp.user, 'inbox_preferences')).data.revision).toBe(1)
  })

  it('are changed as they were seen, before they are stored too', async () => {
    const msp = await world()
    const { etag } = await api.call(msp.user, 'inbox_preferences')
    const put = (mail_kinds: string[], tag: string | null) =>
      api.call(msp.user, update, { input: { mail_kinds, quiet_kinds: [] } }, { 'if-match': tag ?? '' })
    const first = await put(['DISPATCH'], etag)
    expect(first.status).toBe(200)
    expect(outcome(await put(['FEEDBACK'], etag))).toEqual([409, 'version_conflict'])
    expect((await put(['FEEDBACK'], first.etag)).status).toBe(200)
  })
})

it('are stored once by two callers at once', async () => {
  const msp = await world()
  const kinds = ['DISPATCH', 'FEEDBACK', 'ESCALATION', 'TIL_REQUEST']
  const answers = await Promise.all(
    kinds.map((kind) => apis[0]?.call(msp.user, update, { input: { mail_kinds: [kind], quiet_kinds: [] } })),
  )
  expect(answers.map((answer) => answer?.status)).toEqual([200, 200, 200, 200])
  expect(answers.map((answer) => answer?.data.revision).sort()).toEqual([2, 3, 4, 5])
})
