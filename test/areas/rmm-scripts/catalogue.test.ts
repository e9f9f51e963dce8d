import { beforeAll, expect, it } from 'vitest'
import { type Api, describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { addScripts } from '../../setup/rmm-scripts.ts'
import { countStatements } from '../../setup/statements.ts'
import { showConnected } from '../../setup/syncs.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

beforeAll(installQueues)

const PARAMETERS = [
  { name: 'scope', type: 'CHOICE', required: true, default: 'ALL', choices: ['ALL', 'ONE'], secret: false },
  { name: 'token', type: 'STRING', required: false, default: 'hidden', choices: null, secret: true },
  { name: 'key', type: 'STRING', required: false, default: 'shown', choices: null, secret: false },
]

/** A tenant whose RMM is connected, with a script that has parameters and a body. */
async function tenant(): Promise<Msp> {
  const msp = await world()
  await showConnected(msp, 'ninjaone')
  await addScripts(msp, [
    {
      id: 'scr_1',
      name: 'Clean up',
      parameters: PARAMETERS,
      body: 'Remove-Item C:\\Temp',
      agent_enabled: false,
    },
  ])
  return msp
}

const script_id = 'scr_1'

const update = (api: Api, msp: Msp, input: object, headers: Record<string, string> = {}) =>
  api.call(msp.admin, 'update_rmm_script', { script_id, input }, headers)

const problemsOf = ({ error }: Awaited<ReturnType<Api['call']>>) =>
  error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)

