import { describe, expect, it } from 'vitest'
import { contentOf, type Given, newCandidates } from '../../src/areas/dispatch/pools/rules.ts'

const STORED = {
  name: 'Networks',
  position: 3,
  enabled: false,
  conditions: { match: 'ALL', rules: [] },
  candidate_technician_ids: [2, 5],
  required_skills: ['VPN'],
}

describe('a rule of dispatch', () => {
  it.each<readonly [string, Given, object]>([
    ['nothing', {}, {}],
    ['a name', { name: 'A' }, { name: 'A' }],
    ['a position of 0', { position: 0 }, { position: 0 }],
    ['conditions', { conditions: { match: 'ANY' } }, { conditions: { match: 'ANY' } }],
    ['null for conditions', { conditions: null }, { conditions: null }],
    [
      'technicians, each once in ascending order',
      { candidate_technician_ids: [10, 9, 10] },
      { candidate_technician_ids: [9, 10] },
    ],
    ['no technicians', { candidate_technician_ids: [] }, { candidate_technician_ids: [] }],
    [
      'skills, each once in the letter case that comes first',
      { required_skills: ['Größe', 'vpn', 'GRÖSSE', 'GRÖßE', 'VPN'] },
      { required_skills: ['Größe', 'vpn', 'GRÖSSE'] },
    ],
  ])('takes %s, and keeps the rest', (_what, given, changes) => {
    expect(contentOf(given, STORED)).toEqual({ ...STORED, ...changes })
  })

  it('has defaults', () => {
    expect(contentOf({ name: 'A' })).toEqual({
      name: 'A',
      position: 0,
      enabled: true,
      conditions: null,
      candidate_technician_ids: [],
      required_skills: [],
    })
  })

  it('asks for technicians alone whom it does not have', () => {
    expect(newCandidates({ candidate_technician_ids: [7, 5, 7, 1] }, [2, 5])).toEqual([1, 7])
    expect(newCandidates({}, [2, 5])).toEqual([])
  })
})
