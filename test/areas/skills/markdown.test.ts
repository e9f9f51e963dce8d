import { expect, it } from 'vitest'
import { apis } from '../../setup/api.ts'
import { testApp } from '../../setup/app.ts'
import { skillFile } from '../../setup/skill-files.ts'
import { addSkills } from '../../setup/skills.ts'
import { type Caller, world } from '../../setup/world.ts'

const rest = apis[1] as (typeof apis)[number]
const MARKDOWN = 'text/markdown'
const CONTENT =
  '\uFEFF---\r\nname: skl-1\r\ndescription: Ünï \u{1f600}\r\n---\r\n\r\n# A\r\n \t\n\u2028"quoted"\r\n\r\n'

async function skilled() {
  const msp = await world()
  await addSkills(msp, [
    { id: 'skl_1', files: [skillFile('a.md', 'Another.'), skillFile('SKILL.md', CONTENT)] },
  ])
  const base = `${(await testApp()).base}/public-api`
  const get = (
    headers: Record<string, string> = {},
    { path = '/skills/skl_1', method = 'GET', caller = msp.viewer as Caller | null } = {},
  ) =>
    fetch(base + path, {
      method,
      headers: { ...(caller && { authorization: `Bearer ${caller.token}` }), ...headers },
    })
  return { msp, get }
}

const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer()).toString('hex')

it('SKILL.md is answered byte for byte, if text/markdown is asked for', async () => {
  const { get } = await skilled()
  const response = await get({ accept: MARKDOWN })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  expect(response.headers.get('vary')).toContain('Accept')
  expect(await bytes(response)).toBe(Buffer.from(CONTENT).toString('hex'))
})

it.each([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['text/markdown;q=0.1, application/json', 'application/json'],
  ['text/markdown;q=0', 'application/json'],
  ['text/html', 'application/json'],
  ['text/markdown, application/json;q=0.9', MARKDOWN],
  ['TEXT/Markdown', MARKDOWN],
])('Accept %s is answered with %s, which varies with it', async (accept, type) => {
  const { get } = await skilled()
  const response = await get(accept === undefined ? {} : { accept })
  expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([200, type])
  expect(response.headers.get('vary')).toContain('Accept')
})

it('its tag is another one than that of the JSON, and stands for the same revision', async () => {
  const { msp, get } = await skilled()
  const tag = async (accept: string) => (await get({ accept })).headers.get('etag') ?? ''
  const [markdown, json] = [await tag(MARKDOWN), await tag('application/json')]
  expect(markdown).toMatch(/^"1[.][^"]+"$/)
  expect(markdown).not.toBe(json)
  const change = (description: string) =>
    rest.call(
      msp.admin,
      'update_skill',
      { skill_id: 'skl_1', input: { description } },
      { 'if-match': markdown },
    )
  expect((await change('Other.')).status).toBe(200)
  expect((await change('Third.')).error?.code).toBe('version_conflict')
  expect(await tag(MARKDOWN)).not.toBe(markdown)
})

it('it is answered with 304 to If-None-Match with its tag, and not with that of the JSON', async () => {
  const { get } = await skilled()
  const tags = {
    markdown: (await get({ accept: MARKDOWN })).headers.get('etag') ?? '',
    json: (await get()).headers.get('etag') ?? '',
  }
  const status = async (accept: string, tag: string) => {
    const response = await get({ accept, 'if-none-match': tag })
    return [response.status, (await response.text()) === '', response.headers.get('vary')?.includes('Accept')]
  }
  expect(await status(MARKDOWN, tags.markdown)).toEqual([304, true, true])
  expect(await status(MARKDOWN, tags.json)).toEqual([200, false, true])
  expect(await status('application/json', tags.json)).toEqual([304, true, true])
  expect(await status('application/json', tags.markdown)).toEqual([200, false, true])
})

it('HEAD answers with the headers of GET', async () => {
  const { get } = await skilled()
  const [head, whole] = [await get({ accept: MARKDOWN }, { method: 'HEAD' }), await get({ accept: MARKDOWN })]
  expect([head.status, await head.text()]).toEqual([200, ''])
  for (const name of ['content-type', 'etag', 'vary'])
    expect([name, head.headers.get(name)]).toEqual([name, whole.headers.get(name)])
})

it('errors are JSON, whatever Accept asks for', async () => {
  const { get } = await skilled()
  const ask = async (...args: Parameters<typeof get>) => {
    const response = await get(...args)
    return [response.status, response.headers.get('content-type'), (await response.json()).error.code]
  }
  const type = expect.stringContaining('application/json')
  const accept = { accept: MARKDOWN }
  expect(await ask(accept, { path: '/skills/skl_2' })).toEqual([404, type, 'skill_not_found'])
  expect(await ask(accept, { caller: null })).toEqual([401, type, expect.any(String)])
  expect(await ask(accept, { caller: (await world()).admin })).toEqual([404, type, 'skill_not_found'])
})

it.each(['/skills', '/skills/skl_1/versions', '/skills/skl_1/versions/1', '/agents'])(
  '%s answers with JSON, whatever Accept asks for',
  async (path) => {
    const { get } = await skilled()
    const response = await get({ accept: MARKDOWN }, { path })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      expect.stringContaining('application/json'),
    ])
    expect(await response.json()).toHaveProperty('data')
  },
)
