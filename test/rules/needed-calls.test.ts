import { describe, expect, it } from 'vitest'
import { DOCUMENTS } from '../../src/connectors/documents.ts'
import { PSA } from '../../src/connectors/psa.ts'
import { RMM } from '../../src/connectors/rmm.ts'
import { isAvailable } from '../../src/tools/executors/without-system.ts'
import { isSupported, NEEDED_CALLS } from '../../src/tools/needed-calls.ts'
import { TOOLS } from '../../src/tools/registry.ts'

const PORTS = { psa: PSA, rmm: RMM, documents: DOCUMENTS }
const NOTHING = { psa: new Set<string>(), rmm: new Set<string>(), documents: new Set<string>() }

describe.each(Object.entries(PORTS))('the calls of %s that tools need', (port, { upstream, calls }) => {
  const needed = NEEDED_CALLS[port as keyof typeof PORTS]
  const kinds: Readonly<Record<string, string>> = calls

  it('are those of every available tool that works in it', () => {
    const works_there = TOOLS.filter((tool) => tool.works_in === upstream && isAvailable(tool))
    const by_own_data = ['technician.search', 'technician.read_schedule']
    const names = works_there.map(({ name }) => name as string).filter((name) => !by_own_data.includes(name))
    expect(names.filter((name) => !(name in needed))).toEqual([])
    expect(Object.keys(needed).filter((name) => !names.includes(name))).toEqual([])
  })

  it('have one write for a tool that writes, and none for one that reads', () => {
    for (const [name, of_tool] of Object.entries(needed)) {
      const writes = of_tool.filter((call) => kinds[call] === 'WRITE')
      const { access } = TOOLS.find((tool) => tool.name === name) ?? {}
      expect([name, writes.length]).toEqual([name, access === 'WRITE' ? 1 : 0])
    }
  })
})

it('a tool is supported unless a system cannot do one of its calls', () => {
  const without = { ...NOTHING, psa: new Set(['mergeTicket']) }
  expect(isSupported({ name: 'ticket.merge' }, NOTHING)).toBe(true)
  expect(isSupported({ name: 'ticket.merge' }, without)).toBe(false)
  expect(isSupported({ name: 'ticket.close' }, without)).toBe(true)
  expect(isSupported({ name: 'web.search' }, without)).toBe(true)
})
