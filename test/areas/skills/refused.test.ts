import { expect, it } from 'vitest'
import { describeApi, outcome } from '../../setup/api.ts'
import { countActivities } from '../../setup/audit-log.ts'
import { skillFile } from '../../setup/skill-files.ts'
import { addSkills } from '../../setup/skills.ts'
import { world } from '../../setup/world.ts'
import { create, createFiles, draft, PRINTERS, problemsOf, read, rowsOf, update } from './calls.ts'

const SECRET = 'svc_sk_dev_0123456789abcdefghij'
const SKILL_MD = { path: 'SKILL.md', content: PRINTERS }
const files = (...others: object[]) => ({ files: [SKILL_MD, ...others] })
const front = (yaml: string) => ({ files: [{ path: 'SKILL.md', content: `---\n${yaml}\n---\n# A\n` }] })
const KB = 1024

/** Each alias is ten of the one before it. */
const BOMB = ['name: a', 'description: b', 'l0: &l0 [x, x]']
  .concat(Array.from({ length: 12 }, (_, n) => `l${n + 1}: &l${n + 1} [${`*l${n}, `.repeat(9)}*l${n}]`))
  .join('\n')

describeApi('a skill', (api) => {
  it.each<[string, object, string[]]>([
    ['a path upwards', files({ path: '../a', content: '' }), ['files.1.path format']],
    ['a path through ..', files({ path: 'a/../b', content: '' }), ['files.1.path format']],
    ['an absolute path', files({ path: '/etc/passwd', content: '' }), ['files.1.path format']],
    ['a path with a backslash', files({ path: 'a\\b', content: '' }), ['files.1.path format']],
    ['an empty path', files({ path: '', content: '' }), ['files.1.path format']],
    ['a long path', files({ path: 'a'.repeat(256), content: '' }), ['files.1.path length']],
    ['a path twice', files({ path: 'skill.MD', content: '' }), ['files.1.path duplicate']],
    ['a NUL in a file', files({ path: 'a', content: 'a\0b' }), ['files.1.content characters']],
    [
      'a hash of another text',
      files({ path: 'a', content: '', sha256: '0'.repeat(64) }),
      ['files.1.sha256 mismatch'],
    ],
    ['no files', { files: [] }, ['files length']],
    ['no SKILL.md', { files: [{ path: 'a', content: '' }] }, ['files required']],
    [
      '21 files',
      files(...Array.from({ length: 20 }, (_, n) => ({ path: `${n}`, content: '' }))),
      ['files length'],
    ],
    [
      'a file of more than 100 KB',
      files({ path: 'a', content: 'ä'.repeat(50 * KB + 1) }),
      ['files.1.content length'],
    ],
    ['files and instructions', { ...files(), instructions: 'x' }, ['instructions exclusive']],
    ['another slug than that in SKILL.md', { ...files(), slug: 'other' }, ['slug mismatch']],
    ['a slug of another form', draft({ slug: 'A--b' }), ['slug format']],
    ['no name', draft({ name: ' ' }), ['name length']],
    [
      'tools that there are not',
      draft({ allowed_tools: ['ticket.read', 'no.tool'] }),
      ['allowed_tools.1 unknown'],
    ],
    ['front matter that is no YAML', front('name: a\nb: "'), ['files.0.content front_matter']],
    [
      'a tool in SKILL.md that there is not',
      front('name: a\ndescription: b\nallowed-tools: no.tool'),
      ['files.0.content unknown'],
    ],
    ['null as name', draft({ name: null }), ['name null']],
    ['null as tools', draft({ allowed_tools: null }), ['allowed_tools null']],
  ])('with %s is refused, and nothing is kept', async (_, input, problems) => {
    const msp = await world()
    const answer = await createFiles(api, msp.admin, input)
    expect([...outcome(answer), problemsOf(answer)]).toEqual([422, 'request_validation_failed', problems])
    expect([await rowsOf(msp), await countActivities(msp)]).toEqual([[0, 0], 0])
  })

  it('of 20 files of 100 KB is refused by its size in all', async () => {
    const msp = await world()
    const large = Array.from({ length: 19 }, (_, n) => ({ path: `${n}`, content: 'x'.repeat(100 * KB) }))
    const padded = { path: 'SKILL.md', content: PRINTERS.padEnd(100 * KB, 'x') }
    const answer = await createFiles(api, msp.admin, { files: [padded, ...large] })
    expect([...outcome(answer), problemsOf(answer)]).toEqual([
      422,
      'request_validation_failed',
      ['files length'],
    ])
    const most = await createFiles(api, msp.admin, files(...large.slice(0, 10)))
    expect(outcome(most)).toEqual([200, undefined])
    expect((await read(api, msp.key, most.data.id)).data).toEqual(most.data)
  })

  it('with aliases without end in its front matter has the rest of it, at once', async () => {
    const msp = await world()
    const answer = await createFiles(api, msp.admin, front(BOMB))
    expect([answer.status, answer.data?.slug]).toEqual([200, 'a'])
    const deep = await createFiles(api, msp.admin, front(`a: ${'['.repeat(9000)}`))
    expect(outcome(deep)).toEqual([422, 'request_validation_failed'])
    expect(problemsOf(deep)).toEqual(['files.0.content front_matter'])
  })

  it.each(['name', 'description', 'instructions', 'files', 'allowed_tools', 'agent_ids', 'status'])(
    'whose %s is null in a change stays as it is',
    async (field) => {
      const msp = await world()
      const { data } = await create(api, msp.admin)
      const answer = await update(api, msp.admin, data.id, { [field]: null })
      expect([answer.status, problemsOf(answer)]).toEqual([422, [`${field} null`]])
      expect((await read(api, msp.key, data.id)).data).toEqual(data)
    },
  )

  it.each<[string, object]>([
    ['files.0.content', { files: [{ path: 'SKILL.md', content: `${PRINTERS}Use ${SECRET}.` }] }],
    ['files.1.content', files({ path: 'a.md', content: SECRET })],
    ['name', { ...files(), name: SECRET }],
    ['instructions', draft({ instructions: `Use ${SECRET}.` })],
    ['description', draft({ description: `Use ${SECRET}.` })],
  ])('with a secret in its %s is refused, and nothing is kept', async (field, input) => {
    const msp = await world()
    const answer = await createFiles(api, msp.admin, input)
    expect([...outcome(answer), problemsOf(answer)]).toEqual([422, 'secret_in_content', [`${field} secret`]])
    expect(JSON.stringify(answer.error)).not.toContain(SECRET)
    expect([await rowsOf(msp), await countActivities(msp)]).toEqual([[0, 0], 0])
    await addSkills(msp, [{ id: 'skl_1', slug: 'printer-moves' }])
    expect(outcome(await update(api, msp.admin, 'skl_1', input))).toEqual([422, 'secret_in_content'])
    expect([await rowsOf(msp), await countActivities(msp)]).toEqual([[1, 1], 0])
  })

  it('that has what looks like a secret already can be sent back, and changed elsewhere', async () => {
    const msp = await world()
    const stored = [skillFile('SKILL.md', PRINTERS), skillFile('a.md', `Not ${SECRET}.`)]
    await addSkills(msp, [
      {
        id: 'skl_1',
        slug: 'printer-moves',
        name: SECRET,
        description: 'For printers that move.',
        files: stored,
      },
    ])
    const { data } = await read(api, msp.admin, 'skl_1')
    const same = await update(api, msp.admin, 'skl_1', { files: data.files, name: data.name })
    expect([same.status, same.data]).toEqual([200, data])
    const other = await update(api, msp.admin, 'skl_1', { description: 'Other.' })
    expect([other.status, other.data?.version]).toEqual([200, 2])
    const more = [stored[0], { path: 'a.md', content: `Still ${SECRET}.` }]
    expect(outcome(await update(api, msp.admin, 'skl_1', { files: more }))[1]).toBe('secret_in_content')
  })
})
