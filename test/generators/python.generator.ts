/** A client that openapi-python-client makes of the document. It is skipped if Python 3 or the generator is not there. */
import { expect, test } from 'vitest'
import { testApp } from '../setup/app.ts'
import { world } from '../setup/world.ts'
import { BODY, folderFor, operations, run } from './folder.ts'

const { folder, document } = await folderFor('python')
const bin = `${folder}venv/bin/`

/** Why there is no generator; null if there is one. */
async function installed(): Promise<string | null> {
  try {
    await run('python3', ['-m', 'venv', `${folder}venv`])
    await run(`${bin}pip`, ['install', '--quiet', 'openapi-python-client'])
    return null
  } catch (error) {
    return String(error).trim().split('\n').at(-1) ?? ''
  }
}

const SCRIPT = `
import importlib, json, os, pkgutil
import service_client

modules = [module.name for module in pkgutil.walk_packages(service_client.__path__, 'service_client.')]
for module in modules:
    importlib.import_module(module)

from service_client import AuthenticatedClient
from service_client.api.agents import create_agent
from service_client.models import CreateChainedActionsAgent

sent = json.loads(os.environ['BODY'])
body = CreateChainedActionsAgent.from_dict(sent)
client = AuthenticatedClient(base_url=os.environ['BASE'], token=os.environ['TOKEN'])
answer = create_agent.sync_detailed(client=client, body=body)
print(json.dumps({
    'operations': len([name for name in modules if name.startswith('service_client.api.') and name.count('.') == 3]),
    'kept': body.to_dict() == sent,
    'status': int(answer.status_code),
    'state': answer.parsed.to_dict()['data']['state'],
}))
`

test('a client in Python has every operation, can be imported, and creates an agent', async ({ skip }) => {
  const missing = await installed()
  skip(missing !== null, `openapi-python-client could not be installed. ${missing}`)
  const output = ['--meta', 'none', '--output-path', `${folder}service_client`]
  await run(`${bin}openapi-python-client`, ['generate', '--path', document, '--fail-on-warning', ...output])
  const { base } = await testApp()
  const { key } = await world()
  const env = { ...process.env, BASE: base, TOKEN: key.token, BODY: JSON.stringify(BODY) }
  const { stdout } = await run(`${bin}python`, ['-c', SCRIPT], { cwd: folder, env })
  expect(JSON.parse(stdout)).toEqual({
    operations: operations.length,
    kept: true,
    status: 200,
    state: 'DRAFT',
  })
})
