import { expect, it } from 'vitest'
import { addAgents } from '../../setup/agents.ts'
import { describeApi, outcome } from '../../setup/api.ts'
import { activitiesOf, countActivities } from '../../setup/audit-log.ts'
import { skillFile, skillMd } from '../../setup/skill-files.ts'
import { addSkills } from '../../setup/skills.ts'
import { type Msp, world } from '../../setup/world.ts'
import { create, createFiles, draft, PRINTERS, read, rowsOf, setAgents, update } from './calls.ts'

const actions = async (msp: Msp) => (await activitiesOf(msp)).map(({ action }) => action)
const named = (data: { name: string }[]) => data.map(({ name }) => name)

describeApi('a skill', (api) => {
  it('is made of instructions, with every field of the contract', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }, { id: 2 }])
    const changes = { allowed_tools: ['ticket.read', 'ticket.read'], agent_ids: [2, 1, 2] }
    const { status, data, headers, etag } = await create(api, msp.admin, changes)
    const content =
      '---\nname: printer-moves\ndescription: For printers that move.\nallowed-tools: ticket.read\n---\n\n# Moves'
    expect([status, data]).toEqual([
      200,
      {
        id: expect.stringMatching(/^skl_/),
        slug: 'printer-moves',
        name: 'Printer moves',
        description: 'For printers that move.',
        files: [skillFile('SKILL.md', content)],
        allowed_tools: ['ticket.read'],
        agent_ids: [1, 2],
        source: 'TENANT',
        status: 'ACTIVE',
        version: 1,
        source_execution_id: null,
        created_by_name: 'Admin',
        created_at: expect.any(String),
        updated_at: data.created_at,
        revision: 1,
      },
    ])
    if (api.name === 'rest') expect(headers.get('location')).toBe(`/public-api/skills/${data.id}`)
    const again = await read(api, msp.key, data.id)
    expect([again.status, again.data, again.etag]).toEqual([200, data, etag])
    expect(await rowsOf(msp)).toEqual([1, 1])
  })

  it('is made of files, which stay as they were sent', async () => {
    const msp = await world()
    const content =
      '\uFEFF---\r\nname: tills\r\ndescription: For tills \u{1f600}.\r\nallowed-tools: Bash(git:*) ticket.read Read\r\n---\r\nGo.\r\n'
    const files = [
      { path: 'references/a b.md', content: '' },
      { path: 'SKILL.md', content },
    ]
    const { data, warnings } = await createFiles(api, msp.key, { files, status: 'DISABLED' })
    expect(data).toMatchObject({
      slug: 'tills',
      name: 'Tills',
      description: 'For tills \u{1f600}.',
      allowed_tools: ['ticket.read'],
      files: files.map((file) => skillFile(file.path, file.content)),
      status: 'DISABLED',
    })
    expect(warnings).toEqual(['ignored_tool: Bash(git:*)', 'ignored_tool: Read'])
    expect((await read(api, msp.key, data.id)).data).toEqual(data)
  })

  const CONTENT = ['name', 'slug', 'description', 'files', 'allowed_tools', 'status'] as const
  const only = (data: Record<string, unknown>, names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, data[name]]))

  it('that was read makes an equal one in another tenant, and changes nothing where it was', async () => {
    const [msp, other] = [await world(), await world()]
    await addAgents(msp, [{ id: 1 }])
    const made = await createFiles(api, msp.admin, {
      files: [
        { path: 'SKILL.md', content: `\uFEFF${PRINTERS}` },
        { path: 'scripts/x.sh', content: 'exit 0\r\n' },
      ],
      name: 'Moves, really',
      allowed_tools: ['ticket.read'],
      status: 'DISABLED',
    })
    const { data } = await read(api, msp.admin, made.data.id)
    const sent = api.name === 'rest' ? data : only(data, [...CONTENT, 'agent_ids', 'source_execution_id'])
    const copied = await createFiles(api, other.admin, sent)
    expect(outcome(copied)).toEqual([200, undefined])
    expect(only(copied.data, CONTENT)).toEqual(only(data, CONTENT))
    expect(copied.data).toMatchObject({ version: 1, revision: 1, source: 'TENANT', agent_ids: [] })
    await setAgents(api, msp.admin, data.id, [1])
    const before = await read(api, msp.admin, data.id)
    const recorded = await countActivities(msp)
    const body = api.name === 'rest' ? before.data : only(before.data, [...CONTENT, 'agent_ids'])
    const same = await update(api, msp.admin, data.id, body, { 'if-match': before.etag ?? '' })
    expect([same.status, same.data, same.etag]).toEqual([200, before.data, before.etag])
    expect([await rowsOf(msp), await countActivities(msp)]).toEqual([[1, 1], recorded])
  })

  it('is listed by its name without its files, unless it is archived', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addSkills(msp, [
      { id: 'skl_1', name: 'b', assigned_agent_ids: [1] },
      { id: 'skl_2', name: 'A', source: 'BUILT_IN' },
      { id: 'skl_3', name: 'c', status: 'DISABLED' },
      { id: 'skl_4', name: 'd', status: 'ARCHIVED' },
    ])
    const list = async (args: object) => (await api.call(msp.key, 'skills', { ...args })).data
    expect(named(await list({}))).toEqual(['A', 'b', 'c'])
    expect((await list({})).some((row: object) => 'files' in row)).toBe(false)
    expect(named(await list({ status: ['ARCHIVED'] }))).toEqual(['d'])
    expect(named(await list({ status: ['ARCHIVED', 'DISABLED'] }))).toEqual(['c', 'd'])
    expect(named(await list({ source: 'BUILT_IN' }))).toEqual(['A'])
    expect(named(await list({ agent_id: 1 }))).toEqual(['b'])
    expect(named(await list({ search: 'skl-3' }))).toEqual(['c'])
  })

  it('has the slug of its name until it is archived, and no other skill has it meanwhile', async () => {
    const msp = await world()
    const first = await create(api, msp.admin, { name: 'Ärger: mit  Druckern!' })
    expect(first.data.slug).toBe('arger-mit-druckern')
    const slug = 'arger-mit-druckern'
    const taken = await create(api, msp.admin, { slug })
    expect([...outcome(taken), taken.error?.details.skill_id]).toEqual([
      409,
      'skill_name_taken',
      first.data.id,
    ])
    await update(api, msp.admin, first.data.id, { status: 'DISABLED' })
    expect(outcome(await create(api, msp.admin, { slug }))).toEqual([409, 'skill_name_taken'])
    expect(await rowsOf(msp)).toEqual([1, 1])
    await api.call(msp.admin, 'archive_skill', { skill_id: first.data.id })
    const second = await create(api, msp.admin, { slug })
    expect([second.status, second.data.slug]).toEqual([200, slug])
    expect((await create(api, (await world()).admin, { slug })).status).toBe(200)
  })

  it.each<[object, boolean]>([
    [{ name: 'Other' }, true],
    [{ description: 'For others.' }, true],
    [{ instructions: '# Other' }, true],
    [{ files: [{ path: 'SKILL.md', content: PRINTERS.replace('# Moves', '# Other') }] }, true],
    [
      {
        files: [
          { path: 'SKILL.md', content: PRINTERS },
          { path: 'a', content: '' },
        ],
      },
      true,
    ],
    [{ allowed_tools: ['ticket.read'] }, true],
    [{ agent_ids: [1] }, false],
    [{ status: 'DISABLED' }, false],
    [{ status: 'ARCHIVED' }, false],
  ])(
    'with %j rises in its revision, and in its version if its content differs',
    async (input, is_content) => {
      const msp = await world()
      await addAgents(msp, [{ id: 1 }])
      const { data } = await create(api, msp.admin)
      const changed = await update(api, msp.admin, data.id, input, { 'if-match': '"1"' })
      const version = is_content ? 2 : 1
      expect([changed.status, changed.data?.version, changed.data?.revision]).toEqual([200, version, 2])
      expect((await read(api, msp.admin, data.id)).data).toEqual(changed.data)
      expect(await rowsOf(msp)).toEqual([1, version])
      expect(
        (await update(api, msp.admin, data.id, { description: 'x' }, { 'if-match': '"1"' })).error?.code,
      ).toBe('version_conflict')
      expect(await rowsOf(msp)).toEqual([1, version])
    },
  )

  it('has its description and its tools in SKILL.md', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    const patch = { description: 'Yes: "this".', allowed_tools: ['ticket.read'] }
    const { files } = (await update(api, msp.admin, data.id, patch)).data
    expect(files[0].content).toBe(
      '---\nallowed-tools: ticket.read\nname: printer-moves\ndescription: "Yes: \\"this\\"."\n---\n\n# Moves',
    )
  })

  it('has a slug that never changes', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    expect((await update(api, msp.admin, data.id, { slug: 'printer-moves' })).data.revision).toBe(1)
    const refused = await update(api, msp.admin, data.id, { slug: 'other', name: 'Other' })
    expect(outcome(refused)).toEqual([422, 'read_only_field'])
    const content = skillMd('other', 'For printers that move.', '# Moves\n')
    const files = await update(api, msp.admin, data.id, { files: [{ path: 'SKILL.md', content }] })
    expect(outcome(files)).toEqual([422, 'request_validation_failed'])
    expect((await read(api, msp.admin, data.id)).data).toEqual(data)
  })

  it.each([
    ['BUILT_IN', 'ACTIVE'],
    ['TENANT', 'ARCHIVED'],
  ] as const)('that is %s and %s is read-only', async (source, status) => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addSkills(msp, [{ id: 'skl_1', source, status }])
    const calls: [string, object][] = [
      ['update_skill', { input: { name: 'Other' } }],
      ['update_skill', { input: { status: 'DISABLED' } }],
      ['restore_skill_version', { version: 1 }],
      [
        source === 'BUILT_IN' ? 'archive_skill' : 'set_skill_agents',
        source === 'BUILT_IN' ? {} : { input: { agent_ids: [1] } },
      ],
    ]
    for (const [operation, args] of calls) {
      const answer = await api.call(msp.admin, operation, { skill_id: 'skl_1', ...args })
      expect([operation, ...outcome(answer)]).toEqual([operation, 409, 'skill_read_only'])
      expect(answer.error?.details).toMatchObject({ source, status })
    }
    expect((await read(api, msp.key, 'skl_1')).data).toMatchObject({ revision: 1, status })
    expect(await actions(msp)).toEqual([])
  })

  it('that is BUILT_IN is given to agents', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    await addSkills(msp, [{ id: 'skl_1', source: 'BUILT_IN' }])
    const { status, data } = await setAgents(api, msp.admin, 'skl_1', [1])
    expect([status, data]).toMatchObject([200, { agent_ids: [1], version: 1, revision: 2 }])
  })

  it('that is archived stays as it is if it is archived again', async () => {
    const msp = await world()
    const { data } = await create(api, msp.admin)
    const archived = await api.call(msp.admin, 'archive_skill', { skill_id: data.id })
    expect([archived.status, archived.data]).toMatchObject([
      200,
      { status: 'ARCHIVED', version: 1, revision: 2 },
    ])
    const again = await api.call(msp.admin, 'archive_skill', { skill_id: data.id })
    expect([again.status, again.data]).toEqual([200, archived.data])
    expect((await read(api, msp.key, data.id)).data).toEqual(archived.data)
    expect(await actions(msp)).toEqual(['skill.created', 'skill.archived'])
  })

  it('is created once with an Idempotency-Key', async () => {
    const msp = await world()
    const first = await create(api, msp.admin, {}, { 'idempotency-key': 'k' })
    const again = await create(api, msp.admin, {}, { 'idempotency-key': 'k' })
    expect([again.status, again.data]).toEqual([200, first.data])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await rowsOf(msp)).toEqual([1, 1])
  })

  it('has activities that name it and its changes, without its files', async () => {
    const msp = await world()
    await addAgents(msp, [{ id: 1 }])
    const mark = 'The content of a file.'
    const { data } = await create(api, msp.admin, { instructions: mark })
    await update(api, msp.admin, data.id, { instructions: `${mark} Again.` })
    await setAgents(api, msp.admin, data.id, [1])
    await setAgents(api, msp.admin, data.id, [1])
    await api.call(msp.admin, 'restore_skill_version', { skill_id: data.id, version: 1 })
    await api.call(msp.admin, 'archive_skill', { skill_id: data.id })
    const activities = await activitiesOf(msp)
    expect(activities.map(({ action }) => action)).toEqual([
      'skill.created',
      'skill.updated',
      'skill.agents_set',
      'skill.restored',
      'skill.archived',
    ])
    for (const { targets } of activities)
      expect(targets).toEqual([{ type: 'skill', id: data.id, name: 'Printer moves' }])
    const [created, updated, given] = activities
    expect(created?.after).toMatchObject({ slug: 'printer-moves', version: 1, agent_ids: [] })
    expect(updated?.after).toMatchObject({ version: 2 })
    expect(given?.after).toMatchObject({ agent_ids: [1] })
    expect(JSON.stringify(activities)).not.toContain(mark)
  })

  it.each(['skill', 'update_skill', 'archive_skill', 'set_skill_agents', 'skill_versions'])(
    'of another tenant is not found by %s',
    async (operation) => {
      const [msp, other] = [await world(), await world()]
      const { data } = await create(api, other.admin)
      const input = operation === 'set_skill_agents' ? { agent_ids: [] } : { name: 'Mine' }
      const args = operation.includes('_skill') && operation !== 'archive_skill' ? { input } : {}
      const answer = await api.call(msp.admin, operation, { skill_id: data.id, ...args })
      expect(outcome(answer)).toEqual([404, 'skill_not_found'])
      expect((await read(api, other.admin, data.id)).data).toEqual(data)
    },
  )

  it('is told apart from one with the same text in another letter case by its slug alone', async () => {
    const msp = await world()
    expect(outcome(await create(api, msp.admin, { name: 'PRINTER moves' }))).toEqual([200, undefined])
    expect(outcome(await create(api, msp.admin, draft()))).toEqual([409, 'skill_name_taken'])
  })
})
