import { beforeAll, expect, test } from 'vitest'
import { RETENTION_DAYS } from '../../src/areas/callbacks/rules/callbacks.ts'
import { CHANGE_TYPES } from '../../src/areas/change-types/catalogue.ts'
import type { Database } from '../../src/db/database.ts'
import {
  CallbackEntityType,
  CallbackMatchReason,
  CallbackMatchResult,
  CallbackStatus,
  FilterReason,
} from '../../src/db/generated/client/client.ts'
import { NIGHT as NOW, readDemo } from '../setup/demo.ts'
import { misplacedInstants, olderThanReferred } from '../setup/demo-times.ts'

const KEPT_FROM = new Date(NOW.getTime() - RETENTION_DAYS * 86_400_000)

let seeded: Database

beforeAll(async () => {
  seeded = await readDemo(NOW)
})

/** Outcomes of tool calls that were not made. */
const NOT_CALLED = ['DENIED' as const, 'PENDING_APPROVAL' as const, 'SKIPPED' as const]

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)].sort()

test('the demo has callbacks of every kind, in every state, none of them in the future or no longer kept', async () => {
  const callbacks = await seeded.prisma.callback.findMany()
  expect(callbacks.length).toBeGreaterThan(2000)
  expect(distinct(callbacks.map(({ status }) => status))).toEqual(Object.keys(CallbackStatus).sort())
  expect(distinct(callbacks.map(({ entity_type }) => entity_type))).toEqual(
    Object.keys(CallbackEntityType).sort(),
  )
  expect(distinct(callbacks.flatMap(({ filter_reason }) => filter_reason ?? []))).toEqual(
    Object.keys(FilterReason).sort(),
  )
  expect(distinct(callbacks.flatMap(({ change_types }) => change_types))).toEqual([...CHANGE_TYPES].sort())
  for (const { received_at, processed_at, status, ...one } of callbacks) {
    expect(received_at.getTime()).toBeLessThanOrEqual(NOW.getTime())
    expect(received_at.getTime()).toBeGreaterThan(KEPT_FROM.getTime())
    expect((processed_at ?? NOW).getTime()).toBeLessThanOrEqual(NOW.getTime())
    expect(one.error !== null).toBe(status === 'FAILED')
    const is_unread =
      ['COMPANY', 'CONTACT'].includes(one.entity_type) || one.filter_reason === 'ENTITY_NOT_FOUND'
    expect(one.change_types.length === 0).toBe(is_unread)
  }
})

test('the demo’s agents were matched in every way, for every reason, by what they select', async () => {
  const matches = await seeded.prisma.callbackMatch.findMany({ include: { callback: true, agent: true } })
  // No match is stored as ERROR.
  const results = Object.keys(CallbackMatchResult).filter((result) => result !== 'ERROR')
  expect(distinct(matches.map(({ result }) => result))).toEqual(results.sort())
  expect(distinct(matches.flatMap(({ reason_code }) => reason_code ?? []))).toEqual(
    Object.keys(CallbackMatchReason).sort(),
  )
  for (const { agent, callback, received_at, reason_code, comparisons, ...match } of matches) {
    const { change_types } = agent.callback_settings as { change_types: string[] }
    const is_selected = callback.change_types.some((change) => change_types.includes(change))
    expect(is_selected, callback.id).toBe(reason_code !== 'CHANGE_TYPE_NOT_SELECTED')
    expect(received_at).toEqual(callback.received_at)
    expect(match.execution_id !== null).toBe(match.result === 'MATCHED')
    const [conditions, compared] = [
      (agent.ticket_conditions ?? agent.time_entry_conditions) as unknown as Conditions,
      comparisons as unknown as (Condition & { expected: unknown; actual: unknown; holds: boolean })[],
    ]
    const is_compared = !NOT_COMPARED.has(reason_code)
    expect(compared.map(({ field, operator, expected: value }) => ({ field, operator, value }))).toEqual(
      is_compared ? conditions.rules : [],
    )
    for (const { field, operator, expected, actual, ...told } of compared)
      expect(holds(operator, actual, expected), `${field} ${operator}`).toBe(told.holds)
    const of_all = compared.map((one) => one.holds)
    const is_met = conditions.match === 'ANY' ? of_all.includes(true) : !of_all.includes(false)
    if (is_compared)
      expect(is_met, JSON.stringify([match, compared])).toBe(reason_code !== 'CONDITION_FAILED')
    expect(match.refusal_code !== null).toBe(reason_code === 'START_REFUSED')
  }
})

const NOT_COMPARED = new Set<string | null>(['CHANGE_TYPE_NOT_SELECTED', 'COMPANY_OUT_OF_SCOPE'])

interface Condition {
  field: string
  operator: string
  value: unknown
}

interface Conditions {
  match: string
  rules: Condition[]
}

function holds(operator: string, actual: unknown, expected: unknown): boolean {
  if (operator === 'equals') return actual === expected
  if (operator === 'not_equals') return actual !== expected
  if (operator === 'contains') return String(actual).toLowerCase().includes(String(expected).toLowerCase())
  return Number(actual) > Number(expected)
}

