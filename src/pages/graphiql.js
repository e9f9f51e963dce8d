/** GraphiQL's page: one credential for every request, and in each tab a run of its own. */

const WORKERS = { editorWorkerService: 'editor', json: 'json', graphql: 'graphql' }

globalThis.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => `/graphql/${WORKERS[label]}-worker.js`,
}

const input = document.querySelector('#credential input')
const status = document.querySelector('#credential [role=status]')
const tell = () => {
  status.textContent = input.value.trim() ? 'Sent with every request, until this tab is closed.' : ''
}
input.value = sessionStorage.getItem('credential') ?? ''
tell()
input.addEventListener('input', () => {
  sessionStorage.setItem('credential', input.value.trim())
  tell()
})
input.addEventListener('change', () => {
  document.querySelector('button[aria-label^="Re-fetch GraphQL schema"]')?.click()
})
document.querySelector('#credential').addEventListener('submit', (event) => {
  event.preventDefault()
  input.blur()
})

/** The headers of a request: a tab may have an Authorization header of its own. */
function headersWith(own) {
  const headers = new Headers(own)
  const credential = input.value.trim().replace(/^Bearer /i, '')
  if (credential && !headers.get('authorization')) headers.set('authorization', `Bearer ${credential}`)
  headers.set('content-type', 'application/json')
  headers.set('accept', 'text/event-stream, application/json')
  return headers
}

/** Calls `next` with every result in a stream of events. Returns the last id if the stream is to go on, else null. */
async function readEvents(body, next, id) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  for (let [text, last] = ['', id]; ; ) {
    const { value, done } = await reader.read().catch(() => ({ done: true }))
    if (done) return last
    const events = (text + value).split('\n\n')
    text = events.pop()
    for (const event of events) {
      if (/^event: ?complete$/m.test(event)) return null
      last = /^id: ?(.+)$/m.exec(event)?.[1] ?? last
      const data = /^data: ?(.+)$/m.exec(event)?.[1]
      if (data) next(JSON.parse(data))
    }
  }
}

const AGAIN_MS = 1000

/** Sends the request, and calls `next` with each result. A stream that is interrupted goes on after its last result. */
async function send(params, own, signal, next) {
  for (let last = null; ; await new Promise((done) => setTimeout(done, AGAIN_MS))) {
    const headers = headersWith(own)
    if (last !== null) headers.set('last-event-id', last)
    const init = { method: 'POST', headers, body: JSON.stringify(params), signal }
    const response = await fetch('/graphql', init).catch((error) => {
      if (last === null || signal.aborted) throw error
    })
    if (last !== null && (!response || response.status === 503)) continue
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      return next(await response.json())
    last = await readEvents(response.body, next, last)
    if (last === null || signal.aborted) return
  }
}

/** What runs in each tab, or ended in it while another one was shown: by the tab's id. */
const runs = new Map()
/** The id of the tab that is shown. */
let shown

/** Hands what a run has to GraphiQL, which writes it into the tab that is shown. */
function deliver(tab) {
  const run = runs.get(tab)
  if (tab !== shown || !run?.observer) return
  const { observer } = run
  if (run.isNew) observer.next(run.result)
  run.isNew = false
  if (!run.ended) return
  runs.delete(tab)
  if (run.error) observer.error(run.error)
  else observer.complete()
}

function begin(tab, params, headers) {
  const controller = new AbortController()
  const run = { ended: false, stop: () => controller.abort() }
  runs.set(tab, run)
  const next = (result) => {
    Object.assign(run, { result, isNew: true })
    deliver(tab)
  }
  void send(params, headers, controller.signal, next)
    .catch((error) => {
      run.error = error
    })
    .then(() => {
      run.ended = true
      if (runs.get(tab) === run) deliver(tab)
    })
  return run
}

function stop(tab) {
  runs.get(tab)?.stop()
  runs.delete(tab)
}

/** GraphiQL's way to run an operation: in the tab that is shown, if the run of that tab is not going on. */
function fetcher(params, { headers } = {}) {
  if (params.operationName === 'IntrospectionQuery')
    return new Promise((done, fail) => send(params, headers, undefined, done).catch(fail))
  const tab = shown
  const run = runs.get(tab) ?? begin(tab, params, headers)
  return {
    subscribe(observer) {
      Object.assign(run, { observer, isNew: 'result' in run })
      queueMicrotask(() => deliver(tab))
      const unsubscribe = () => {
        run.observer = null
        // GraphiQL stops what runs when another tab is shown. Only what is stopped in its own tab ends.
        queueMicrotask(() => {
          if (tab === shown && !run.observer) stop(tab)
        })
      }
      return { unsubscribe }
    },
  }
}

/** Leaves what runs in the last tab to itself, and shows what runs in this one. */
function onTabChange({ tabs, activeTabIndex }) {
  for (const tab of runs.keys()) if (!tabs.some(({ id }) => id === tab)) stop(tab)
  const last = shown
  shown = tabs[activeTabIndex].id
  if (shown === last) return
  queueMicrotask(() => {
    const left = runs.get(last)
    left?.observer?.complete()
    if (left) left.observer = null
    if (runs.has(shown)) resume()
  })
}

/** Lets GraphiQL run the operation of its editor: it asks `fetcher`, which has the run already. */
function resume() {
  const editors = globalThis.__MONACO.editor.getEditors()
  editors
    .map((editor) => editor.getAction('graphql-run'))
    .find((action) => action)
    ?.run()
}

const options = JSON.parse(document.querySelector('#options').textContent)
YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), { ...options, fetcher, onTabChange })
