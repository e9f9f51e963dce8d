/** Receivers of webhooks on the loopback interface, and the work of the service on one tenant's deliveries. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeAll, describe, onTestFinished } from 'vitest'
import { queueTenant } from '../../src/areas/webhooks/queue.ts'
import { JOBS } from '../../src/composition/jobs.ts'
import type { Services } from '../../src/gateway/context.ts'
import { installJobs } from '../../src/jobs/install.ts'
import { type Answer, type Api, apisAt } from './api.ts'
import { clock, ENVIRONMENT, type Running, startApp } from './app.ts'
import { performDue } from './connected.ts'
import { testDatabase } from './database.ts'
import { until } from './until.ts'
import type { Caller, Msp } from './world.ts'

let running: Promise<Running> | undefined

/** The worker's service, which may call the loopback interface. */
const webhookApp = (): Promise<Running> => {
  running ??= testDatabase().then((database) => startApp(database, { ALLOW_PRIVATE_ADDRESSES: 'true' }))
  return running
}

/** Runs the same tests through both interfaces of that service. */
export function describeWebhooks(subject: string, tests: (api: Api) => void, runs = true): void {
  const interfaces = apisAt(async () => (await webhookApp()).base)
  describe.runIf(runs).each(interfaces)(`${subject} ($name)`, (api) => {
    beforeAll(async () => {
      const { database } = await webhookApp()
      await installJobs(database, ENVIRONMENT, JOBS)
    })
    afterEach(() => clock.reset())
    tests(api)
  })
}

/** True if the secret is one of those that signed the request. */
export function isSignedBy(secret: string, { headers, body }: Got): boolean {
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

/** A request that a receiver got. */
export interface Got {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

type Answering = number | ((response: ServerResponse, got: Got) => void)

export interface Receiver {
  url: string
  got: Got[]
  /** The answer to the next requests: a status, or what writes the answer. */
  answers(answer: Answering): void
}

/** Starts a receiver, which answers 204 until it is told otherwise. */
export async function startReceiver(): Promise<Receiver> {
  let answering: Answering = 204
  const got: Got[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const received = {
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
    }
    got.push(received)
    if (typeof answering === 'number') response.writeHead(answering).end()
    else answering(response, received)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?token=t`,
    got,
    answers: (answer) => {
      answering = answer
    },
  }
}

/** A receiver that answers nothing until it is told to, and then answers whatever comes. */
export async function startHoldingReceiver(): Promise<
  Receiver & { holds(count: number): Promise<void>; release(status: number): void }
> {
  const receiver = await startReceiver()
  const held: ServerResponse[] = []
  receiver.answers((response) => void held.push(response))
  return {
    ...receiver,
    holds: (count) => until(() => held.length >= count),
    release(status) {
      receiver.answers(status)
      for (const response of held) response.writeHead(status).end()
    },
  }
}

/** Creates an endpoint at the receiver, which gets all events unless the input says otherwise. */
export const subscribeTo = (
  api: Api,
  caller: Caller,
  { url }: Pick<Receiver, 'url'>,
  input: object = {},
): Promise<Answer> =>
  api.call(caller, 'create_webhook_endpoint', { input: { url, event_types: ['*'], ...input } })

/** Makes the tenant's deliveries, and sends what is due, as the loop and a worker do. */
export async function sendWebhooks(msp: Msp, overrides: Partial<Services> = {}): Promise<void> {
  const services = { ...(await webhookApp()).app.services, ...overrides }
  await queueTenant(services, { tenant_id: msp.tenant_id, environment: msp.environment })
  await performDue(services, msp)
}

/** The deliveries of the tenant, the oldest event first. */
export const deliveriesOf = ({ database, tenant_id }: Msp) =>
  database.prisma.webhookDelivery.findMany({ where: { tenant_id }, orderBy: { id: 'asc' } })
