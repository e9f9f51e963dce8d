import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, apis, describeApi } from '../../setup/api.ts'
import { addDispatchRules } from '../../setup/dispatch.ts'
import { addTechnicians } from '../../setup/technicians.ts'
import { type Msp, world } from '../../setup/world.ts'
import { installQueues } from '../agents/runnable.ts'

const CONDITIONS = {
  match: 'ANY',
  rules: [
    { field: 'board', operator: 'in', value: ['Network', 'Alerts'] },
    { field: 'age_hours', operator: 'at_least', value: 1.5 },
    { field: 'contact', operator: 'is_empty' },
  ],
}

/** A tenant with two technicians, and one who was deleted. */
async function tenant(): Promise<Msp> {
  const msp = await world()
  await addTechnicians(
    msp,
    [1, 2, 3].map((id) => ({ id, psa_id: id, deleted_at: id === 3 ? new Date(0) : null })),
  )
  return msp
}

const stored = ({ database: { prisma }, tenant_id }: Msp) =>
  prisma.dispatchRule.findMany({ where: { tenant_id } })

const conditions = (...rules: object[]) => ({ conditions: { rules } })

const REFUSED: readonly (readonly [what: string, input: object, problems: readonly string[]])[] = [
  ['an empty name', { name: ' ' }, ['name length']],
  ['a name of 121 characters', { name: 'é'.repeat(121) }, ['name length']],
  ['a position below 0', { position: -1 }, ['position range']],
  ['a position above 1,000', { position: 1001 }, ['position range']],
  ['no flag', { enabled: null }, ['enabled null']],
  [
    'technicians who are unknown or deleted',
    { candidate_technician_ids: [1, 99, 3] },
    ['candidate_technician_ids.1 unknown', 'candidate_technician_ids.2 unknown'],
  ],
  ['201 technicians', { candidate_technician_ids: Array(201).fill(1) }, ['candidate_technician_ids length']],
  ['21 skills', { required_skills: Array(21).fill('VPN') }, ['required_skills length']],
  ['an empty skill', { required_skills: ['VPN', ' '] }, ['required_skills.1 length']],
  ['a skill of 61 characters', { required_skills: ['x'.repeat(61)] }, ['required_skills.0 length']],
  [
    'a field that tickets do not have',
    conditions({ field: 'work_type', operator: 'equals', value: 'On site' }),
    ['conditions.rules.0.field condition_field_unknown'],
  ],
  [
    'an operator of another kind of field',
    conditions(
      { field: 'board', operator: 'equals', value: 'Alerts' },
      { field: 'is_vip', operator: 'contains', value: true },
    ),
    ['conditions.rules.1.operator condition_operator_invalid'],
  ],
  [
    'a value of another kind',
    conditions({ field: 'age_hours', operator: 'at_least', value: '4' }),
    ['conditions.rules.0.value type_invalid'],
  ],
  [
    'a condition without a value',
    conditions({ field: 'board', operator: 'equals' }),
    ['conditions.rules.0.value field_required'],
  ],
  [
    '51 conditions',
    conditions(...Array(51).fill({ field: 'contact', operator: 'is_empty' })),
    ['conditions.rules length'],
  ],
  [
    'several problems, all told at once',
    {
      candidate_technician_ids: [99],
      ...conditions({ field: 'nothing', operator: 'is_empty' }),
    },
    ['conditions.rules.0.field condition_field_unknown', 'candidate_technician_ids.0 unknown'],
  ],
]

const problemsOf = ({ error }: Awaited<ReturnType<Api['call']>>) =>
  error?.details.field_errors?.map(({ field, code }) => `${field} ${code}`)