describeApi('scripts of the RMM', (api) => {
  it('have their parameters, and the default of no secret', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.viewer, 'rmm_script', { script_id })
    expect(data).toMatchObject({
      id: script_id,
      system: 'NINJAONE',
      external_id: script_id,
      name: 'Clean up',
      agent_description: null,
      shell: 'POWERSHELL',
      platforms: ['WINDOWS'],
      default_timeout_seconds: 90,
      risk: 'UNKNOWN',
      agent_enabled: false,
      approval: 'ALWAYS',
      runnable: false,
      removed_at: null,
      revision: 1,
    })
    const [scope, token, key] = PARAMETERS
    expect(data.parameters).toEqual([scope, { ...token, default: null }, key])
    expect(data).not.toHaveProperty('secret_parameters')
  })

  it('show their body in one operation, if it is asked for', async () => {
    const msp = await tenant()
    const body = 'Remove-Item C:\\Temp'
    const read = (args: object) => api.call(msp.viewer, 'rmm_script', { script_id, ...args })
    expect((await read({})).data.body).toBeNull()
    expect((await read({ include_body: false })).data.body).toBeNull()
    expect((await read({ include_body: true })).data.body).toBe(body)
    const { data } = await api.call(msp.viewer, 'rmm_scripts')
    expect([data.length, data[0].body]).toEqual([1, null])
    expect((await update(api, msp, { agent_enabled: true })).data.body).toBeNull()
  })

  it('are changed field by field, and what is left out keeps its value', async () => {
    const msp = await tenant()
    const rules = {
      agent_description: 'Frees space.',
      risk: 'READ_ONLY',
      agent_enabled: true,
      approval: 'BY_RISK',
    }
    const { data } = await update(api, msp, { ...rules, secret_parameters: ['key', 'token', 'key'] })
    expect(data).toMatchObject({ ...rules, runnable: true, revision: 2 })
    expect(data.parameters.map(({ secret }: { secret: boolean }) => secret)).toEqual([false, true, true])
    expect(data.parameters[2].default).toBeNull()
    expect((await api.call(msp.key, 'rmm_script', { script_id })).data).toEqual(data)
    expect((await update(api, msp, { risk: 'READ_ONLY' })).data).toEqual(data)
    const cleared = await update(api, msp, { agent_description: null, secret_parameters: [] })
    expect(cleared.data).toMatchObject({ ...rules, agent_description: null, revision: 3 })
    expect(cleared.data.parameters.map(({ secret }: { secret: boolean }) => secret)).toEqual([
      false,
      true,
      false,
    ])
  })

  it.each([
    [
      'a name that is no parameter',
      { secret_parameters: ['key', 'nothing'] },
      ['secret_parameters.1 unknown'],
    ],
    ['no name', { secret_parameters: [' '] }, ['secret_parameters.0 length']],
    ['no list', { secret_parameters: null }, ['secret_parameters null']],
    ['an empty description', { agent_description: ' ' }, ['agent_description length']],
    ['1,025 characters', { agent_description: 'é'.repeat(1025) }, ['agent_description length']],
    ['no flag', { agent_enabled: null }, ['agent_enabled null']],
    ['a secret', { agent_description: 'Use svc_sk_dev_0123456789abcdefghij.' }, ['agent_description secret']],
  ])('refuse rules with %s, and keep those that they had', async (_what, input, problems) => {
    const msp = await tenant()
    const refused = await update(api, msp, input)
    expect([refused.status, problemsOf(refused)]).toEqual([422, problems])
    const stored = await msp.database.prisma.rmmScript.findMany({ where: { tenant_id: msp.tenant_id } })
    expect(stored).toMatchObject([{ revision: 1, secret_parameters: [], agent_description: null }])
  })

  it('are changed at the revision that the caller read alone, and each change is recorded', async () => {
    const msp = await tenant()
    const { etag } = await api.call(msp.admin, 'rmm_script', { script_id })
    const headers = { 'if-match': String(etag) }
    expect(outcome(await update(api, msp, { agent_enabled: true }, headers))).toEqual([200, undefined])
    expect(outcome(await update(api, msp, { risk: 'DESTRUCTIVE' }, headers))).toEqual([
      409,
      'version_conflict',
    ])
    const activities = await activitiesOf(msp)
    expect(activities).toMatchObject([
      {
        action: 'rmm_script.updated',
        targets: [{ type: 'rmm_script', id: script_id, name: 'Clean up' }],
        before: { agent_enabled: false },
        after: { agent_enabled: true },
      },
    ])
    expect(JSON.stringify(activities)).not.toContain('hidden')
  })

  it('run while the RMM has them, is connected, and starts scripts', async () => {
    const msp = await tenant()
    const { database, tenant_id, environment } = msp
    const { rmmScript, integrationConnection, systemConnection } = database.prisma
    const set = (data: object) => rmmScript.updateMany({ where: { tenant_id }, data })
    const connect = (connected: boolean) =>
      integrationConnection.updateMany({ where: { tenant_id, name: 'ninjaone' }, data: { connected } })
    const isRunnable = async () => {
      const { data, etag } = await api.call(msp.key, 'rmm_script', { script_id })
      const listed = await api.call(msp.key, 'rmm_scripts', { runnable: true })
      expect([data.runnable, listed.data.length]).toEqual([data.runnable, Number(data.runnable)])
      tags.push(String(etag))
      return data.runnable
    }
    const tags: string[] = []
    await set({ agent_enabled: true })
    expect(await isRunnable()).toBe(true)
    await set({ removed_at: new Date() })
    expect(await isRunnable()).toBe(false)
    await set({ removed_at: null })
    await connect(false)
    expect(await isRunnable()).toBe(false)
    await connect(true)
    const updated = { updated_at: new Date(), updated_by_name: 'Admin' }
    await systemConnection.create({
      data: {
        tenant_id,
        environment,
        name: 'ninjaone',
        connection_id: `con_${tenant_id}`,
        settings: {},
        secret_names: ['client_secret'],
        secrets: 'unread',
        ...updated,
      },
    })
    expect(await isRunnable()).toBe(false)
    await systemConnection.updateMany({
      where: { tenant_id },
      data: { secret_names: ['client_secret', 'refresh_token'] },
    })
    expect(await isRunnable()).toBe(true)
    expect(tags[0]).toBe(tags.at(-1))
    expect(tags[2]).not.toBe(tags[0])
  })

  it('are read by as many statements for many as for one', async () => {
    const msp = await tenant()
    const read = () => api.call(msp.key, 'rmm_scripts')
    await read()
    const of_one = await countStatements(msp.database, read)
    await addScripts(
      msp,
      Array.from({ length: 30 }, (_, n) => ({ id: `scr_more_${n}`, parameters: PARAMETERS })),
    )
    expect(await countStatements(msp.database, read)).toBe(of_one)
    expect((await read()).data).toHaveLength(31)
  })

  it('are those of one tenant', async () => {
    const [msp, other] = [await tenant(), await world()]
    expect((await api.call(other.admin, 'rmm_scripts')).data).toEqual([])
    const changed = await api.call(other.admin, 'update_rmm_script', {
      script_id,
      input: { agent_enabled: true },
    })
    expect(outcome(changed)).toEqual([404, 'rmm_script_not_found'])
    expect((await api.call(msp.admin, 'rmm_script', { script_id })).data.agent_enabled).toBe(false)
  })

  it('are changed by keys and people with the scope', async () => {
    const msp = await tenant()
    const reader = await msp.newKey({ scopes: ['rmm_scripts:read'] })
    const input = { agent_enabled: true }
    const refused = await api.call(reader, 'update_rmm_script', { script_id, input })
    expect(refused.status).toBe(403)
    expect((await api.call(reader, 'rmm_script', { script_id })).status).toBe(200)
  })
})
