/** Secret parameters: encrypted, given to the RMM alone, and never an agent's to choose. */
import { beforeAll, expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf } from '../../setup/audit-log.ts'
import { installQueues } from '../agents/runnable.ts'
import { entriesOf } from '../executions/run/chain.ts'
import { office, SECRET_VALUE } from './office.ts'

beforeAll(installQueues)

type Office = Awaited<ReturnType<typeof office>>

/** The tables of the database that hold the text in a row of the tenant, or of nobody. */
async function tablesWith({ msp }: Office, text: string): Promise<string[]> {
  const { prisma } = msp.database
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    select format('%I.%I', table_schema, table_name) as name from information_schema.tables
    where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE' order by 1`
  const found: string[] = []
  for (const { name } of tables) {
    // The RMM's own data, which the service plays.
    if (name.endsWith('.local_rmm_script')) continue
    const [row] = await prisma.$queryRawUnsafe<{ is_there: boolean }[]>(
      `select exists (select from ${name} t where t::text like $1) as is_there`,
      `%${text}%`,
    )
    if (row?.is_there) found.push(name)
  }
  return found
}

const JOIN = { script_id: 'scr_join' }

describeApi('a secret parameter', (api) => {
  it('that a person gives reaches the RMM, and no row, activity or answer', async () => {
    const its = await office(api)
    const headers = { 'idempotency-key': `join-${its.msp.tenant_id}` }
    const input = { device_id: 'dev_1', parameters: { secret: SECRET_VALUE } }
    const asked = await its.call(its.msp.admin, 'run_rmm_script', { ...JOIN, input }, headers)
    expect(asked.data?.parameters).toEqual({ secret: '[secret]' })
    await its.work()
    const run = await its.done(its.msp.admin, 'rmm_script_run', { run_id: asked.data.id })
    expect(run).toMatchObject({ status: 'SUCCEEDED', stdout: 'Joined with [secret] on DESK-1' })
    expect(JSON.stringify(await activitiesOf(its.msp))).not.toContain(SECRET_VALUE)
    expect(await tablesWith(its, SECRET_VALUE)).toEqual([])
    const stored = await its.msp.database.prisma.rmmScriptRun.findFirst({ where: { id: asked.data.id } })
    expect(stored?.secrets).toBeNull()
  })

  it('that is required and left out is named by its path', async () => {
    const its = await office(api)
    const { status, error } = await its.runScript(its.msp.admin, 'join')
    expect([status, error?.details.field_errors]).toMatchObject([
      422,
      [{ field: 'parameters.secret', code: 'secret_required' }],
    ])
    expect(await its.runs()).toEqual([])
  })

  it('of a call that waits is kept for the RMM, encrypted, and is no part of the request', async () => {
    const its = await office(api)
    const { data } = await its.runScript(its.msp.key, 'join', { parameters: { secret: SECRET_VALUE } })
    expect(data.status).toBe('PENDING_APPROVAL')
    const request = await its.done(its.msp.admin, 'til_request', { til_request_id: data.til_request_id })
    expect(request.arguments.input.parameters).toEqual({ secret: '[secret]' })
    expect((await its.approve(its.msp.admin, data.til_request_id)).data?.call_error).toBeNull()
    await its.work()
    expect(await its.done(its.msp.key, 'rmm_script_run', { run_id: data.id })).toMatchObject({
      status: 'SUCCEEDED',
    })
    expect(await tablesWith(its, SECRET_VALUE)).toEqual([])
  })

  it('of an agent’s run is given by the approver, and by nobody else', async () => {
    const its = await office(api, { asks: JOIN })
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    const plain = await its.approve(its.msp.admin, til_request_id)
    expect([plain.status, plain.error?.details.field_errors]).toMatchObject([
      422,
      [{ field: 'edited_arguments.parameters.secret', code: 'secret_required' }],
    ])
    const edited_arguments = { ...JOIN, device_id: 'dev_1', parameters: { secret: SECRET_VALUE } }
    const approved = await its.approve(its.msp.admin, til_request_id, { edited_arguments })
    expect([approved.status, approved.error]).toEqual([200, null])
    expect(approved.data.edited_arguments.parameters).toEqual({ secret: '[secret]' })
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({
      status: 'SUCCEEDED',
      stdout: 'Joined with [secret] on DESK-1',
    })
    expect(await tablesWith(its, SECRET_VALUE)).toEqual([])
  })

  it('that an agent chooses refuses the call', async () => {
    const its = await office(api, { asks: { ...JOIN, parameters: { secret: 'Battery-Staple-9' } } })
    const execution_id = await its.start()
    const [entry] = await entriesOf(api, its.msp, execution_id)
    expect(entry).toMatchObject({ outcome: 'FAILED', error_code: 'secret_required' })
    expect(entry.error_message).toContain('parameters.secret')
  })

  it('that is required refuses the call of an agent about which nobody is asked', async () => {
    const its = await office(api, { asks: JOIN, script: { risk: 'READ_ONLY', approval: 'BY_RISK' } })
    const execution_id = await its.start()
    expect((await entriesOf(api, its.msp, execution_id)).at(-1)).toMatchObject({
      error_code: 'secret_required',
    })
    expect(await its.starts('join')).toEqual([])
  })
})

describeApi('edited arguments', (api) => {
  it('choose another device and other values, which run, and no device of another company', async () => {
    const its = await office(api, { asks: { device_id: 'dev_off' } })
    const execution_id = await its.start()
    const { til_request_id } = await its.run(execution_id)
    const edited = (changes: object) => ({
      edited_arguments: {
        script_id: 'scr_clean',
        device_id: 'dev_1',
        parameters: { level: 'HIGH' },
        ...changes,
      },
    })
    const abroad = await its.approve(its.msp.admin, til_request_id, edited({ device_id: 'dev_2' }))
    expect(outcome(abroad)).toEqual([422, 'request_validation_failed'])
    const wrong = await its.approve(
      its.msp.admin,
      til_request_id,
      edited({ parameters: { level: 'MIDDLE' } }),
    )
    expect(wrong.error?.details.field_errors).toMatchObject([{ field: 'edited_arguments.parameters.level' }])
    expect((await its.approve(its.msp.admin, til_request_id, edited({}))).status).toBe(200)
    await its.work()
    expect(await its.run(execution_id)).toMatchObject({
      status: 'SUCCEEDED',
      device_id: 'dev_1',
      parameters: { level: 'HIGH' },
    })
  })
})
