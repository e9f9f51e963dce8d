import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { newSecret } from '../../../src/access/credentials/api-key-secret.ts'
import { recordToolCall, type ToolCall } from '../../../src/areas/audit-log/tool-calls/record.ts'
import type { DatabaseContext } from '../../../src/db/db.ts'
import type { Prisma } from '../../../src/db/generated/client/client.ts'
import { Stopwatch } from '../../../src/lib/stopwatch.ts'
import { clock } from '../../setup/app.ts'
import { addEntries, asRetention } from '../../setup/audit-log.ts'
import type { Msp } from '../../setup/world.ts'
import { sharedAgents } from './calls.ts'

const contextOf = ({ tenant_id, environment, database }: Msp): DatabaseContext => ({
  viewer: { tenant_id, environment },
  services: { database },
  transaction: null,
  db_time: new Stopwatch(),
})

const CALL: ToolCall = {
  occurred_at: new Date(),
  agent_id: 1,
  agent_name: 'Triage',
  execution_id: 'exe_1',
  temporal_run_id: 'run_1_1',
  tool_name: 'ticket.add_note',
  tool_title: 'Add note',
  system: 'HALO_PSA',
  access: 'WRITE',
  outcome: 'FAILED',
  arguments: { ticket_id: '1' },
  result_summary: null,
  error_code: 'ticket_locked',
  error_message: 'It is locked.',
  duration_ms: 12,
  entity_id: '1',
  entity_number: 'T-1',
  psa_company_id: null,
  supervised: false,
  til_request_id: null,
  decided_by_name: null,
  acting_user_id: null,
  api_key_id: null,
  api_key_name: null,
  request_id: null,
  correlation_id: 'cor_1',
}

const only = async ({ database, tenant_id }: Msp) =>
  await database.prisma.auditEntry.findFirstOrThrow({ where: { tenant_id } })

describe('a tool call that is recorded', () => {
  it('is stored as it is', async () => {
    const msp = await sharedAgents()
    const id = await recordToolCall(contextOf(msp), CALL)
    const { sequence, ...entry } = await only(msp)
    expect(entry).toMatchObject({ ...CALL, id, arguments_truncated: false, hash: null, previous_hash: null })
    await recordToolCall(contextOf(msp), CALL)
    const last = await msp.database.prisma.auditEntry.findFirstOrThrow({
      where: { tenant_id: msp.tenant_id },
      orderBy: { sequence: 'desc' },
    })
    expect(last.id).not.toBe(id)
    expect(last.sequence).toBeGreaterThan(sequence)
  })

  it('has no secret in any of its columns', async () => {
    const msp = await sharedAgents()
    const secret = newSecret('dev')
    const jwt = `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}`
    const key = '-----BEGIN PRIVATE KEY-----\nMIIE-secret\n-----END PRIVATE KEY-----'
    await recordToolCall(contextOf(msp), {
      ...CALL,
      arguments: {
        text: `${secret} ${key}`,
        password: 'hunter2',
        deep: [{ apiKey: 'first-key', new_password: 'second-key' }],
      },
      result_summary: `Signed in with Bearer ${jwt}.`,
      error_message: `Refused ${jwt}, ${secret}`,
    })
    const stored = JSON.stringify(await only(msp), (_name, value) =>
      typeof value === 'bigint' ? Number(value) : value,
    )
    for (const part of [secret, 'MIIE-secret', 'hunter2', 'first-key', 'second-key', jwt])
      expect(stored).not.toContain(part)
    expect(stored).toContain('Signed in with [removed]')
  })

  it('is shortened if it is too long, and says so', async () => {
    const msp = await sharedAgents()
    const text = 'x'.repeat(5000)
    await recordToolCall(contextOf(msp), { ...CALL, arguments: { text }, result_summary: text })
    const entry = await only(msp)
    expect(entry.arguments_truncated).toBe(true)
    expect((entry.arguments as { text: string }).text).toBe(`${'x'.repeat(1999)}…`)
    expect(entry.result_summary).toBe(`${'x'.repeat(1999)}…`)
  })

  it('is stored although its texts have characters that no column takes', async () => {
    const msp = await sharedAgents()
    const hostile = 'a\u0000b\ud800c'
    const args = { [hostile]: hostile, list: [hostile] }
    await recordToolCall(contextOf(msp), { ...CALL, arguments: args, error_message: hostile })
    const entry = await only(msp)
    const clean = 'a\ufffdb\ufffdc'
    expect([entry.arguments, entry.error_message]).toEqual([{ [clean]: clean, list: [clean] }, clean])
  })

  it('is refused for an agent or an execution of another tenant', async () => {
    const [msp, other] = [await sharedAgents(), await sharedAgents()]
    await msp.database.prisma.execution.create({
      data: {
        tenant_id: msp.tenant_id,
        environment: msp.environment,
        execution_id: 'only_here',
        agent_id: 1,
        trigger: 'TRIGGERED',
        entity_type: 'TICKET',
        created_at: clock.now(),
        updated_at: clock.now(),
      },
    })
    const foreign = { ...CALL, execution_id: 'only_here' }
    await expect(recordToolCall(contextOf(other), foreign)).rejects.toThrow('foreign key')
    await expect(recordToolCall(contextOf(msp), foreign)).resolves.toMatch(/^aud_/)
  })
})

