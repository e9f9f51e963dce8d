/**
 * `npm run demo:psa`: a double of ConnectWise PSA with a page of its own, connected to a service of its own. A ticket that is
 * written in the browser becomes a run. It goes on until Ctrl-C, and leaves nothing behind.
 */
import { runCommand } from '../../../src/commands/command.ts'
import { write } from '../../../src/commands/demo/words.ts'
import { activateAgent, withConnectedService } from '../connected-service.ts'
import { startDesk } from './desk.ts'
import { type Seen, startPage } from './page.ts'

const AGENT = {
  name: 'Welcome',
  description: 'Answers every new ticket with a note.',
  actions: [
    { type: 'ticket.read', params: {} },
    {
      type: 'ticket.add_note',
      params: { text: 'Thank you: we have your ticket, and a technician is with it.', visibility: 'PUBLIC' },
    },
  ],
}

await runCommand(async () => {
  write('Starting the service on a database of its own, with the demo MSP: some seconds …')
  const desk = await startDesk()
  await withConnectedService(desk.url, async ({ base, key, byAdmin, byKey, signal }) => {
    const agent_id = await activateAgent(byAdmin, AGENT)
    const page = await startPage(desk, async (): Promise<Seen> => {
      // The callbacks are read after the runs that they became.
      const executions = await byKey('GET', `/executions?agent_id=${agent_id}&page_size=50`)
      return { callbacks: await byKey('GET', '/callbacks?entity_type=TICKET&page_size=50'), executions }
    })
    await desk.isWatched(signal)
    write(`Write a ticket at ${page.url} and watch it become a run. Ctrl-C ends it.`)
    write(`The service: ${base}/graphql, with the API key ${key}`)
    await new Promise((done) => signal.addEventListener('abort', done, { once: true }))
    await page.close()
  }).finally(desk.close)
})