describeApi('rules of dispatch', (api) => {
  it('have defaults', async () => {
    const msp = await tenant()
    const { data } = await api.call(msp.admin, 'create_dispatch_rule', { input: { name: '  All  ' } })
    expect(data).toMatchObject({
      name: 'All',
      position: 0,
      enabled: true,
      conditions: null,
      candidate_technician_ids: [],
      required_skills: [],
      revision: 1,
    })
    const read = await api.call(msp.admin, 'dispatch_rule', { rule_id: data.id })
    expect(read.data).toEqual(data)
  })

  it('keep every field, and what is left out of a change keeps its value', async () => {
    const msp = await tenant()
    const input = {
      name: 'Networks',
      position: 1000,
      enabled: false,
      conditions: CONDITIONS,
      candidate_technician_ids: [2, 1, 2],
      required_skills: ['VPN', 'Firewalls', 'vpn'],
    }
    const { data } = await api.call(msp.admin, 'create_dispatch_rule', { input })
    expect(data).toMatchObject({
      ...input,
      candidate_technician_ids: [1, 2],
      required_skills: ['VPN', 'Firewalls'],
    })
    const update = async (changes: object) =>
      (await api.call(msp.admin, 'update_dispatch_rule', { rule_id: data.id, input: changes })).data
    const renamed = await update({ name: 'Nets' })
    expect(renamed).toEqual({ ...data, name: 'Nets', revision: 2, updated_at: renamed.updated_at })
    expect(await update({ name: 'Nets' })).toEqual(renamed)
    const cleared = { conditions: null, candidate_technician_ids: [], required_skills: [] }
    expect(await update(cleared)).toMatchObject({ ...cleared, name: 'Nets', position: 1000, enabled: false })
  })

  it('have conditions with the defaults of those of an agent', async () => {
    const msp = await tenant()
    const create = async (given: object) =>
      (await api.call(msp.admin, 'create_dispatch_rule', { input: { name: 'A', conditions: given } })).data
    expect((await create({})).conditions).toEqual({ match: 'ALL', rules: [] })
    const rule = { field: 'tag', operator: 'is_not_empty' }
    expect((await create({ rules: [rule] })).conditions).toEqual({ match: 'ALL', rules: [rule] })
  })

  it('are listed as they are tried', async () => {
    const msp = await tenant()
    const ids = await addDispatchRules(msp, [{ position: 7 }, { position: 0 }, { position: 7 }])
    const { data } = await api.call(msp.admin, 'dispatch_rules')
    expect(data.map(({ id }: { id: number }) => id)).toEqual([ids[1], ids[0], ids[2]])
  })

  it.each(REFUSED)('with %s are refused, and nothing is stored', async (_what, input, problems) => {
    const msp = await tenant()
    const created = await api.call(msp.admin, 'create_dispatch_rule', { input: { name: 'A', ...input } })
    expect(created.error?.code).toBe('request_validation_failed')
    expect(problemsOf(created)).toEqual(problems)
    expect(await stored(msp)).toEqual([])
    const [rule_id = 0] = await addDispatchRules(msp, [{}])
    const before = await stored(msp)
    const updated = await api.call(msp.admin, 'update_dispatch_rule', { rule_id, input })
    expect(problemsOf(updated)).toEqual(problems)
    expect(await stored(msp)).toEqual(before)
  })

  it('take as many of everything as they may', async () => {
    const msp = await tenant()
    const input = {
      name: '😀'.repeat(120),
      candidate_technician_ids: [...Array(199).fill(1), 2],
      required_skills: Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(60, 'é')),
      ...conditions(...Array(50).fill({ field: 'contact', operator: 'is_empty' })),
    }
    const { data } = await api.call(msp.admin, 'create_dispatch_rule', { input })
    expect(data).toMatchObject({ name: input.name, required_skills: input.required_skills })
    expect(data.conditions.rules).toHaveLength(50)
  })

  it('keep a candidate who was deleted since, and take no other one', async () => {
    const msp = await tenant()
    const [rule_id = 0] = await addDispatchRules(msp, [{ candidate_technician_ids: [3] }])
    const update = (candidate_technician_ids: number[]) =>
      api.call(msp.admin, 'update_dispatch_rule', { rule_id, input: { candidate_technician_ids } })
    expect((await update([3, 2])).data.candidate_technician_ids).toEqual([2, 3])
    expect((await update([2])).data.candidate_technician_ids).toEqual([2])
    expect(problemsOf(await update([3]))).toEqual(['candidate_technician_ids.0 unknown'])
  })

  it('know no technician of another tenant', async () => {
    const [msp, other] = [await tenant(), await world()]
    await addTechnicians(other, [{ id: 77, psa_id: 77 }])
    const input = { name: 'A', candidate_technician_ids: [77] }
    const answer = await api.call(msp.admin, 'create_dispatch_rule', { input })
    expect(problemsOf(answer)).toEqual(['candidate_technician_ids.0 unknown'])
  })

  it('are deleted once', async () => {
    const msp = await tenant()
    const [rule_id = 0] = await addDispatchRules(msp, [{ name: 'Gone' }])
    const remove = () => api.call(msp.admin, 'delete_dispatch_rule', { rule_id })
    expect((await remove()).data).toMatchObject({ id: rule_id, name: 'Gone' })
    expect((await remove()).error?.code).toBe('dispatch_rule_not_found')
    expect(await stored(msp)).toEqual([])
  })

  it('are at most 100', async () => {
    const msp = await tenant()
    await addDispatchRules(msp, Array(100).fill({}))
    const answer = await api.call(msp.admin, 'create_dispatch_rule', { input: { name: 'A' } })
    expect(problemsOf(answer)).toEqual(['name limit'])
  })
})

const api = apis[1] as Api

describe.runIf(process.env.DATABASE_URL)('two rules at once', () => {
  beforeAll(installQueues)

  it('have one last place between them', async () => {
    const msp = await tenant()
    await addDispatchRules(msp, Array(99).fill({}))
    const create = () => api.call(msp.admin, 'create_dispatch_rule', { input: { name: 'A' } })
    const answers = await Promise.all([create(), create(), create()])
    expect(answers.filter(({ error }) => !error)).toHaveLength(1)
    expect(await stored(msp)).toHaveLength(100)
  })
})
