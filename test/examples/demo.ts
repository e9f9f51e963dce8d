/** A service on a demo of its own, whose clock stands still. */
import { DEMO_SUBJECTS, DEMO_TENANT_ID } from '../../src/access/demo.ts'
import type { Database } from '../../src/db/database.ts'
import { demoContacts } from '../../src/demo/people.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { signTabToken, signToken, startApp } from '../setup/app.ts'
import { DEMO, demoDatabase, MORNING } from '../setup/demo.ts'

const { environment, demo_api_key } = DEMO

/** An SSO token of somebody with an open ticket, as the tab of a chat app gets it. */
async function tabToken({ prisma }: Database): Promise<string> {
  const open = await prisma.psaTicket.findMany({ where: { closed_at: null } })
  const askers = new Set(open.map(({ contact_id }) => contact_id))
  const contact = demoContacts().find(
    ({ contact_id, workplace_tenant_id }) => workplace_tenant_id !== null && askers.has(contact_id),
  )
  const { workplace_tenant_id: tid, workplace_user_id: oid, email, name } = contact ?? {}
  if (!tid || !oid) throw new Error('The demo has no open ticket of anybody whose workplace suite is known')
  return await signTabToken({ tid, oid, preferred_username: email, name })
}

/** Requests to technicians are decided by one of them, which the demo's owner is not. */
const DECISIONS = ['approve_til_request', 'reject_til_request', 'answer_til_request']

/** The owner calls everything, but for decisions, the operation of end users, and the one that says what a key may do. */
async function tokens(database: Database): Promise<(operation: Operation) => string> {
  const tokenOf = (sub: string) => signToken({ sub, tenant_id: DEMO_TENANT_ID, environment })
  const [owner, admin] = [await tokenOf(DEMO_SUBJECTS.OWNER), await tokenOf(DEMO_SUBJECTS.ADMIN)]
  const end_user = await tabToken(database)
  return ({ name, access }) => {
    if (access.kind === 'only') return end_user
    if (DECISIONS.includes(name)) return admin
    return name === 'me' ? demo_api_key : owner
  }
}

export interface RunningDemo {
  base: string
  /** The token of somebody who may call the operation. */
  tokenOf(operation: Operation): string
  /** Sets the clock forward. */
  advance(ms: number): void
  close(): Promise<void>
}

/** A mail server that there is not: examples send nothing. */
const MAIL = {
  SMTP_URL: 'smtp://mail.example',
  MAIL_FROM: 'automation@harbourline.example',
  SUPPORT_EMAIL: 'support@harbourline.example',
}

/** Starts the service; `overrides` are configuration variables. */
export async function startDemo(overrides: Record<string, string> = {}): Promise<RunningDemo> {
  const database = await demoDatabase(MORNING)
  // A busy machine could let the true one last so long that the health is another.
  const prompt = { ...database, ping: async () => {} }
  let passed_ms = 0
  const { app, base } = await startApp(
    prompt,
    { ENVIRONMENT: environment, ...MAIL, ...overrides },
    undefined,
    {
      now: () => new Date(MORNING.getTime() + passed_ms),
      elapsed: () => 0,
    },
  )
  const close = async () => {
    await app.close(0)
    await database.close()
  }
  try {
    const tokenOf = await tokens(database)
    const advance = (ms: number) => {
      passed_ms += ms
    }
    return { base, tokenOf, advance, close }
  } catch (error) {
    await close()
    throw error
  }
}