describe('a stored tool call', () => {
  const closed = {
    hash: 'b'.repeat(64),
    previous_hash: 'a'.repeat(64),
    chain_day: new Date('2026-01-31'),
    chain_position: 1,
  }

  /** Updates as the chain is closed. */
  const asClosing = (
    { database }: Msp,
    update: { where: { tenant_id: string; id: string }; data: Prisma.AuditEntryUpdateManyMutationInput },
  ) =>
    database.prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`set local app.audit_chain = 'on'`)
      return await tx.auditEntry.updateMany(update)
    })

  async function stored(): Promise<{ msp: Msp; where: { tenant_id: string; id: string } }> {
    const msp = await sharedAgents()
    const id = randomUUID()
    await addEntries(msp, [{ id, agent_id: 1, execution_id: 'exe_1', result_summary: 'Done' }])
    return { msp, where: { tenant_id: msp.tenant_id, id } }
  }

  it.each([
    { result_summary: 'x' },
    { outcome: 'FAILED' as const },
    { arguments: { other: 1 } },
    { ...closed, tool_name: 'x' },
    { ...closed, occurred_at: new Date(0) },
    { previous_hash: 'x' },
  ])('is never changed: %o', async (data) => {
    const { msp, where } = await stored()
    const changing = msp.database.prisma.auditEntry.updateMany({ where, data })
    await expect(changing).rejects.toThrow(/only ever inserted|audit_entry_closed/)
    await expect(asClosing(msp, { where, data })).rejects.toThrow(/only ever inserted|audit_entry_closed/)
  })

  it('gets its place in the chain once, and from nobody but who closes the chain', async () => {
    const { msp, where } = await stored()
    const { auditEntry } = msp.database.prisma
    await expect(auditEntry.updateMany({ where, data: closed })).rejects.toThrow('only ever inserted')
    await asClosing(msp, { where, data: closed })
    expect(await auditEntry.findFirst({ where })).toMatchObject({ ...closed, result_summary: 'Done' })
    const nothing = { hash: null, previous_hash: null, chain_day: null, chain_position: null }
    for (const data of [closed, nothing, { chain_position: 2 }])
      await expect(asClosing(msp, { where, data })).rejects.toThrow('only ever inserted')
  })

  it('is in the chain with all of its hashes, or is not', async () => {
    const { msp, where } = await stored()
    for (const data of [{ ...closed, chain_day: null }, { hash: closed.hash }])
      await expect(asClosing(msp, { where, data })).rejects.toThrow('audit_entry_closed')
  })

  it('is never removed with all the others', async () => {
    const { msp } = await stored()
    const truncating = asRetention(msp, (tx) => tx.$executeRawUnsafe('truncate audit_entry'))
    await expect(truncating).rejects.toThrow('only ever inserted')
  })

  it('is deleted by retention alone', async () => {
    const { msp, where } = await stored()
    const { auditEntry } = msp.database.prisma
    await expect(auditEntry.deleteMany({ where })).rejects.toThrow('only ever inserted')
    await asRetention(msp, (tx) => tx.auditEntry.deleteMany({ where }))
    expect(await auditEntry.count({ where })).toBe(0)
  })
})
