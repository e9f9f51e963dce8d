/** Every decision by every sort of credential: it takes one that is the person's own. */
import { expect, it } from 'vitest'
import { type Api, describeApi } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import type { Caller, Msp } from '../../setup/world.ts'
import { ADMIN, asked, deskWorld, USER } from './people.ts'

const QUESTION = { kind: 'QUESTION', question: 'Which Jane?', allowed_decisions: ['ANSWER'], tool_name: null }

const DECISIONS = {
  approve_til_request: { input: {} },
  reject_til_request: { input: { comment: 'No.' } },
  answer_til_request: { input: { answer: 'Jane' } },
  reassign_til_request: { input: { technician_ids: [USER] } },
} as const

interface Credential {
  caller: Caller
  headers?: Record<string, string>
  /** The code with which each decision is refused; null: it is taken. */
  refused: 'acting_user_required' | 'acting_user_not_allowed' | null
}

const rotatedBy = async (api: Api, caller: Caller, key: Caller): Promise<Caller> => {
  const { data } = await api.call(caller, 'rotate_api_key', { key_id: key.id })
  return { id: data.id, token: data.key }
}

/** Credentials with which the ADMIN, who is a technician, calls, or others call as the ADMIN. */
async function credentialsOf(api: Api, msp: Msp): Promise<Record<string, Credential>> {
  const { admin, owner, newKey } = msp
  const own = { acting_user_id: admin.id, created_by_user_id: admin.id }
  const header = { allow_acting_user_header: true, created_by_user_id: admin.id }
  const headers = { 'x-acting-user': admin.id }
  const refused = 'acting_user_not_allowed'
  return {
    'a token of the dashboard': { caller: admin, refused: null },
    'a key that they made for themselves': { caller: await newKey(own), refused: null },
    'its replacement, which they made too': {
      caller: await rotatedBy(api, admin, await newKey(own)),
      refused: null,
    },
    'a replacement that another made': { caller: await rotatedBy(api, owner, await newKey(own)), refused },
    'a key that another made': {
      caller: await newKey({ acting_user_id: admin.id, created_by_user_id: owner.id }),
      refused,
    },
    'a key of theirs with a header': { caller: await newKey(header), headers, refused },
    'a key of theirs with a header that names nobody else': {
      caller: await newKey({ ...own, ...header }),
      headers,
      refused,
    },
    'a key with no acting user': {
      caller: await newKey({ created_by_user_id: admin.id }),
      refused: 'acting_user_required',
    },
  }
}

describeApi('a decision', (api) => {
  it('takes a credential of the person’s own, whichever it is', async () => {
    const msp = await deskWorld()
    const answers: Record<string, unknown> = {}
    const expected: Record<string, unknown> = {}
    for (const [name, { caller, headers, refused }] of Object.entries(await credentialsOf(api, msp)))
      for (const [decision, args] of Object.entries(DECISIONS)) {
        const til_request_id = `til ${decision} ${name}`
        await asked(msp, {
          ...(decision === 'answer_til_request' && (QUESTION as object)),
          id: til_request_id,
          technicians: [ADMIN],
        })
        const { status, error } = await api.call(caller, decision, { til_request_id, ...args }, headers)
        answers[til_request_id] = error?.code ?? status
        expected[til_request_id] = refused ?? 200
      }
    expect(answers).toEqual(expected)
    expect(Object.keys(answers)).toHaveLength(32)
  })

  it('by a key names the person and the key, wherever it is recorded', async () => {
    const msp = await deskWorld()
    await asked(msp)
    const key = await msp.newKey({ acting_user_id: msp.admin.id, created_by_user_id: msp.admin.id })
    const { data } = await api.call(key, 'approve_til_request', { til_request_id: 'til_1' })
    const name = `Technician ${ADMIN} (API key ${key.id})`
    expect(data.decided_by_name).toBe(name)
    expect(data.approvals).toMatchObject([{ technician_id: ADMIN, name, via: 'API' }])
    expect(await activitiesOf(msp)).toMatchObject([
      {
        actor_type: 'API_KEY',
        actor_id: key.id,
        actor_name: key.id,
        context: { acting_user_id: msp.admin.id, acting_user_name: 'Admin' },
      },
    ])
  })
})
