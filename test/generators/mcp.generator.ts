/** An MCP server that openapi-mcp-generator makes of the document. npm fetches the generator, and what its server needs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationId } from '../../src/gateway/operation-id.ts'
import { testApp } from '../setup/app.ts'
import { world } from '../setup/world.ts'
import { BODY, folderFor, operations, run } from './folder.ts'

const GENERATOR = 'openapi-mcp-generator@4.0.1'

interface Tool {
  name: string
  inputSchema: { properties: Record<string, { oneOf?: object[] }> }
}

interface Result {
  tools: Tool[]
  content: { text: string }[]
  isError?: boolean
}

let server: ChildProcess | undefined
const waiting = new Map<number, (result: Result) => void>()

function send(message: object): void {
  server?.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

const ask = (method: string, params: object = {}): Promise<Result> =>
  new Promise((resolve) => {
    const id = waiting.size + 1
    waiting.set(id, resolve)
    send({ id, method, params })
  })

beforeAll(async () => {
  const { folder, document } = await folderFor('mcp')
  const { base } = await testApp()
  const { key } = await world()
  const output = `${folder}server`
  await run('npx', ['-y', GENERATOR, '--input', document, '--output', output, '--base-url', base])
  await run('npm', ['install', '--no-audit', '--no-fund'], { cwd: output })
  await run('npx', ['tsc'], { cwd: output })
  server = spawn(process.execPath, ['build/index.js'], {
    cwd: output,
    env: { ...process.env, BEARER_TOKEN_API_KEY: key.token },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  createInterface({ input: server.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    waiting.get(id)?.(result ?? { content: [{ text: JSON.stringify(error) }], isError: true })
  })
  const clientInfo = { name: 'test', version: '1' }
  await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
}, 600_000)

afterAll(() => server?.kill())

test('has a tool for every operation', async () => {
  const { tools } = await ask('tools/list')
  expect(tools.map(({ name }) => name).sort()).toEqual(operations.map(operationId).sort())
  const create = tools.find(({ name }) => name === 'create_agent')
  expect(create?.inputSchema.properties.requestBody?.oneOf).toHaveLength(3)
})

test('creates an agent, and says what the service refuses', async () => {
  const call = (requestBody: object) =>
    ask('tools/call', { name: 'create_agent', arguments: { requestBody } })
  const made = await call(BODY)
  expect(made.content.map(({ text }) => text).join('\n')).toMatch(/"state": "DRAFT"/)
  const refused = await call({ ...BODY, schedule: null })
  expect(refused.content.map(({ text }) => text).join('\n')).toMatch(/schedule_required/)
})
