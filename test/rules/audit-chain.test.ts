import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ClosedEntry,
  closeOver,
  type DayChain,
  endFault,
  follow,
  genesisOf,
  type HashedEntry,
  hashOf,
  type StoredDay,
  startFault,
} from '../../src/areas/audit-log/chain/chain.ts'

const TENANCY = { tenant_id: 'ten_1', environment: 'test' }
const TODAY = '2026-03-10'

const entryOf = (number: number, change: Partial<HashedEntry> = {}): HashedEntry => ({
  ...TENANCY,
  id: `aud_${number}`,
  occurred_at: new Date(`${TODAY}T10:00:00.123Z`),
  sequence: number,
  agent_id: 1,
  agent_name: 'Triage',
  execution_id: 'exe_1',
  temporal_run_id: 'run_1',
  tool_name: 'ticket.read',
  tool_title: 'Read ticket',
  system: null,
  access: 'READ',
  outcome: 'SUCCEEDED',
  arguments: { ticket_id: '1' },
  arguments_truncated: false,
  arguments_hash: null,
  result_summary: null,
  error_code: null,
  error_message: null,
  duration_ms: 5,
  entity_id: null,
  entity_number: null,
  psa_company_id: null,
  psa_company_name: null,
  supervised: false,
  til_request_id: null,
  decided_by_name: null,
  acting_user_id: null,
  request_id: null,
  api_key_id: null,
  api_key_name: null,
  correlation_id: 'cor_1',
  previous_hash: null,
  ...change,
})

/** The day as it is stored after it was closed, in batches of these sizes. */
function stored(sizes: readonly number[], last: DayChain | null = null) {
  const entries: HashedEntry[] = []
  const closed: ClosedEntry[] = []
  let chain = last
  for (const size of sizes) {
    const batch = Array.from({ length: size }, (_, index) => entryOf(entries.length + index))
    const { links, days } = closeOver(TENANCY, chain, batch, TODAY)
    entries.push(...batch)
    for (const [index, { chain_position, previous_hash, hash }] of links.entries())
      closed.push({ ...(batch[index] as HashedEntry), chain_position, previous_hash, hash })
    chain = days.at(-1) ?? chain
  }
  return { chain: chain as DayChain, closed }
}

/** The first thing that is wrong with the day. */
function brokenAt(chain: DayChain, entries: readonly ClosedEntry[], beside: Partial<StoredDay> = {}) {
  const day: StoredDay = {
    chain,
    day_before_hash: chain.previous_day_hash,
    day_after: null,
    added_entry_id: null,
    anchor: null,
    is_anchored: false,
    ...beside,
  }
  const start = { position: 0, hash: genesisOf(TENANCY, chain) }
  const { followed, broken } = follow(start, entries)
  return startFault(chain.day, day) ?? broken ?? endFault(day, followed)
}

const someSizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 })

