import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Running, startApp } from '../setup/app.ts'
import { clientOf, statuses } from '../setup/client.ts'
import { testDatabase } from '../setup/database.ts'
import { world } from '../setup/world.ts'

const SETTINGS = '/public-api/settings'

describe('a browser on an allowed origin', () => {
  const ORIGIN = 'https://dashboard.test'
  let running: Running

  beforeAll(async () => {
    running = await startApp(await testDatabase(), { CORS_ORIGINS: ORIGIN, ALLOWED_HOSTS: '127.0.0.1' })
  })
  afterAll(() => running.app.close(0))

  const ask = (path: string, init: RequestInit = {}, origin = ORIGIN) =>
    fetch(running.base + path, { ...init, headers: { origin, ...init.headers } })
  const preflight = (path: string, method: string, origin?: string) =>
    ask(path, { method: 'OPTIONS', headers: { 'access-control-request-method': method } }, origin)

  it.each([
    ['/public-api/settings', 'GET', 401],
    ['/public-api/nothing', 'GET', 404],
    ['/nothing', 'POST', 404],
    ['/public-api/settings', 'DELETE', 405],
    ['/graphql', 'DELETE', 405],
    ['/public-api/openapi.json', 'GET', 200],
    ['/livez', 'GET', 200],
  ])('sees the answer of %s %s', async (path, method, status) => {
    const asked = await preflight(path, method)
    expect(asked.ok).toBe(true)
    expect(asked.headers.get('access-control-allow-origin')).toBe(ORIGIN)
    if (path !== '/livez') {
      expect(asked.headers.get('access-control-allow-methods')).toContain(method)
      expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization')
    }
    const answer = await ask(path, { method })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, ORIGIN])
    await answer.arrayBuffer()
  })

  it('sees what is wrong with its headers and its body', async () => {
    const { token } = (await world()).admin
    const port = Number(new URL(running.base).port)
    const head = `Origin: ${ORIGIN}\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n`
    for (const [host, rest, status] of [
      ['elsewhere', '\r\n', 400],
      ['127.0.0.1', `Authorization: Bearer ${token}\r\n\r\n`, 400],
      ['127.0.0.1', 'Transfer-Encoding: chunked\r\n\r\nno chunk\r\n', 400],
      ['127.0.0.1', 'Content-Length: 2000000\r\n\r\n', 413],
    ] as const) {
      const { socket, ended } = clientOf(port)
      socket.write(`PUT ${SETTINGS} HTTP/1.1\r\nHost: ${host}\r\n${head}${rest}`)
      const { text } = await ended
      expect(statuses(text)).toEqual([status])
      expect(text).toMatch(new RegExp(`^Access-Control-Allow-Origin: ${ORIGIN}\r$`, 'm'))
    }
  })

  it('is told nothing on another origin, whose preflights of nothing are 404', async () => {
    const answer = await preflight('/public-api/nothing', 'GET', 'https://evil.test')
    expect(answer.status).toBe(404)
    for (const response of [answer, await ask('/public-api/nothing', {}, 'https://evil.test')]) {
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })
})
