/** The certainty about every write of the port to a PSA, at every request of the write, whatever the PSA answers there. */
import { describe, expect, it } from 'vitest'
import { PortRefusal, PortUnavailable } from '../../../src/connectors/port.ts'
import type { Psa } from '../../../src/connectors/psa.ts'
import type { Fault } from '../../doubles/vendor.ts'
import { ADAPTERS } from './fixture.ts'
import { entry, WRITES, type Written } from './written.ts'

type Certainty = 'NOT_MADE' | 'UNKNOWN'

/** The certainty by the fault of a request that changes something. */
const FAULTS: readonly [Fault, Certainty][] = [
  [400, 'NOT_MADE'],
  [401, 'NOT_MADE'],
  [403, 'NOT_MADE'],
  [404, 'NOT_MADE'],
  [409, 'NOT_MADE'],
  [422, 'NOT_MADE'],
  ['TOO_MANY', 'NOT_MADE'],
  ['ERROR', 'UNKNOWN'],
  ['UNAVAILABLE', 'UNKNOWN'],
  ['HALF', 'UNKNOWN'],
  ['MALFORMED', 'UNKNOWN'],
  ['LOST', 'UNKNOWN'],
  ['LATE_ERROR', 'UNKNOWN'],
]

const CONNECTED = ADAPTERS.filter(([name]) => name !== 'local')

async function prepared(setUp: (typeof ADAPTERS)[number][1]) {
  const fixture = await setUp()
  await fixture.addTickets([{ ticket_id: '1', psa_company_id: 'psa_b' }, { ticket_id: '2' }])
  const { time_entry_id } = await fixture.psa.addTimeEntry('1', entry, 'setup')
  return { ...fixture, time_entry_id }
}

/** True for a request that changes something. */
const isChange = (request: string): boolean => !/^GET |\/query|\/token/.test(request)

const certaintyOf = (error: unknown): Certainty => {
  if (error instanceof PortRefusal) return 'NOT_MADE'
  if (!(error instanceof PortUnavailable)) throw error
  return error.not_made ? 'NOT_MADE' : 'UNKNOWN'
}

describe.each(CONNECTED)('a write to the PSA %s', (_name, setUp) => {
  it.each(Object.entries(WRITES) as [keyof Psa, Written][])(
    '%s is certain after any fault of any of its requests, and is made once by its repetition',
    async (name, { write, of }) => {
      const { psa, unsupported, requests, faulty, state, time_entry_id } = await prepared(setUp)
      if (unsupported.has(name)) return
      const told: unknown[] = []
      const wrong: unknown[] = []
      // What is kept for minutes is read with the first write.
      await write(psa, 'first', time_entry_id)
      const before = requests.length
      await write(psa, 'second', time_entry_id)
      const own = [...new Set(requests.slice(before).map((request) => request.split('?')[0] as string))]
      for (const [place, faulted] of own.entries())
        for (const [fault, certainty] of FAULTS) {
          const key = `${place} ${fault}`
          const had = await state()
          let changes = 0
          faulty((request) => {
            if (request.split('?')[0] === faulted) return fault
            if (isChange(request)) changes++
            return undefined
          })
          const error = await write(psa, key, time_entry_id).then(
            () => null,
            (thrown: unknown) => thrown,
          )
          faulty(null)
          // The change was answered, and what is read after it says nothing of it.
          const expected =
            isChange(faulted) && changes === 0 ? certainty : changes > 0 ? 'UNKNOWN' : 'NOT_MADE'
          if (error !== null) told.push(fault)
          if (error !== null && certaintyOf(error) !== expected) wrong.push([key, faulted, expected, error])
          const outcome = await psa.outcomeOf(key, of(time_entry_id), new Date(0))
          const made = (await state()).things > had.things
          if (error !== null && expected === 'NOT_MADE' && made) wrong.push([key, faulted, 'made'])
          if (outcome === 'NOT_MADE' && made && changes === 0)
            wrong.push([key, faulted, 'made, and not told'])
          if (typeof outcome !== 'string' || outcome === 'UNKNOWN') wrong.push([key, faulted, outcome])
          const again = await write(psa, key, time_entry_id)
          expect(await write(psa, key, time_entry_id)).toEqual(again)
          expect(await psa.outcomeOf(key, of(time_entry_id), new Date(0))).toBe('MADE')
        }
      expect(wrong).toEqual([])
      expect(told.length).toBeGreaterThan(FAULTS.length / 2)
    },
    60_000,
  )
})