describe('the hash of an entry', () => {
  it('is that of its canonical JSON, without what is null', () => {
    const text =
      '{"access":"READ","agent_id":1,"agent_name":"Triage","arguments":{"ticket_id":"1"},"arguments_truncated":false,' +
      '"correlation_id":"cor_1","duration_ms":5,"environment":"test","execution_id":"exe_1","id":"aud_1",' +
      '"occurred_at":"2026-03-10T10:00:00.123Z","outcome":"SUCCEEDED","sequence":1,"supervised":false,' +
      '"temporal_run_id":"run_1","tenant_id":"ten_1","tool_name":"ticket.read","tool_title":"Read ticket"}'
    expect(hashOf(entryOf(1))).toBe(createHash('sha256').update(text).digest('hex'))
  })

  it.each<Partial<HashedEntry>>([
    { occurred_at: new Date(`${TODAY}T10:00:00.124Z`) },
    { outcome: 'FAILED' },
    { arguments: { ticket_id: '2' } },
    { arguments: { ticket_id: 1 } },
    { arguments: { ticket_id: '1', more: null } },
    { arguments_truncated: true },
    { error_message: '' },
    { tenant_id: 'ten_2' },
    { environment: 'prod' },
    { sequence: 7 },
    { decided_by_name: 'Ada' },
    { previous_hash: 'a'.repeat(64) },
  ])('changes with %o', (change) => {
    expect(hashOf(entryOf(1, change))).not.toBe(hashOf(entryOf(1)))
  })

  it('does not depend on the order of keys, and takes every number that a database stores', () => {
    const one = entryOf(1, { arguments: { a: 1, b: [2, { c: 3, d: 4 }] } })
    const other = entryOf(1, { arguments: { b: [2, { d: 4, c: 3 }], a: 1 } })
    expect(hashOf(one)).toBe(hashOf(Object.fromEntries(Object.entries(other).reverse()) as HashedEntry))
    expect(hashOf(entryOf(1, { arguments: [JSON.parse('1e999'), -0, 1e21] }))).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('the chain of a day', () => {
  it('is the same however many entries are closed at once, and is followed to its end', () => {
    fc.assert(
      fc.property(someSizes, (sizes) => {
        const { chain, closed } = stored(sizes)
        const whole = stored([closed.length])
        expect([chain, closed]).toEqual([whole.chain, whole.closed])
        expect(brokenAt(chain, closed)).toBeNull()
        expect(closed.map(({ chain_position }) => chain_position)).toEqual(
          closed.map((_, index) => index + 1),
        )
      }),
    )
  })

  it('is followed page by page as it is at once', () => {
    fc.assert(
      fc.property(someSizes, fc.nat(), (sizes, at) => {
        const { chain, closed } = stored(sizes)
        const cut = at % (closed.length + 1)
        const start = { position: 0, hash: genesisOf(TENANCY, chain) }
        const { followed } = follow(start, closed.slice(0, cut))
        expect(follow(followed, closed.slice(cut)).followed).toEqual(follow(start, closed).followed)
      }),
    )
  })

  it('shows an entry that was changed in any column', () => {
    const columns = Object.keys(entryOf(0)).filter(
      (name) => name !== 'previous_hash',
    ) as (keyof HashedEntry)[]
    fc.assert(
      fc.property(someSizes, fc.nat(), fc.constantFrom(...columns), (sizes, at, column) => {
        const { chain, closed } = stored(sizes)
        const index = at % closed.length
        const changed = closed.map((entry, each) =>
          each === index ? { ...entry, [column]: column === 'occurred_at' ? new Date(0) : 'changed' } : entry,
        )
        const entry_id = changed[index]?.id
        expect(brokenAt(chain, changed)).toEqual({ fault: 'ENTRY_CHANGED', entry_id })
      }),
    )
  })

  it('shows if an entry was removed', () => {
    fc.assert(
      fc.property(someSizes, fc.nat(), (sizes, at) => {
        const { chain, closed } = stored(sizes)
        const index = at % closed.length
        const left = closed.toSpliced(index, 1)
        const entry_id = left[index]?.id ?? null
        expect(brokenAt(chain, left)).toEqual({ fault: 'ENTRY_MISSING', entry_id })
        const renumbered = left.map((entry, position) => ({ ...entry, chain_position: position + 1 }))
        const fault = entry_id === null ? 'ENTRY_MISSING' : 'ORDER_CHANGED'
        expect(brokenAt(chain, renumbered)).toEqual({ fault, entry_id })
      }),
    )
  })

  it('shows where two entries were exchanged, or one was put in', () => {
    fc.assert(
      fc.property(someSizes, fc.nat(), fc.nat(), (sizes, one, two) => {
        const { chain, closed } = stored([2, ...sizes])
        const [first, second] = [one % closed.length, two % closed.length].sort((a, b) => a - b) as [
          number,
          number,
        ]
        const numbered = (entries: ClosedEntry[]) =>
          entries.map((entry, index) => ({ ...entry, chain_position: index + 1 }))
        if (first < second) {
          const a = closed[first] as ClosedEntry
          const b = closed[second] as ClosedEntry
          const exchanged = numbered(closed.with(first, b).with(second, a))
          expect(brokenAt(chain, exchanged)).toEqual({ fault: 'ORDER_CHANGED', entry_id: b.id })
        }
        const { previous_hash } = closed[first] as ClosedEntry
        const forged = entryOf(999, { previous_hash })
        const put_in = { ...forged, chain_position: 0, hash: hashOf(forged) }
        const after = closed[first] as ClosedEntry
        expect(brokenAt(chain, numbered(closed.toSpliced(first, 0, put_in)))).toEqual({
          fault: 'ORDER_CHANGED',
          entry_id: after.id,
        })
      }),
    )
  })

  it('shows an end that was written anew with right hashes, if the next day has begun', () => {
    const { chain } = stored([3])
    const next = closeOver(
      TENANCY,
      chain,
      [entryOf(9, { occurred_at: new Date('2026-03-11T00:00:00Z') })],
      '2026-03-12',
    )
    const day_after = next.days[0] as DayChain
    expect(day_after).toMatchObject({
      day: '2026-03-11',
      previous_day: TODAY,
      previous_day_hash: chain.last_hash,
    })
    const shorter = stored([2])
    expect(brokenAt(chain, stored([3]).closed, { day_after })).toBeNull()
    expect(brokenAt(shorter.chain, shorter.closed, { day_after })).toEqual({
      fault: 'DAY_CHANGED',
      entry_id: null,
    })
    expect(brokenAt(day_after, [], { day_before_hash: shorter.chain.last_hash })).toEqual({
      fault: 'DAY_BEFORE_CHANGED',
      entry_id: null,
    })
    const beside = { day_before_hash: null, added_entry_id: null, anchor: null, is_anchored: false }
    const empty: StoredDay = { chain: null, day_after, ...beside }
    expect(startFault(TODAY, empty)).toEqual({ fault: 'ENTRY_MISSING', entry_id: null })
    expect(startFault('2026-03-09', empty)).toBeNull()
    const { entries, last_hash } = chain
    const anchored = { ...empty, day_after: null, anchor: { entries, last_hash }, is_anchored: true }
    expect(startFault(TODAY, anchored)).toEqual({ fault: 'ENTRY_MISSING', entry_id: null })
  })

  it('ends as its anchor says, which it must have', () => {
    const { chain, closed } = stored([3])
    const shorter = stored([2])
    const anchor = { entries: chain.entries, last_hash: chain.last_hash }
    const changed = { fault: 'DAY_CHANGED', entry_id: null }
    expect(brokenAt(chain, closed, { anchor, is_anchored: true })).toBeNull()
    expect(brokenAt(shorter.chain, shorter.closed, { anchor, is_anchored: true })).toEqual(changed)
    expect(brokenAt(chain, closed, { is_anchored: true })).toEqual(changed)
    const other = { ...anchor, last_hash: shorter.chain.last_hash }
    expect(brokenAt(chain, closed, { anchor: other, is_anchored: true })).toEqual(changed)
  })

  it('shows an entry behind its end', () => {
    const { chain, closed } = stored([3])
    expect(brokenAt(chain, closed, { added_entry_id: 'aud_x' })).toEqual({
      fault: 'ENTRY_ADDED',
      entry_id: 'aud_x',
    })
  })
})

describe('the day of an entry', () => {
  const at = (text: string, number: number) => entryOf(number, { occurred_at: new Date(text) })
  const daysOf = (last: DayChain | null, entries: HashedEntry[], today = TODAY, anchored = false) =>
    closeOver(TENANCY, last, entries, today, anchored).links.map(({ chain_day, chain_position }) => [
      chain_day,
      chain_position,
    ])

  it('is that of its call in UTC', () => {
    const entries = [
      at('2026-03-08T23:59:59.999Z', 1),
      at('2026-03-09T00:00:00Z', 2),
      at('2026-03-10T09:00:00Z', 3),
    ]
    expect(daysOf(null, entries)).toEqual([
      ['2026-03-08', 1],
      ['2026-03-09', 1],
      [TODAY, 1],
    ])
  })

  it('is never one that is over, nor one to come', () => {
    const { days } = closeOver(TENANCY, null, [at('2026-03-09T12:00:00Z', 1)], TODAY)
    const last = days[0] as DayChain
    expect(daysOf(last, [at('2026-03-08T12:00:00Z', 2), at('2026-04-01T00:00:00Z', 3)])).toEqual([
      ['2026-03-09', 2],
      [TODAY, 1],
    ])
    expect(daysOf(last, [at('2026-03-09T13:00:00Z', 2)], '2026-03-08')).toEqual([['2026-03-09', 2]])
    const late = [at('2026-03-09T23:00:00Z', 2), at('2026-03-10T01:00:00Z', 3)]
    expect(daysOf(last, late, TODAY, true)).toEqual([
      [TODAY, 1],
      [TODAY, 2],
    ])
    expect(daysOf(last, late, '2026-03-12', true)).toEqual([
      ['2026-03-12', 1],
      ['2026-03-12', 2],
    ])
  })

  it('begins from the tenant, the environment, the day and the end of the day before', () => {
    const day = { day: TODAY, previous_day: '2026-03-09', previous_day_hash: 'a' }
    const others = [
      genesisOf({ ...TENANCY, tenant_id: 'ten_2' }, day),
      genesisOf({ ...TENANCY, environment: 'prod' }, day),
      genesisOf(TENANCY, { ...day, day: '2026-03-11' }),
      genesisOf(TENANCY, { ...day, previous_day: '2026-03-08' }),
      genesisOf(TENANCY, { ...day, previous_day_hash: 'b' }),
      genesisOf(TENANCY, { ...day, previous_day: null, previous_day_hash: null }),
    ]
    expect(new Set([genesisOf(TENANCY, day), ...others]).size).toBe(7)
  })

  it('does not change what was closed before', () => {
    const { chain } = stored([2])
    const before = { ...chain }
    closeOver(TENANCY, chain, [entryOf(7)], TODAY)
    expect(chain).toEqual(before)
  })
})
