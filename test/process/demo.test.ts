import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, test, vi } from 'vitest'
import { callsOf, type Step } from '../../src/commands/demo/calls.ts'
import { demoPlace, runProgram, startService } from './service.ts'

const folder = await mkdtemp(join(tmpdir(), 'demo-test-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const LONG_MS = 240_000

test(
  'the demo plays the whole story, and leaves nothing behind',
  async () => {
    const { code, stdout, stderr } = await runProgram('src/commands/demo.ts', { TMPDIR: folder })
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).not.toContain('\u001b')
    const [alone = '', supervised = ''] = stdout.split('A dashboard follows')
    expect(alone).toMatch(/> POST \/public-api\/agents\/9\/run-now.*\n> \{"entity_id":"150000"\}\n< 200\n/)
    expect(alone).toMatch(
      /< {3}status: COMPLETED\n(?:<.*\n)*< {3}message_for_dashboard: All 3 actions were made\./,
    )
    expect(alone.match(/outcome: SUCCEEDED/g)).toHaveLength(3)
    expect(supervised.match(/^< update$/gm)?.length).toBeGreaterThanOrEqual(4)
    expect(supervised.match(/waits_for: .*/g)).toEqual([
      'waits_for: "Plan: 78000"',
      'waits_for: "Add note: 78000"',
      'waits_for: "Change status: 78000"',
    ])
    expect(supervised.match(/status: APPROVED/g)).toHaveLength(3)
    expect(supervised).toMatch(/edited_arguments:\n(?:<.*\n)*<.*visibility: PUBLIC/)
    expect(supervised).toMatch(/APPROVAL_DECIDED: .*Tomasz Zieliński/)
    expect(supervised).toMatch(/< {3}status: VERIFIED\n(?:<.*\n)*< {3}unclosed_entries: 0\n/)
    expect(await readdir(folder)).toEqual([])
  },
  LONG_MS,
)

test('an answer that is not as the story needs it ends the demo, with what was expected', async () => {
  const server = createServer((request, response) => {
    const refused = { error: { code: 'agent_not_found', message: 'There is no agent 9.' } }
    const [status, body] = request.url === '/graphql' ? [200, { data: null }] : [404, refused]
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    const { port } = server.address() as AddressInfo
    const service = { base: `http://127.0.0.1:${port}`, key: 'key', technician: 'token' }
    const calls = callsOf(service, new AbortController().signal)
    const step: Step = { shows: (answer) => answer, expects: ['an agent', ({ id }) => id === 9] }
    await expect(calls.rest('GET', '/agents/9', step)).rejects.toThrow(
      'Expected an agent. The call was refused with 404.',
    )
    await expect(calls.graphql('{ agent { id } }', step)).rejects.toThrow(
      'Expected an agent. The answer was null',
    )
    await expect(calls.subscribe('subscription { x }')).rejects.toThrow('Expected a stream of events')
    expect(written.mock.calls.join('')).toContain('There is no agent 9.')
  } finally {
    written.mockRestore()
    server.close()
  }
})

/** The commands of README's section, as they are to be typed. */
async function commandsOfReadme(): Promise<string> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8')
  const [, section = ''] = readme.split('\n## Watch an agent work\n')
  const [, commands = ''] = section.split('```')
  const paragraphs = commands.split('\n\n').map((paragraph) => {
    // A new execution changes twice until it waits or ends; any other status is answered at once.
    const patient = paragraph.replace(/^curl .*wait_seconds.*$/gm, '$&\n$&\n$&')
    return paragraph.includes('three times') ? `${patient}\n`.repeat(3) : patient
  })
  return paragraphs.join('\n')
}

test('the commands by which README watches an agent work as they stand', { timeout: LONG_MS }, async () => {
  const place = await demoPlace()
  const service = await startService(place.env)
  try {
    const commands = (await commandsOfReadme())
      .replace('svc_sk_…', service.key)
      .replace('http://127.0.0.1:4000', service.base)
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', commands], {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...place.env, PATH: process.env.PATH, HOME: process.env.HOME },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [said, [code]] = await Promise.all([text(shell.stdout), once(shell, 'close')])
    expect(code, said).toBe(0)
    expect(said).not.toContain('"error":{')
    const [alone = '', supervised = ''] = said.split('"supervised":true', 1).concat(said)
    expect(alone).toContain('"status":"COMPLETED"')
    expect(alone.match(/"outcome":"SUCCEEDED"/g)).toHaveLength(3)
    expect(supervised.match(/"status":"APPROVED"/g)).toHaveLength(3)
    expect(supervised).toContain('The work ended: COMPLETED.')
    expect(supervised).toContain('"outcome":"PENDING_APPROVAL"')
    expect(supervised).toMatch(/"decided_by_name":"Tomasz Zieliński","acting_user_id"/)
    expect(supervised).toMatch(/"verified_entries":\d+/)
  } finally {
    await service.stop()
    await place.remove()
  }
})
