/** The credentials of a connection, and the secret of the address for its events, are nowhere but where they are encrypted. */
import { randomBytes } from 'node:crypto'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { JOBS } from '../../../src/composition/jobs.ts'
import { statement } from '../../../src/db/sql.ts'
import { installJobs } from '../../../src/jobs/install.ts'
import { addAgents } from '../../setup/agents.ts'
import { type Answer, apisAt } from '../../setup/api.ts'
import { clock, ENVIRONMENT } from '../../setup/app.ts'
import { connectedApp, deliver, look, performDue } from '../../setup/connected.ts'
import { cloneDatabase } from '../../setup/database.ts'
import { connectwisePsaDouble } from '../../setup/psa-doubles/connectwise.ts'
import { world } from '../../setup/world.ts'

const TABLES = statement(
  'test.all_tables',
  `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
   where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`,
)

const newSecret = (): string => randomBytes(24).toString('hex')

/** The text, and what of its base64 is the same whatever stands before it and after it. */
function formsOf(secret: string): string[] {
  const encoded = [0, 1, 2].map((before) =>
    Buffer.from(`${' '.repeat(before)}${secret}`)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  )
  return [secret, ...encoded, Buffer.from(secret).toString('hex')]
}

it('of a connection whose life is eventful, no secret is in the database, in the log, or in an answer', async () => {
  onTestFinished(() => clock.reset())
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const database = await cloneDatabase()
  await installJobs(database, ENVIRONMENT, JOBS)
  const running = await connectedApp(database, {}, log)
  onTestFinished(async () => {
    await running.app.close(0)
    await database.close()
  })
  const { services } = running.app
  const answers: Answer[] = []
  const secrets = new Set<string>()
  for (const api of apisAt(async () => running.base)) {
    const msp = await world(database)
    const settings = {
      company: 'acme',
      client_id: 'client-1',
      public_key: newSecret(),
      private_key: newSecret(),
    }
    const double = await connectwisePsaDouble(settings)
    onTestFinished(async () => void (await double.close()))
    const callback_settings = { change_types: ['TICKET_CREATED'] }
    const note = { type: 'ticket.add_note', params: { text: 'We are on it.', visibility: 'INTERNAL' } }
    await addAgents(msp, [{ id: 1, autonomy_type: 'CHAINED_ACTIONS', actions: [note], callback_settings }])
    secrets.add(settings.public_key).add(settings.private_key)
    secrets.add(`acme+${settings.public_key}:${settings.private_key}`)
    const { name } = double
    const work = () => performDue(services, msp).catch(() => {})
    const call = async (operation: string, args: object, headers = {}) =>
      void answers.push(await api.call(msp.owner, operation, { ...args }, headers))
    const keyed = { 'idempotency-key': `k-${api.name}` }
    for (let count = 0; count < 2; count++)
      await call('connect_integration', { name, input: double.draft }, keyed)
    await work()
    const ticket_id = double.addTicket('Printer')
    const [sent] = double.send({ ticket_id, action: 'ADDED', event_id: api.name })
    if (!sent) throw new Error('No webhook is registered')
    secrets.add(new URL(sent.url).searchParams.get('secret') ?? '')
    expect((await deliver(running, sent)).status).toBe(202)
    await deliver(running, { ...sent, body: Buffer.from('{') })
    clock.advance(31_000)
    await work()
    await look(services, msp)
    await call('test_integration', { name })
    // Everything fails that can.
    double.failing(1)
    double.changeTicket(ticket_id, 'Other')
    await deliver(running, sent)
    await look(services, msp)
    await call('test_integration', { name })
    await call('company_filter_options', {})
    double.failing(0)
    const wrong = newSecret()
    secrets.add(wrong)
    await call('connect_integration', { name, input: { connectwise_psa: { private_key: wrong } } })
    await work()
    await call('test_integration', { name })
    await call('company_filter_options', {})
    await call('connect_integration', { name, input: { connectwise_psa: { private_key: `${wrong} !` } } })
    await call('integration_connection', { name })
    await call('integration', { name })
    await call('disconnect_integration', { name })
    await work()
    await call('activity_log', {})
  }
  expect(secrets.size).toBe(10)
  const forms = [...secrets].flatMap(formsOf)
  const found = new Set<string>()
  const grep = (place: string, text: string): void => {
    if (forms.some((form) => text.includes(form))) found.add(place)
  }
  const tables = await database.sql.rows<{ name: string }>(TABLES, [])
  expect(tables.length).toBeGreaterThan(60)
  for (const table of tables) {
    const query = statement(
      `test.secrets_in_${table.name}`,
      `select 1 as found from ${table.name} t, unnest($1::text[]) as form where strpos(t::text, form) > 0 limit 1`,
    )
    if ((await database.sql.rows(query, [forms])).length > 0) found.add(table.name)
  }
  for (const { headers, ...answer } of answers) grep('an answer', JSON.stringify([answer, [...headers]]))
  for (const line of lines) grep(line, line)
  expect(lines.some((line) => line.includes('"ingest_psa"'))).toBe(true)
  expect(lines.some((line) => line.includes('did not take a change of webhooks'))).toBe(true)
  expect([...found]).toEqual([])
})
