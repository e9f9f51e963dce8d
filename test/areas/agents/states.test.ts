import { expect, it, onTestFinished } from 'vitest'
import { AGENT_ARCHIVED } from '../../../src/areas/agents/index.ts'
import type { State } from '../../../src/areas/agents/rules.ts'
import { scoped, sql } from '../../../src/db/db.ts'
import { ApiError } from '../../../src/errors/errors.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { type Caller, world } from '../../setup/world.ts'
import { acting, agentsOfPeople, revisionsOf } from './people.ts'

const RENAME = scoped(
  'test.rename_tenant',
  `update settings set human_friendly_client_name = human_friendly_client_name || $3
   where tenant_id = $1 and environment = $2`,
)

const STATES: readonly State[] = ['DRAFT', 'ACTIVE', 'PAUSED', 'ARCHIVED']

/** The state that each change leads to from each state; null if it is refused. */
const TRANSITIONS: Record<string, Record<State, State | null>> = {
  activate_agent: { DRAFT: 'ACTIVE', ACTIVE: 'ACTIVE', PAUSED: 'ACTIVE', ARCHIVED: null },
  pause_agent: { DRAFT: null, ACTIVE: 'PAUSED', PAUSED: 'PAUSED', ARCHIVED: null },
  archive_agent: { DRAFT: 'ARCHIVED', ACTIVE: 'ARCHIVED', PAUSED: 'ARCHIVED', ARCHIVED: 'ARCHIVED' },
}

const CASES = Object.entries(TRANSITIONS).flatMap(([operation, to]) =>
  STATES.map((from) => [operation, from, to[from]] as const),
)

const change = (api: Api, caller: Caller, operation: string, agent_id: unknown, headers = {}) =>
  api.call(caller, operation, { agent_id }, headers)

