import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { deleteOldToolCalls } from '../../../src/areas/audit-log/jobs.ts'
import type { UnboundJobContext } from '../../../src/jobs/job.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { clock } from '../../setup/app.ts'
import { addCallsAt, chainOf, closeChain, tamper } from '../../setup/audit-chain.ts'
import { countStatements } from '../../setup/statements.ts'
import type { Msp } from '../../setup/world.ts'
import { ago, sharedAgents } from './calls.ts'

const dateOf = (instant: Date): string => instant.toISOString().slice(0, 10)
const noon = (count: number): Date => new Date(`${dateOf(ago(count))}T12:00:00Z`)

/** Five calls of yesterday, e1 to e5, and one of today, t1, with their chains closed. */
async function closedDays(): Promise<Msp> {
  clock.freeze()
  const msp = await sharedAgents()
  await addCallsAt(
    msp,
    [0, 1, 2, 3, 4].map((ms) => new Date(noon(1).getTime() + ms)),
  )
  await addCallsAt(msp, [new Date(`${dateOf(clock.now())}T00:00:00Z`)], 't')
  await closeChain(msp)
  return msp
}

const yesterday = () => ({ day: dateOf(ago(1)) })

/** JSON with its names in order, which is the canonical form of what entries hold. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${names.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

describeApi('the verification of the audit log', (api) => {
  it('finds a day as it was stored, today if none is named', async () => {
    const msp = await closedDays()
    const { data, status } = await api.call(msp.admin, 'verify_audit_log', yesterday())
    const last = await msp.database.prisma.auditEntry.findFirstOrThrow({
      where: { tenant_id: msp.tenant_id, id: 'e5' },
    })
    expect([status, data]).toEqual([
      200,
      {
        ...yesterday(),
        status: 'VERIFIED',
        entries: 5,
        verified_entries: 5,
        unclosed_entries: 0,
        last_entry_id: 'e5',
        last_hash: last.hash,
        fault: null,
        broken_at_entry_id: null,
      },
    ])
    const today = await api.call(msp.key, 'verify_audit_log')
    expect(today.data).toMatchObject({ day: dateOf(clock.now()), status: 'VERIFIED', entries: 1 })
  })

  it('is what anybody can do with the entries that the log answers', async () => {
    const msp = await closedDays()
    const { data } = await api.call(msp.key, 'audit_log')
    expect(data).toHaveLength(6)
    for (const [index, { hash, ...entry }] of data.entries()) {
      const whole = { ...entry, tenant_id: msp.tenant_id, environment: msp.environment }
      const kept = Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null))
      expect(createHash('sha256').update(canonical(kept)).digest('hex')).toBe(hash)
      if (entry.id.startsWith('e') && entry.id !== 'e1')
        expect(entry.previous_hash).toBe(data[index + 1].hash)
    }
  })

  it.each([
    ["update audit_entry set result_summary = 'x'", 'e3', 'ENTRY_CHANGED', 'e3'],
    ["update audit_entry set arguments = '{}'", 'e1', 'ENTRY_CHANGED', 'e1'],
    ["update audit_entry set hash = repeat('0', 64)", 'e5', 'ENTRY_CHANGED', 'e5'],
    ['delete from audit_entry', 'e1', 'ENTRY_MISSING', 'e2'],
    ['delete from audit_entry', 'e5', 'ENTRY_MISSING', null],
    ["update audit_entry set previous_hash = repeat('0', 64)", 'e4', 'ORDER_CHANGED', 'e4'],
    ['update audit_entry set chain_position = 7', 'e5', 'ENTRY_MISSING', null],
    ['update audit_entry set chain_day = chain_day - 5', 'e2', 'ENTRY_MISSING', 'e3'],
  ])('finds where a day was changed: %s of %s', async (statement, id, fault, broken_at_entry_id) => {
    const msp = await closedDays()
    await tamper(msp, `${statement} where tenant_id = $1 and environment = $2 and id = '${id}'`)
    const { data } = await api.call(msp.admin, 'verify_audit_log', yesterday())
    const before = broken_at_entry_id === null ? 4 : Number(broken_at_entry_id[1]) - 1
    const verified = fault === 'ENTRY_MISSING' && broken_at_entry_id ? before - 1 : before
    expect(data).toMatchObject({
      status: 'BROKEN',
      fault,
      broken_at_entry_id,
      entries: 5,
      verified_entries: verified,
      last_entry_id: verified === 0 ? null : `e${verified}`,
    })
    expect((await api.call(msp.admin, 'verify_audit_log')).data.status).toBe('VERIFIED')
  })

  const OF_DAY =
    'where tenant_id = $1 and environment = $2 and day = (select min(day) from audit_day where tenant_id = $1)'
  it.each([
    [
      'its end was removed with its length',
      ["delete from audit_entry where tenant_id = $1 and environment = $2 and id = 'e5'"],
      `update audit_day set entries = 4, last_hash =
         (select hash from audit_entry where tenant_id = $1 and id = 'e4') ${OF_DAY}`,
      ['DAY_CHANGED', 'DAY_BEFORE_CHANGED'],
    ],
    [
      'all of it was removed',
      ["delete from audit_entry where tenant_id = $1 and environment = $2 and id like 'e%'"],
      `delete from audit_day ${OF_DAY}`,
      ['ENTRY_MISSING', 'DAY_BEFORE_CHANGED'],
    ],
    [
      'an entry was put behind its end',
      [],
      `update audit_entry set chain_day = chain_day - 1, chain_position = 6
       where tenant_id = $1 and environment = $2 and id = 't1'`,
      ['ENTRY_ADDED', 'ENTRY_MISSING'],
    ],
  ])('finds a day of which %s', async (_what, first, second, faults) => {
    const msp = await closedDays()
    for (const statement of [...first, second]) await tamper(msp, statement)
    const found = [
      await api.call(msp.admin, 'verify_audit_log', yesterday()),
      await api.call(msp.admin, 'verify_audit_log'),
    ]
    expect(found.map(({ data }) => data.fault)).toEqual(faults)
  })

  it('says how many entries wait for the chain', async () => {
    clock.freeze()
    const msp = await sharedAgents()
    await addCallsAt(msp, [noon(1), noon(1), noon(2)])
    const read = async () => (await api.call(msp.admin, 'verify_audit_log', yesterday())).data
    expect(await read()).toMatchObject({ status: 'EMPTY', entries: 0, unclosed_entries: 2, last_hash: null })
    await closeChain(msp, 2)
    expect(await read()).toMatchObject({ status: 'VERIFIED', entries: 1, unclosed_entries: 1 })
  })

  it('reads a page after the other, and goes on from where an earlier call ended', async () => {
    clock.freeze()
    const msp = await sharedAgents()
    await addCallsAt(
      msp,
      Array.from({ length: 1001 }, (_, ms) => new Date(noon(1).getTime() + ms)),
    )
    await closeChain(msp)
    const read = (args: object = {}) => api.call(msp.admin, 'verify_audit_log', { ...yesterday(), ...args })
    expect((await read()).data).toMatchObject({ status: 'VERIFIED', verified_entries: 1001 })
    const one = await api.call(msp.admin, 'verify_audit_log', { day: dateOf(ago(3)) })
    expect(one.data.status).toBe('EMPTY')
    const overhead = await countStatements(msp.database, () => api.call(msp.admin, 'tenant'))
    expect(await countStatements(msp.database, () => read())).toBe(overhead + 3)
    expect((await read({ after_entry_id: 'e1000' })).data).toMatchObject({
      status: 'VERIFIED',
      verified_entries: 1001,
      last_entry_id: 'e1001',
    })
    await tamper(
      msp,
      "update audit_entry set duration_ms = 9 where tenant_id = $1 and environment = $2 and id = 'e7'",
    )
    expect((await read({ after_entry_id: 'e7' })).data.status).toBe('VERIFIED')
    expect((await read({ after_entry_id: 'e6' })).data).toMatchObject({
      status: 'BROKEN',
      broken_at_entry_id: 'e7',
    })
    expect(outcome(await read({ after_entry_id: 'nothing' }))).toEqual([404, 'audit_log_entry_not_found'])
  })

  it('begins from the checkpoint of a day whose entries are no longer kept', async () => {
    clock.freeze()
    const msp = await sharedAgents()
    await addCallsAt(msp, [noon(32), noon(31), noon(30), noon(29)])
    await closeChain(msp)
    await deleteOldToolCalls.handler(
      {
        services: { database: msp.database, environment: msp.environment },
        now: clock.now(),
        signal: AbortSignal.timeout(60_000),
      } as UnboundJobContext,
      {},
    )
    const left = await chainOf(msp)
    expect(left.map(({ id }) => id)).toEqual(['e3', 'e4'])
    const read = async (count: number) =>
      (await api.call(msp.admin, 'verify_audit_log', { day: dateOf(ago(count)) })).data
    for (const count of [30, 29]) expect(await read(count)).toMatchObject({ status: 'VERIFIED', entries: 1 })
    await tamper(
      msp,
      `update audit_day set last_hash = 'x' where tenant_id = $1 and environment = $2 and deleted_at is not null`,
    )
    expect(await read(30)).toMatchObject({
      status: 'BROKEN',
      fault: 'DAY_BEFORE_CHANGED',
      verified_entries: 0,
    })
    expect(await read(29)).toMatchObject({ status: 'VERIFIED', entries: 1 })
  })

  it('is of a day from 30 days ago to today, and refuses others', async () => {
    clock.freeze()
    const msp = await sharedAgents()
    const read = (day: string) => api.call(msp.admin, 'verify_audit_log', { day })
    for (const count of [0, 30]) expect((await read(dateOf(ago(count)))).data.status).toBe('EMPTY')
    for (const count of [-1, 31]) {
      const refused = await read(dateOf(ago(count)))
      expect(outcome(refused)).toEqual([422, 'request_validation_failed'])
      expect(refused.error?.details.field_errors).toEqual([
        {
          field: 'day',
          location: 'query',
          code: 'out_of_range',
          message: `must be from ${dateOf(ago(30))} to ${dateOf(clock.now())}`,
        },
      ])
    }
    for (const day of ['2026-02-30', 'today', '2026-1-1', ''])
      expect(outcome(await read(day))).toEqual([422, 'request_validation_failed'])
  })

  it('is for admins', async () => {
    const msp = await sharedAgents()
    for (const caller of [msp.user, msp.viewer])
      expect(outcome(await api.call(caller, 'verify_audit_log'))).toEqual([403, 'forbidden'])
  })
})
