/** The largest answer, on both interfaces; what is streamed has none. */
import { afterAll, describe, expect, it } from 'vitest'
import { addAgents, addExecutions } from '../setup/agents.ts'
import { startApp, testApp } from '../setup/app.ts'
import { json } from '../setup/http.ts'
import { world } from '../setup/world.ts'

const MAX = 64 * 1024
const msp = await world()
await addAgents(
  msp,
  Array.from({ length: 3 }, (_, index) => ({
    id: index + 1,
    description: 'é'.repeat(1000),
    agent_settings: { custom_instructions: 'x'.repeat(20_000) },
  })),
)
await addExecutions(
  msp,
  Array.from({ length: 60 }, (_, index) => ({
    execution_id: `exe_${index}`,
    agent_id: 1,
    message_for_dashboard: 'm'.repeat(2000),
  })),
)
const { database } = await testApp()
const bounded = await startApp(database, { MAX_RESPONSE_BYTES: String(MAX) })
afterAll(() => bounded.app.close(0))

const headers = { authorization: `Bearer ${msp.admin.token}` }

async function answer(response: Response) {
  const text = await response.text()
  const { error, errors, data } = JSON.parse(text)
  const { code, details } = error ?? errors?.[0].extensions ?? {}
  return { status: response.status, code, details, data, bytes: Buffer.byteLength(text) }
}

const rest = async (path: string) => answer(await fetch(`${bounded.base}/public-api${path}`, { headers }))

const graphql = async (query: string, accept = 'application/json') =>
  answer(await fetch(`${bounded.base}/graphql`, json({ query }, { headers: { ...headers, accept } })))

const REFUSED = { status: 422, code: 'response_too_large', details: { max_bytes: MAX }, data: undefined }

describe('an answer that is too large is 422', () => {
  it('over REST, and one of fewer rows is not', async () => {
    expect(await rest('/executions?page_size=60')).toMatchObject(REFUSED)
    const fewer = await rest('/executions?page_size=20')
    expect([fewer.status, fewer.data.length]).toEqual([200, 20])
    expect(fewer.bytes).toBeGreaterThan(MAX / 2)
  })

  it.each(['application/json', 'application/graphql-response+json'])(
    'over GraphQL, as %s',
    async (accept) => {
      const rows = (page_size: number) =>
        `{ executions(page_size: ${page_size}) { items { message_for_dashboard } } }`
      // Later requests of a document are answered without Yoga, and then by a compiled document.
      for (let time = 0; time < 6; time++) expect(await graphql(rows(60), accept)).toMatchObject(REFUSED)
      const fewer = await graphql(rows(20), accept)
      expect([fewer.status, fewer.data.executions.items.length]).toEqual([200, 20])
    },
  )

  it('where one row that was read once is in it often', async () => {
    const walk = (page_size: number) =>
      `{ executions(page_size: ${page_size}, agent_id: 1) { items { agent { agent_settings } } } }`
    expect((await graphql(walk(2))).status).toBe(200)
    expect(await graphql(walk(20))).toMatchObject(REFUSED)
  })

  it('before all of its rows are kept', async () => {
    const answered = await graphql(
      '{ agents { items { agent_settings executions(page_size: 60) { items { message_for_dashboard } } } } }',
    )
    expect(answered).toMatchObject(REFUSED)
  })
})

it('a change whose answer is too large stands, and the error says so', async () => {
  const query = `mutation { pause_agent(agent_id: 1) { state executions(page_size: 60) { items { message_for_dashboard } } } }`
  const response = await fetch(`${bounded.base}/graphql`, json({ query }, { headers }))
  const { errors } = await response.json()
  expect(errors[0].message).toMatch(/^The change was made/)
  expect((await rest('/agents/1')).data.state).toBe('PAUSED')
})

it('a download is not bounded', async () => {
  const { data } = await rest('/audit-log/export')
  expect((await fetch(bounded.base + data.download_url)).status).toBe(200)
})
