/** Errors link to their explanation under the address that the operator sets, whatever a request says of it. */
import { request as send } from 'node:http'
import { describe, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { overheard } from '../setup/log.ts'
import { subscribe } from '../setup/streams.ts'
import { world } from '../setup/world.ts'

const SPOOFED = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' }

/** Sends a body, and headers that `fetch` keeps for itself; the JSON that comes back. */
const answered = (url: string, body: object | null, headers: Record<string, string> = {}) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer in JSON
  new Promise<any>((resolve, reject) => {
    const type = body && { 'Content-Type': 'application/json' }
    const sent = send(url, { method: body ? 'POST' : 'GET', headers: { ...SPOOFED, ...type, ...headers } })
    sent.on('error', reject)
    sent.on('response', async (response) =>
      resolve(JSON.parse(Buffer.concat(await response.toArray()).toString())),
    )
    sent.end(body ? JSON.stringify(body) : undefined)
  })

describe.each([
  ['with PUBLIC_URL', { PUBLIC_URL: 'https://api.example/automation/' }, 'https://api.example/automation'],
  ['without PUBLIC_URL', {}, ''],
])('docs_url %s', (_when, variables: Record<string, string>, address) => {
  const of = (code: string) => `${address}/public-api/docs/errors#${code}`

  it('is the same in REST, GraphQL and streams', async () => {
    const msp = await world()
    const { app, base } = await overheard(undefined, variables)
    try {
      const headers = { Authorization: `Bearer ${msp.key.token}` }
      for (const [path, code] of [
        ['/elsewhere', 'not_found'],
        ['/public-api/nothing', 'not_found'],
        ['/public-api/agents/1000000', 'agent_not_found'],
      ] as const) {
        const { error } = await answered(base + path, null, headers)
        expect(error, path).toMatchObject({ code, details: { docs_url: of(code) } })
      }
      // A document is known from its second request, and compiled later.
      for (let time = 0; time < 6; time++) {
        const { errors } = await answered(
          `${base}/graphql`,
          { query: '{ agent(agent_id: 1000000) { id } }' },
          headers,
        )
        expect(errors[0].extensions.details.docs_url).toBe(of('agent_not_found'))
      }
      for (const [query, code] of [
        ['{', 'graphql_parse_failed'],
        ['{ nothing }', 'graphql_validation_failed'],
      ] as const) {
        const { errors } = await answered(`${base}/graphql`, { query }, headers)
        expect(errors[0].extensions.details.docs_url).toBe(of(code))
      }
      const anonymous = await answered(`${base}/graphql`, { query: '{ settings { timezone } }' })
      expect(anonymous.errors[0].extensions.details.docs_url).toBe(of('unauthenticated'))
    } finally {
      await app.close(1000)
    }
  })

  it('is the same in a stream that is refused, and in one that ends', async () => {
    const msp = await world()
    const { app, base } = await overheard(undefined, variables)
    try {
      await addAgents(msp, [{ id: 1 }])
      const query = (after = '') => `subscription { execution_updates${after} { status } }`
      const headers = { Authorization: `Bearer ${msp.key.token}`, Accept: 'text/event-stream' }
      const refused = await answered(`${base}/graphql`, { query: query('(after: "nothing")') }, headers)
      expect(refused.errors[0].extensions.details.docs_url).toBe(of('invalid_cursor'))
      const stream = await subscribe(msp.key, query(), { base })
      const revoked = {
        where: { tenant_id: msp.tenant_id, id: msp.key.id },
        data: { revoked_at: new Date() },
      }
      await msp.database.prisma.apiKey.updateMany(revoked)
      await addExecutions(msp, [{ execution_id: 'unseen', agent_id: 1, status: 'NEW' }])
      await stream.ended
      const { data } = stream.events.find(({ event }) => event === 'next') ?? { data: '{}' }
      expect(JSON.parse(data).errors[0].extensions.details.docs_url).toBe(of('credentials_revoked'))
    } finally {
      await app.close(1000)
    }
  })
})
