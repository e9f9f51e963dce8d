/** The REST reference: sends the calls that its forms describe, with one credential. */

const input = document.querySelector('#credential input')
const status = document.querySelector('#credential [role=status]')
const tell = () => {
  status.textContent = input.value.trim() ? 'Sent with every call, until this tab is closed.' : ''
}
input.value = sessionStorage.getItem('credential') ?? ''
tell()
input.addEventListener('input', () => {
  sessionStorage.setItem('credential', input.value.trim())
  tell()
})

/** The call that a form describes. A field that is empty is left out. */
function callOf(form) {
  const { method, path } = form.dataset
  const headers = new Headers()
  const query = new URLSearchParams()
  const credential = input.value.trim().replace(/^Bearer /i, '')
  if (credential) headers.set('authorization', `Bearer ${credential}`)
  let url = path
  let body
  for (const [field, value] of new FormData(form)) {
    const [place, name] = field.split(':')
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(value))
    else if (value.trim() === '') continue
    else if (place === 'query') query.set(name, value)
    else if (place === 'header') headers.set(name, value)
    else body = value
  }
  if (body !== undefined) headers.set('content-type', 'application/json')
  return [query.size > 0 ? `${url}?${query}` : url, { method, headers, body, cache: 'no-store' }]
}

/** The text of an answer, which is JSON as a rule. */
function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Makes the call, and resolves with what there is to show of its answer. */
async function answerTo([url, init]) {
  const started = performance.now()
  try {
    const response = await fetch(url, init)
    const text = await response.text()
    const ms = Math.round(performance.now() - started)
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n')
    return [`${init.method} ${url}: ${response.status} in ${ms} ms`, readable(text), headers]
  } catch (error) {
    return [`${init.method} ${url}: ${error.message}`]
  }
}

document.addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = event.target
  if (!form.dataset.path) return input.blur()
  const button = form.querySelector('button')
  const place = form.querySelector('.answer')
  button.disabled = true
  const [line, ...texts] = await answerTo(callOf(form))
  const paragraph = document.createElement('p')
  paragraph.textContent = line
  const parts = texts.map((text) => {
    const part = document.createElement('pre')
    part.textContent = text
    return part
  })
  place.replaceChildren(paragraph, ...parts)
  button.disabled = false
})

/** Opens what the address names: an operation or a schema. */
function openTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target?.tagName !== 'DETAILS') return
  target.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', openTarget)
openTarget()
