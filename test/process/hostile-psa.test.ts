/** A process whose tenant has a PSA that answers without an end. */
import { expect, it, onTestFinished } from 'vitest'
import { withConnectedService } from '../doubles/connected-service.ts'
import { seedTickets } from '../doubles/connectwise/seed.ts'
import { startConnectwise } from '../doubles/connectwise/server.ts'
import { endless } from '../doubles/hostile.ts'

const CALLS = 24
/** A third of what the answers to these calls would take if they were read for as long as each of them may take. */
const MEGABYTES = 400

/** A process starts, and each call takes as long as it may. */
const TIMEOUT_MS = 240_000

/** A call ends at the first of its limits: of what is read, of the PSA's time, of the requests at once, and of a call's time. */
const LIMITS = /"reason":"(TOO_MUCH|OUTAGE|LIMIT)"|"code":"service_unavailable"/

/** Almost as long as an answer may be. */
const LONG_PAGES = endless(350, { text: 'x'.repeat(10_000) })

it(
  'lives, with the memory that it has, and answers others',
  async () => {
    const double = await startConnectwise({ now: () => new Date() })
    onTestFinished(async () => void (await double.close()))
    const tickets = Array.from({ length: CALLS }, (_, index) => ({
      ticket_id: String(index + 1),
      title: 'A',
      psa_company_id: 'psa_a',
    }))
    seedTickets(double, tickets, { psa_a: '2' })
    await withConnectedService(
      double.url,
      async ({ base, key, byAdmin }) => {
        double.hostile.play = (response, answer) =>
          Array.isArray(answer.body)
            ? LONG_PAGES(response, answer)
            : response.writeHead(answer.status).end(JSON.stringify(answer.body))
        const asked = tickets.map(({ ticket_id }) =>
          byAdmin('POST', '/callbacks/test-match', {
            entity_id: ticket_id,
            change_types: ['TICKET_CREATED'],
          }).then(
            () => 'answered',
            (error: Error) => error.message,
          ),
        )
        const authorization = `Bearer ${key}`
        const other = await fetch(`${base}/public-api/agents`, { headers: { authorization } })
        expect(other.status).toBe(200)
        for (const message of await Promise.all(asked)) expect(message).toMatch(LIMITS)
        expect((await fetch(`${base}/readyz`)).status).toBe(200)
      },
      { NODE_OPTIONS: `--max-old-space-size=${MEGABYTES}` },
    )
  },
  TIMEOUT_MS,
)
