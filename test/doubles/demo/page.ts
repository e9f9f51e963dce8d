/** The page of the demo: a form for a ticket, the tickets with their runs, and what the PSA and the service said to each other. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Desk } from './desk.ts'

const HTML = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Service desk</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
  input { font: inherit; width: 30rem; max-width: 100% }
  li { margin-bottom: .75rem }
  pre { background: #f4f4f4; overflow: auto; padding: .75rem }
</style>
<h1>Service desk</h1>
<form>
  <label>A new ticket<br><input name="title" required maxlength="100" value="The printer prints nothing"></label>
  <button>Write it</button>
</form>
<h2>Tickets</h2>
<ul id="tickets"></ul>
<h2>Events that were sent</h2>
<pre id="sent"></pre>
<h2>Requests of the service</h2>
<pre id="requests"></pre>
<script>
  const element = (name, text, ...children) => {
    const made = document.createElement(name)
    made.append(text, ...children)
    return made
  }
  const show = async () => {
    const { tickets, callbacks, executions, sent, requests } = await (await fetch('/state')).json()
    document.querySelector('#tickets').replaceChildren(...tickets.map(({ id, title, status, notes }) => {
      const of_ticket = ({ entity_id }) => entity_id === String(id)
      const lines = [
        ...callbacks.filter(of_ticket).map((one) => 'Callback ' + one.id + ': ' + (one.filter_reason ?? one.status)),
        ...executions.filter(of_ticket).map((one) => 'Execution ' + one.execution_id + ': ' + one.status),
        ...notes.map((note) => 'Note: ' + note),
      ]
      return element('li', '#' + id + ' ' + title + ' (' + status + ')',
        element('ul', '', ...lines.map((line) => element('li', line))))
    }))
    document.querySelector('#sent').textContent =
      sent.map(({ at, event, status }) => at + '  ' + event + '  ' + (status ?? 'no answer')).join('\\n')
    document.querySelector('#requests').textContent = requests.join('\\n')
  }
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault()
    await fetch('/tickets', { method: 'POST', body: new FormData(event.target).get('title') })
    await show()
  })
  setInterval(show, 1000)
  show()
</script>
</html>
`

/** The rows of the service, as the page shows them. */
export interface Seen {
  callbacks: readonly unknown[]
  executions: readonly unknown[]
}

const NOTHING: Seen = { callbacks: [], executions: [] }

const MAX_TITLE = 100

/**
 * The status of the refusal of a request from elsewhere; null for one of the page itself, whose host is `own`. A browser sends
 * with a POST the origin of the page that makes it, and with every request the host that the page was found at, also if
 * another name leads to this machine.
 */
export function foreignStatus(
  { method, headers: { host, origin } }: Pick<IncomingMessage, 'method' | 'headers'>,
  own: string,
): 403 | 421 | null {
  if (host !== own) return 421
  const is_own = origin === `http://${own}` || (origin === undefined && method === 'GET')
  return is_own ? null : 403
}

/** Serves the page at a free port, to its own address alone. `seen` asks the service. */
export async function startPage(desk: Desk, seen: () => Promise<Seen>) {
  let own = ''
  const server = createServer(async (request, response) => {
    const refused = foreignStatus(request, own)
    if (refused) return void response.writeHead(refused).end()
    // No other page shows this one in a frame.
    response.setHeader('content-security-policy', "frame-ancestors 'none'")
    const asked = `${request.method} ${request.url}`
    if (asked === 'GET /') response.setHeader('content-type', 'text/html; charset=utf-8').end(HTML)
    else if (asked === 'GET /state') {
      const rows = await seen().catch(() => NOTHING)
      // The tickets are read after the runs: a run that has ended has its notes.
      const state = { tickets: desk.tickets(), ...rows, ...desk.log() }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(state))
    } else if (asked === 'POST /tickets') {
      let title = ''
      for await (const chunk of request.setEncoding('utf8')) title = (title + chunk).slice(0, MAX_TITLE)
      if (title.trim() === '') response.writeHead(400).end()
      else response.writeHead(201).end(String(desk.write(title.trim())))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${own}`,
    close: () => new Promise((done) => server.close(done).closeAllConnections()),
  }
}
