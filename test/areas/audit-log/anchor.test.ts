/** The ends of days, which are anchored in the activity log and in the log of the process. */
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anchorDays } from '../../../src/areas/audit-log/chain/anchor.ts'
import { statement } from '../../../src/db/sql.ts'
import { describeApi } from '../../setup/api.ts'
import { clock, testApp } from '../../setup/app.ts'
import { addCallsAt, chainOf, closeChain, tamper } from '../../setup/audit-chain.ts'
import { activitiesOf, asRetention } from '../../setup/audit-log.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, sharedAgents } from './calls.ts'

const dateOf = (instant: Date): string => instant.toISOString().slice(0, 10)
const noon = (count: number): Date => new Date(`${dateOf(ago(count))}T12:00:00Z`)

/** Runs the loop once. The result are the lines of the log that are about the tenant. */
async function anchorAll({ tenant_id }: Msp) {
  const lines: Record<string, unknown>[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
  const { services } = (await testApp()).app
  await anchorDays.run({ services, now: clock.now(), signal: new AbortController().signal, log })
  return lines.filter((line) => line.tenant_id === tenant_id)
}

/** Three calls of yesterday, e1 to e3, with their chain closed. It is noon. */
async function yesterday(): Promise<Msp> {
  clock.freeze()
  clock.frozen_at = noon(0)
  onTestFinished(clock.reset)
  const msp = await sharedAgents()
  await addCallsAt(msp, [noon(1), noon(1), noon(1)])
  await closeChain(msp)
  return msp
}

const anchorsOf = async (msp: Msp) =>
  (await activitiesOf(msp)).filter(({ action }) => action === 'audit_log.anchored')

describe('a day that is over', () => {
  it('has its end written once to the activity log, and to the log of the process', async () => {
    const msp = await yesterday()
    await addCallsAt(msp, [noon(0)], 't')
    await closeChain(msp)
    const lines = (await Promise.all([anchorAll(msp), anchorAll(msp)])).flat()
    await anchorAll(msp)
    const last = (await chainOf(msp)).find(({ id }) => id === 'e3')
    const end = { entries: 3, last_hash: last?.hash }
    const day = dateOf(ago(1))
    const { tenant_id, environment } = msp
    expect(lines).toEqual([expect.objectContaining({ tenant_id, environment, day, ...end })])
    expect(await anchorsOf(msp)).toEqual([
      expect.objectContaining({
        after: end,
        actor_type: 'SYSTEM',
        targets: [{ type: 'audit_day', id: day, name: day }],
      }),
    ])
  })

  it('has none while an entry of it waits for the chain, and in the ten minutes after it', async () => {
    const msp = await yesterday()
    await addCallsAt(msp, [noon(1)], 'w')
    await anchorAll(msp)
    expect(await anchorsOf(msp)).toEqual([])
    await closeChain(msp)
    clock.frozen_at = new Date(`${dateOf(clock.now())}T00:09:59Z`)
    await anchorAll(msp)
    expect(await anchorsOf(msp)).toEqual([])
    clock.frozen_at = noon(0)
    await anchorAll(msp)
    expect((await anchorsOf(msp)).map(({ after }) => after)).toMatchObject([{ entries: 4 }])
  })

  it('takes no more entries: one that is stored later is in the chain of its day', async () => {
    const msp = await yesterday()
    await anchorAll(msp)
    await addCallsAt(msp, [noon(1)], 'late')
    await closeChain(msp)
    const days = (await chainOf(msp)).map(({ id, chain_day }) => [id, chain_day && dateOf(chain_day)])
    expect(days.at(-1)).toEqual(['late1', dateOf(clock.now())])
    const grow = msp.database.transaction(10_000, async (connection) => {
      await connection.rows(statement('test.chain', `select set_config('app.audit_chain', 'on', true)`), [])
      const text = `update audit_day set entries = 9 where tenant_id = $1 and anchored_at is not null`
      await connection.rows(statement('test.grow', text), [msp.tenant_id])
    })
    await expect(grow).rejects.toThrow('only ever added to')
  })
})

describeApi('the verification of an anchored day', (api) => {
  const CUT = [
    `delete from audit_entry where tenant_id = $1 and environment = $2 and id = 'e3'`,
    `update audit_day set entries = 2, last_hash =
       (select hash from audit_entry where tenant_id = $1 and id = 'e2') where tenant_id = $1 and environment = $2`,
  ]
  it.each([
    ['as it was', [], null],
    ['without its last entry', CUT, 'DAY_CHANGED'],
    [
      'without any entry',
      ['audit_entry', 'audit_day'].map(
        (table) => `delete from ${table} where tenant_id = $1 and environment = $2`,
      ),
      'ENTRY_MISSING',
    ],
    [
      'without its anchor',
      [`delete from activity_entry where tenant_id = $1 and environment = $2 and action like 'audit_log.%'`],
      'DAY_CHANGED',
    ],
  ])('finds a day %s', async (_how, statements, fault) => {
    const msp = await yesterday()
    await anchorAll(msp)
    for (const text of statements) await tamper(msp, text)
    const { data } = await api.call(msp.admin, 'verify_audit_log', { day: dateOf(ago(1)) })
    expect([data.status, data.fault]).toEqual([fault ? 'BROKEN' : 'VERIFIED', fault])
  })
})

describe('retention', () => {
  it('is allowed by a function for its own transaction, and by no setting', async () => {
    const msp = await yesterday()
    const { tenant_id, database } = msp
    const remove = () => database.prisma.auditEntry.deleteMany({ where: { tenant_id, id: 'e1' } })
    const set = database.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`set local app.retention = 'on'`)
      await tx.auditEntry.deleteMany({ where: { tenant_id, id: 'e1' } })
    })
    await expect(set).rejects.toThrow('only ever inserted')
    await asRetention(msp, (tx) => tx.auditEntry.deleteMany({ where: { tenant_id, id: 'e2' } }))
    await expect(remove()).rejects.toThrow('only ever inserted')
    expect((await chainOf(msp)).map(({ id }) => id)).toEqual(['e1', 'e3'])
  })

  it('is for nobody else: the function and its table are the owner’s', async () => {
    const { database } = await sharedAgents()
    const [rights] = await database.prisma.$queryRawUnsafe<Record<string, unknown>[]>(
      `select has_function_privilege('pg_monitor', 'allow_retention()', 'execute') as call,
         has_table_privilege('pg_monitor', 'retention_permit', 'insert') as write,
         (select array_to_string(proconfig, ',') from pg_proc where proname = 'allow_retention') as settings`,
    )
    expect(rights).toMatchObject({ call: false, write: false })
    expect(rights?.settings).toMatch(/^search_path=pg_catalog, \w+, pg_temp$/)
  })
})
