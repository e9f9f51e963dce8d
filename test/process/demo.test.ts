import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { type Answer, callsOf, eventsOf, type Step } from '../../src/commands/demo/calls.ts'
import { until } from '../setup/until.ts'
import { dashboardToken, demoPlace, runProgram, type Service, startService } from './service.ts'

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

test(
  'a ticket that is written at the desk of the demo becomes a run, and Ctrl-C leaves nothing behind',
  async () => {
    const demo = spawn(process.execPath, ['test/doubles/demo/demo.ts'], {
      env: { PATH: process.env.PATH, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(demo, 'close')
    // It stops its service, which a signal that it cannot handle would leave behind.
    onTestFinished(async () => {
      demo.kill('SIGINT')
      await ended
    })
    let said = ''
    demo.stdout.setEncoding('utf8').on('data', (more) => {
      said += more
    })
    await until(async () => / at http\S+ and watch.*\n.*graphql/.test(said) || demo.exitCode !== null)
    const [, page = ''] = / at (http\S+) and watch/.exec(said) ?? []
    expect(await (await fetch(page)).text()).toContain('<form>')
    const body = 'The printer prints nothing'
    const write = (origin: string) => fetch(`${page}/tickets`, { method: 'POST', headers: { origin }, body })
    expect((await write('https://elsewhere.example')).status).toBe(403)
    const ticket = await (await write(page)).text()
    let state: Answer
    await until(async () => {
      state = await (await fetch(`${page}/state`)).json()
      return state.executions[0]?.status === 'COMPLETED'
    })
    expect(state).toMatchObject({
      tickets: [{ title: body, notes: [expect.stringContaining('Thank you')] }],
      callbacks: expect.arrayContaining([
        expect.objectContaining({ entity_id: ticket, status: 'PROCESSED', matched_count: 1 }),
      ]),
      executions: [{ entity_id: ticket, trigger: 'TRIGGERED' }],
      sent: [{ status: 202 }],
    })
    demo.kill('SIGINT')
    expect((await ended)[0]).toBe(0)
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

/** The blocks of the story: the commands as they are to be typed, and the document for GraphiQL. */
async function blocksOfStory(): Promise<{ commands: string; document: string }> {
  const story = await readFile(new URL('../../docs/an-agent-at-work.md', import.meta.url), 'utf8')
  const [, commands = '', , document = ''] = story.split('```')
  return { commands: typedOut(commands), document: document.replace(/^graphql\n/, '') }
}

function typedOut(commands: string): string {
  const paragraphs = commands.split('\n\n').map((paragraph) => {
    // A new execution changes twice until it waits or ends; any other status is answered at once.
    const patient = paragraph.replace(/^curl .*wait_seconds.*$/gm, '$&\n$&\n$&')
    return paragraph.includes('three times') ? `${patient}\n`.repeat(3) : patient
  })
  return paragraphs.join('\n')
}

/** Runs the operations of the document as the story says. */
async function tellByGraphQL(service: Service, token: string, document: string): Promise<void> {
  const sent = async (operationName: string, accept: string, query = document) =>
    await fetch(`${service.base}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query, operationName }),
    })
  const run = async (name: string, query = document) => {
    const { data, errors } = (await (await sent(name, 'application/json', query)).json()) as Answer
    expect([name, errors]).toEqual([name, undefined])
    return data
  }
  const follow = await sent('Follow', 'text/event-stream')
  if (!follow.body) throw new Error('Follow was not answered by a stream')
  const updates = eventsOf(follow.body)
  expect((await run('Run')).run_agent_now.status).toBe('NEW')
  const decided = new Set<string>()
  for (let count = 1; count <= 3; count++) {
    let request: Answer
    await until(async () => {
      const { items } = (await run('Waiting')).til_requests
      request = items.find(({ id }: Answer) => !decided.has(id))
      return request !== undefined
    })
    decided.add(request.id)
    const { approve_til_request } = await run('Approve', document.replace('til_…', request.id))
    expect(approve_til_request.status).toBe('APPROVED')
  }
  const shown: string[] = []
  while (shown.at(-1) !== 'COMPLETED') {
    const { value } = await updates.next()
    shown.push(value.execution_updates.status)
  }
  expect(shown.filter((status) => status === 'WAITING_FOR_APPROVAL')).toHaveLength(3)
  await updates.return()
  const { executions, audit_log } = await run('Trail')
  expect(executions.items[0].status).toBe('COMPLETED')
  expect(audit_log.items[0]).toMatchObject({
    tool_title: 'Change status',
    decided_by_name: 'Tomasz Zieliński',
  })
}

test('the commands by which the story watches an agent run as they stand', { timeout: LONG_MS }, async () => {
  const place = await demoPlace()
  const service = await startService(place.env)
  try {
    const { commands, document } = await blocksOfStory()
    const typed = commands.replace('svc_sk_…', service.key).replace('http://127.0.0.1:4000', service.base)
    const shell = spawn('bash', ['-e', '-o', 'pipefail', '-c', typed], {
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
    await tellByGraphQL(service, await dashboardToken(place.env, 'ADMIN'), document)
  } finally {
    await service.stop()
    await place.remove()
  }
})
