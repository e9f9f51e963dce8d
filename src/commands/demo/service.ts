/** A service of the demo's own: on a free port, on an embedded database in a folder that is removed at the end. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { developmentSecrets, developmentToken } from '../../access/credentials/development-issuer.ts'
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../../access/demo.ts'

const ENTRY = fileURLToPath(new URL('../../entry.js', import.meta.url))
const ENVIRONMENT = 'dev'
const START_MS = 120_000

export interface DemoService {
  base: string
  /** The demo API key. */
  key: string
  /** A dashboard token of an admin who is a technician. */
  technician: string
}

/** Resolves with the address once the service listens. */
async function listening(child: ReturnType<typeof spawnService>, signal: AbortSignal): Promise<string> {
  const said = { stdout: '', stderr: '' }
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said.stderr += text
  })
  const address = new Promise<string>((done) => {
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said.stdout += text
      const [, base] = / at (http:\/\/\S+)\n/.exec(said.stdout) ?? []
      if (base) done(base)
    })
  })
  const failed = once(child, 'close', { signal: AbortSignal.any([signal, AbortSignal.timeout(START_MS)]) })
  const base = await Promise.race([address, failed.then(() => null)])
  if (base === null) throw new Error(`Expected the service to start; it ended: ${said.stderr}`)
  // The rejection of what is not waited for any more must not end the process.
  failed.catch(() => {})
  return base
}

/** The service gets no variable of ours that could lead it to another database, port or identity provider. */
const spawnService = (data_dir: string, variables: Record<string, string>) =>
  spawn(process.execPath, [ENTRY], {
    // A group of its own: Ctrl-C reaches the demo, which stops the service.
    detached: true,
    env: {
      PATH: process.env.PATH,
      ENVIRONMENT,
      DATA_DIR: data_dir,
      PORT: '0',
      LOG_LEVEL: 'error',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })

async function stop(child: ReturnType<typeof spawnService>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
}

/** Runs `work` with a service; whatever comes of it, and also at Ctrl-C, the service and its folder are gone afterwards. */
export async function withService(
  work: (service: DemoService, signal: AbortSignal) => Promise<void>,
  variables: Record<string, string> = {},
): Promise<void> {
  const interrupted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => interrupted.abort(new Error(`Ended by ${name}.`)))
  const folder = await mkdtemp(join(tmpdir(), 'automation-demo-'))
  const data_dir = join(folder, 'data')
  const child = spawnService(data_dir, variables)
  try {
    const base = await listening(child, interrupted.signal)
    const secrets = await developmentSecrets(data_dir, ENVIRONMENT)
    const claims = { subject: DEMO_SUBJECTS.ADMIN, tenant_id: DEMO_TENANT_ID, environment: ENVIRONMENT }
    const technician = await developmentToken(secrets, { ...claims, ttl_seconds: 600 })
    await work({ base, key: secrets.demo_api_key, technician }, interrupted.signal)
  } finally {
    await stop(child)
    await rm(folder, { recursive: true, force: true })
  }
}
