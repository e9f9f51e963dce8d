import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { Desk } from '../doubles/demo/desk.ts'
import { foreignStatus, startPage } from '../doubles/demo/page.ts'

const OWN = '127.0.0.1:4000'

it.each([
  ['GET', OWN, undefined, null],
  ['GET', OWN, `http://${OWN}`, null],
  ['POST', OWN, `http://${OWN}`, null],
  ['POST', OWN, undefined, 403],
  ['POST', OWN, 'null', 403],
  ['POST', OWN, `https://${OWN}`, 403],
  ['POST', OWN, 'http://127.0.0.1:4001', 403],
  ['GET', OWN, 'https://elsewhere.example', 403],
  ['GET', 'rebound.example:4000', undefined, 421],
  ['POST', 'rebound.example:4000', 'http://rebound.example:4000', 421],
  ['GET', undefined, undefined, 421],
])('%s to %s from %s is answered by the page of the demo, or refused: %s', (method, host, origin, status) => {
  expect(foreignStatus({ method, headers: { host, origin } }, OWN)).toBe(status)
})

it('the page of the demo writes no ticket for another page', async () => {
  const written: string[] = []
  const desk = { write: (title: string) => written.push(title), tickets: () => [], log: () => ({}) }
  const page = await startPage(desk as unknown as Desk, async () => ({ callbacks: [], executions: [] }))
  onTestFinished(async () => void (await page.close()))
  const statusOf = async (path: string, headers: Record<string, string>, title?: string) => {
    const sent = request(`${page.url}${path}`, { method: title ? 'POST' : 'GET', headers }).end(title)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer.statusCode
  }
  expect(await statusOf('/', {})).toBe(200)
  expect(await statusOf('/state', { host: 'rebound.example' })).toBe(421)
  expect(await statusOf('/tickets', { origin: 'https://elsewhere.example' }, 'foreign')).toBe(403)
  expect(await statusOf('/tickets', {}, 'foreign')).toBe(403)
  expect(await statusOf('/tickets', { origin: page.url }, 'own')).toBe(201)
  expect(written).toEqual(['own'])
})
