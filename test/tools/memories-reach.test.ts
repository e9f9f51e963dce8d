/** The memories that tools find, by company, by readers, and by what is asked of technicians. */
import { beforeAll, describe, expect, it } from 'vitest'
import { isWithinReach } from '../../src/tools/execute.ts'
import type { Reach } from '../../src/tools/reach/reach.ts'
import { toolNamed } from '../../src/tools/registry.ts'
import type { Tool } from '../../src/tools/tool.ts'
import { clock } from '../setup/app.ts'
import { connect, equippedMsp } from '../setup/local-systems.ts'
import { toolCallsFor, toolContext } from '../setup/tool-calls.ts'
import type { Msp } from '../setup/world.ts'

const OWN: Reach = { psa_company_id: 'psa_a', entity: { type: 'TICKET', id: '1' }, contact_id: null }

/** What each memory is about, with whether it is found for company a, and for contact 11 of it. */
const MEMORIES = [
  ['TENANT', null, true],
  ['TECHNICIAN', '7', true],
  ['AGENT', '7', true],
  ['AGENT', '8', false],
  ['CLIENT', 'psa_a', true],
  ['CLIENT', 'psa_b', false],
  ['DEVICE', 'd1', true],
  ['DEVICE', 'd2', false],
  ['DEVICE', 'gone', false],
  ['END_USER', 'eu_a', true],
  ['END_USER', 'eu_a2', true],
  ['END_USER', 'eu_b', false],
  ['LOCATION', 'l1', false],
] as const

const nameOf = (scope_type: string, scope_id: string | null) => `fact ${scope_type} ${scope_id}`

let msp: Msp

const OTHER_READERS = ['TECHNICIANS', 'END_USERS', 'DISPATCH'] as const

beforeAll(async () => {
  msp = await equippedMsp()
  await connect(msp)
  const { tenant_id, environment, database } = msp
  const own = { tenant_id, environment, created_at: clock.now(), updated_at: clock.now() }
  const { prisma } = database
  const companies = await prisma.endCompany.findMany({ where: { tenant_id } })
  const companyOf = (psa_company_id: string) =>
    companies.find((company) => company.psa_company_id === psa_company_id)?.id ?? ''
  await prisma.endUser.createMany({
    data: [
      { ...own, id: 'eu_a', psa_contact_id: '11', name: 'Ada', end_company_id: companyOf('psa_a') },
      { ...own, id: 'eu_a2', psa_contact_id: '12', name: 'Al', end_company_id: companyOf('psa_a') },
      { ...own, id: 'eu_b', psa_contact_id: '21', name: 'Bo', end_company_id: companyOf('psa_b') },
    ],
  })
  const memory = (id: string, content: string, rest: object) => ({
    ...own,
    id,
    content,
    category: 'SEMANTIC' as const,
    derivation: 'STATED' as const,
    confidence: 1,
    audiences: ['ALL' as const],
    created_by: 'USER' as const,
    scope_type: 'TENANT' as const,
    ...rest,
  })
  await prisma.agentMemory.createMany({
    data: [
      ...MEMORIES.map(([scope_type, scope_id], index) =>
        memory(`mem_${index}`, nameOf(scope_type, scope_id), { scope_type, scope_id }),
      ),
      ...OTHER_READERS.map((audience) =>
        memory(`mem_${audience}`, `reader ${audience}`, { audiences: [audience] }),
      ),
    ],
  })
})

const found = async (query: string, run: Parameters<typeof toolCallsFor>[1]) => {
  const { results } = await toolCallsFor(msp, run).call('memory.search', { query })
  return (results as { content: string }[]).map(({ content }) => content).toSorted()
}

describe('a search for memories', () => {
  it('finds what is about the company, and about the MSP', async () => {
    const own = MEMORIES.filter(([, , isOwn]) => isOwn).map(([type, id]) => nameOf(type, id))
    expect(await found('fact', { reach: OWN })).toEqual(own.toSorted())
  })

  it('finds everything if the run has no company', async () => {
    const all = MEMORIES.map(([type, id]) => nameOf(type, id))
    expect(await found('fact', { reach: null })).toEqual(all.toSorted())
  })

  it('for one contact finds nothing about others', async () => {
    const contents = await found('fact END_USER', { reach: { ...OWN, entity: null, contact_id: '11' } })
    expect(contents).toEqual([nameOf('END_USER', 'eu_a')])
  })

  it.each(['TECHNICIANS', 'END_USERS'] as const)('finds what is for its readers: %s', async (audience) => {
    expect(await found('reader', { audience })).toEqual([`reader ${audience}`])
  })
})

describe('a memory that is saved', () => {
  const save = toolNamed('memory.save') as Tool
  const isWithin = (scope_type: string, scope_id: string | null, reach: Reach | null = OWN) =>
    isWithinReach(toolContext(msp), { reach }, save, { content: 'x', scope_type, scope_id })

  it.each(MEMORIES.filter(([type]) => type !== 'LOCATION' && type !== 'AGENT'))(
    'about %s %s is within the company, or asks',
    async (scope_type, scope_id, isOwn) => {
      const isOfMsp = scope_type === 'TENANT' || scope_type === 'TECHNICIAN'
      expect(await isWithin(scope_type, scope_id)).toBe(isOwn && !isOfMsp)
      expect(await isWithin(scope_type, scope_id, null)).toBe(true)
      expect(await isWithin(scope_type, scope_id, { ...OWN, psa_company_id: null })).toBe(false)
    },
  )
})
