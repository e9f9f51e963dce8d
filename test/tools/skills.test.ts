import { expect, it } from 'vitest'
import { addSkills, changeSkill } from '../setup/run-skills.ts'
import { toolCallsFor } from '../setup/tool-calls.ts'
import { world } from '../setup/world.ts'

const PINNED = { id: 'skl_triage', slug: 'triage', version: 1, description: 'x', allowed_tools: [] }

it('a file of a skill is read in the version that the run has, and in no other tenant or environment', async () => {
  const msp = await world()
  await addSkills(msp, { slug: 'triage', files: { 'SKILL.md': 'Old.', 'empty.md': '' } })
  await changeSkill(msp, 'triage', { files: { 'SKILL.md': 'New.' } })
  const read = (version: number, path?: string, of = msp) => {
    const { call } = toolCallsFor(of, { skills: [{ ...PINNED, version }] })
    return call('skill.read', { slug: 'triage', ...(path && { path }) })
  }
  const answer = { slug: 'triage', version: 1, path: 'SKILL.md', content: 'Old.' }
  expect(await read(1)).toEqual(answer)
  expect(await read(1, 'empty.md')).toEqual({ ...answer, path: 'empty.md', content: '' })
  expect(await read(2)).toEqual({ ...answer, version: 2, content: 'New.' })
  const other = await world()
  const elsewhere = [
    () => read(2, 'empty.md'),
    () => read(3),
    () => read(1, undefined, other),
    () => read(1, undefined, { ...msp, environment: 'STAGING' }),
  ]
  for (const reading of elsewhere)
    await expect(reading()).rejects.toMatchObject({ code: 'skill_file_not_found', kind: 'AGENT' })
})

it('a run without the skill does not read it', async () => {
  const msp = await world()
  await addSkills(msp, { slug: 'triage' })
  const reading = toolCallsFor(msp).call('skill.read', { slug: 'triage' })
  await expect(reading).rejects.toMatchObject({ code: 'skill_not_found', kind: 'AGENT' })
})