test('a demo execution that a callback started is the match of that callback, about the same entity', async () => {
  const { prisma } = seeded
  const executions = await prisma.execution.findMany({ where: { callback_id: { not: null } } })
  const matches = await prisma.callbackMatch.findMany({
    where: { result: 'MATCHED' },
    include: { callback: true },
  })
  const by_execution = new Map(matches.map((match) => [match.execution_id, match]))
  const kept = executions.filter(({ created_at }) => created_at > new Date(KEPT_FROM.getTime() + 86_400_000))
  expect(kept.length).toBeGreaterThan(1000)
  for (const execution of kept) {
    const { agent_id, callback_id, callback } = by_execution.get(execution.execution_id) ?? {}
    expect([agent_id, callback_id]).toEqual([execution.agent_id, execution.callback_id])
    expect([callback?.entity_type, callback?.entity_id]).toEqual([execution.entity_type, execution.entity_id])
    expect(callback?.received_at.getTime()).toBeLessThan(execution.created_at.getTime())
  }
  expect(matches).toHaveLength(new Set(matches.map(({ execution_id }) => execution_id)).size)
})

test('callbacks about tickets of the demo’s PSA name the company of the ticket, and report none as new that is older', async () => {
  const { prisma } = seeded
  const tickets = new Map((await prisma.psaTicket.findMany()).map((ticket) => [ticket.ticket_id, ticket]))
  const callbacks = await prisma.callback.findMany({ where: { entity_type: 'TICKET' } })
  const known = callbacks.flatMap((callback) => {
    const ticket = tickets.get(callback.entity_id)
    return ticket ? [{ callback, ticket }] : []
  })
  expect(known.length).toBeGreaterThan(1000)
  for (const { callback, ticket } of known) {
    expect(callback.psa_company_id).toBe(ticket.psa_company_id)
    expect(ticket.created_at.getTime()).toBeLessThanOrEqual(callback.received_at.getTime())
  }
  const matches = await prisma.callbackMatch.findMany({
    where: { reason_code: 'CONDITION_FAILED', callback: { change_types: { has: 'TICKET_CREATED' } } },
    include: { callback: true },
  })
  const actual = (name: string, { title, category, board }: (typeof known)[0]['ticket']) =>
    ({ subject: title, category, board })[name]
  const judged = matches.flatMap(({ callback, comparisons }) => {
    const ticket = tickets.get(callback.entity_id)
    const failed = (comparisons as unknown as { field: string; actual: unknown; holds: boolean }[]).filter(
      ({ holds }) => !holds,
    )
    return ticket ? failed.map((one) => [one.actual, actual(one.field, ticket)]) : []
  })
  expect(judged.length).toBeGreaterThan(500)
  expect(judged.filter(([told, known_as]) => told !== known_as)).toEqual([])
})

test('the demo’s tickets received are those that callbacks reported as new', async () => {
  const { prisma } = seeded
  const from = new Date(NOW.getTime() - 25 * 86_400_000)
  const created = await prisma.callback.findMany({
    where: { change_types: { has: 'TICKET_CREATED' }, received_at: { gte: from } },
  })
  const { _sum } = await prisma.ticketsReceived.aggregate({
    where: { quarter: { gte: from } },
    _sum: { count: true },
  })
  expect(_sum.count).toBe(new Set(created.map(({ entity_id }) => entity_id)).size)
  expect(_sum.count).toBeGreaterThan(1000)
})

test('the demo has calls to connected systems, some of which failed, and one system that is down', async () => {
  const { prisma } = seeded
  const calls = await prisma.upstreamCall.findMany()
  const connections = await prisma.integrationConnection.findMany({ where: { connected: true } })
  const connected = new Set(connections.map(({ name }) => name.toUpperCase().replaceAll('-', '_')))
  expect(calls.length).toBeGreaterThan(500)
  expect(calls.filter(({ system }) => !connected.has(system))).toEqual([])
  expect(calls.filter(({ system, ok }) => system === 'HALO_PSA' && !ok).length).toBeGreaterThan(0)
  const hours = 4 * 3_600_000
  const down = calls.filter(
    ({ system, at }) => system === 'CISCO_MERAKI' && at.getTime() > NOW.getTime() - hours,
  )
  expect([down.length > 0, down.filter(({ ok }) => ok)]).toEqual([true, []])
  // Each tool call of an agent is a call to its system.
  const week_ago = new Date(NOW.getTime() - 7 * 86_400_000)
  const made = await prisma.auditEntry.groupBy({
    by: ['system'],
    where: { occurred_at: { gte: week_ago }, system: { not: null }, outcome: { notIn: NOT_CALLED } },
    _count: true,
  })
  expect(made.length).toBeGreaterThan(3)
  for (const { system, _count } of made)
    expect(calls.filter((call) => call.system === system && call.at >= week_ago).length).toBeGreaterThan(
      _count,
    )
})

test('no row was changed or came to its end before it was created, in an evening', async () => {
  expect(await misplacedInstants(seeded, NOW)).toEqual([])
})

test('no row is older than a row that it refers to, in an evening', async () => {
  const { found, judged } = await olderThanReferred(seeded)
  expect(found).toEqual([])
  expect(judged).toBeGreaterThan(60)
})