describeApi('the life of an agent', (api) => {
  it.each(CASES)('%s of one that is %s leads to %s', async (operation, from, to) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1, state: from }])
    const before = (await api.call(msp.owner, 'agent', { agent_id: 1 })).data
    clock.advance(1000)
    const { status, data, error, etag } = await change(api, msp.owner, operation, 1)
    const after = await api.call(msp.owner, 'agent', { agent_id: 1 })
    if (to === null) {
      expect([status, error?.code, error?.details.current_state]).toEqual([409, 'agent_not_active', from])
      expect([after.data, await activitiesOf(msp)]).toEqual([before, []])
      return
    }
    const { id, name, created_at, updated_at } = after.data
    expect([status, data, etag]).toEqual([200, { id, name, state: to, created_at, updated_at }, after.etag])
    expect(updated_at > before.updated_at).toBe(from !== to)
    expect(after.data).toEqual({ ...before, state: to, updated_at, revision: from === to ? 1 : 2 })
    const verbs = { activate_agent: 'activated', pause_agent: 'paused', archive_agent: 'archived' }
    const action = `agent.${verbs[operation as keyof typeof verbs]}`
    expect((await activitiesOf(msp)).map((entry) => [entry.action, entry.targets])).toEqual(
      from === to ? [] : [[action, [{ type: 'agent', id: '1', name }]]],
    )
    expect(await revisionsOf(msp, 1)).toEqual([])
  })

  it.each(Object.keys(TRANSITIONS))('%s is for those who may change the agent', async (operation) => {
    const everything = [200, 200, 200, 200, 200]
    const ofUser = [200, 200, 403, 404, 404]
    const callers: [
      (msp: Awaited<ReturnType<typeof agentsOfPeople>>) => Promise<Caller> | Caller,
      number[],
    ][] = [
      [({ owner }) => owner, everything],
      [({ admin }) => admin, everything],
      [({ key }) => key, everything],
      [(msp) => acting(msp, msp.admin), everything],
      [({ user }) => user, ofUser],
      [(msp) => acting(msp, msp.user), ofUser],
      [({ viewer }) => viewer, [403, 403, 403, 403, 403]],
      [(msp) => acting(msp, msp.viewer), [403, 403, 403, 403, 403]],
    ]
    for (const [callerIn, expected] of callers) {
      const msp = await agentsOfPeople()
      const caller = await callerIn(msp)
      const answers = []
      for (const id of [1, 2, 3, 4, 5]) answers.push(await change(api, caller, operation, id))
      expect(answers.map(({ status }) => status)).toEqual(expected)
      expect(await activitiesOf(msp)).toHaveLength(
        operation === 'activate_agent' ? 0 : expected.filter((status) => status === 200).length,
      )
    }
  })

  it('answers a USER who sees an agent, and may not change it, with the role that may', async () => {
    const msp = await agentsOfPeople()
    const { error } = await change(api, msp.user, 'pause_agent', 3)
    expect([error?.code, error?.details.required_role]).toEqual(['forbidden', 'ADMIN'])
  })

  it('is the same for an agent that the caller does not see as for none', async () => {
    const msp = await agentsOfPeople()
    const [hidden, missing] = [
      await change(api, msp.user, 'archive_agent', 4),
      await change(api, msp.user, 'archive_agent', 400),
    ]
    expect([outcome(hidden), hidden.error?.message]).toEqual([outcome(missing), missing.error?.message])
    expect(outcome(missing)).toEqual([404, 'agent_not_found'])
  })

  it('has entity tags: the one of a change is the one of the next read', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const read = await api.call(msp.owner, 'agent', { agent_id: 1 })
    const paused = await change(api, msp.owner, 'pause_agent', 1, { 'if-match': read.etag ?? '' })
    expect(paused.status).toBe(200)
    const late = await change(api, msp.owner, 'activate_agent', 1, { 'if-match': read.etag ?? '' })
    expect([...outcome(late), late.error?.details.current_etag]).toEqual([
      409,
      'version_conflict',
      paused.etag,
    ])
    const again = await change(api, msp.owner, 'pause_agent', 1, { 'if-match': paused.etag ?? '' })
    expect([again.status, again.etag]).toEqual([200, paused.etag])
    const byRevision = await change(api, msp.owner, 'activate_agent', 1, { 'if-match': '"2"' })
    expect(byRevision.status).toBe(200)
  })

  it('compares If-Match before the state, and the right to change before that', async () => {
    const msp = await agentsOfPeople()
    await change(api, msp.owner, 'archive_agent', 3)
    const outdated = { 'if-match': '"1"' }
    expect(outcome(await change(api, msp.owner, 'pause_agent', 3, outdated))).toEqual([
      409,
      'version_conflict',
    ])
    expect(outcome(await change(api, msp.user, 'pause_agent', 3, outdated))).toEqual([403, 'forbidden'])
  })

  it('does one thing for an Idempotency-Key', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const headers = { 'idempotency-key': 'pause' }
    const first = await change(api, msp.key, 'pause_agent', 1, headers)
    await change(api, msp.key, 'activate_agent', 1)
    const again = await change(api, msp.key, 'pause_agent', 1, headers)
    expect([again.data, again.headers.get('idempotency-replayed')]).toEqual([first.data, 'true'])
    expect((await api.call(msp.key, 'agent', { agent_id: 1 })).data.state).toBe('ACTIVE')
  })

  it('that ends takes what other areas do with it into its transaction', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const seen: number[] = []
    const own = AGENT_ARCHIVED.get()
    onTestFinished(() => AGENT_ARCHIVED.provide(own))
    AGENT_ARCHIVED.provide(async (ctx, agent_id) => {
      await own(ctx, agent_id)
      if (ctx.viewer?.tenant_id !== msp.tenant_id) return
      seen.push(agent_id)
      await sql(ctx, RENAME, [` ${agent_id}`])
      if (agent_id === 2) throw new ApiError('version_conflict', { details: { current_etag: '"2"' } })
    })
    expect((await change(api, msp.owner, 'archive_agent', 1)).status).toBe(200)
    expect((await change(api, msp.owner, 'archive_agent', 1)).status).toBe(200)
    expect(outcome(await change(api, msp.owner, 'archive_agent', 2))).toEqual([409, 'version_conflict'])
    expect(seen).toEqual([1, 2])
    const stateOf = async (agent_id: number) => (await api.call(msp.owner, 'agent', { agent_id })).data.state
    expect([await stateOf(1), await stateOf(2)]).toEqual(['ARCHIVED', 'ACTIVE'])
    expect((await api.call(msp.owner, 'settings')).data.human_friendly_client_name).toBe('Test MSP 1')
  })

  it('lists an archived agent only if it is asked for', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    await change(api, msp.owner, 'archive_agent', 1)
    const idsOf = async (args: object) =>
      (await api.call(msp.owner, 'agents', { ...args })).data.map(({ id }: { id: number }) => id)
    expect([await idsOf({}), await idsOf({ state: 'ARCHIVED' })]).toEqual([[2], [1]])
    expect((await api.call(msp.owner, 'agent', { agent_id: 1 })).status).toBe(200)
  })
})
