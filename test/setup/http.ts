/** Raw HTTP requests. */
import { connect } from 'node:net'
import { testApp } from './app.ts'
import type { Caller } from './world.ts'

/** Sends a request to the worker's service. */
export async function request(path: string, init: RequestInit = {}, caller?: Caller): Promise<Response> {
  const { base } = await testApp()
  const headers = new Headers(init.headers)
  if (caller) headers.set('authorization', `Bearer ${caller.token}`)
  return await fetch(base + path, { redirect: 'manual', ...init, headers })
}

/** Request options for a JSON body. */
export const json = (body: unknown, init: RequestInit = {}): RequestInit => ({
  method: 'POST',
  ...init,
  headers: { 'content-type': 'application/json', ...init.headers },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** Sends the bytes on a socket and returns everything that the service writes. */
export async function raw(bytes: string): Promise<string> {
  const { base } = await testApp()
  return await new Promise((done, fail) => {
    const socket = connect(Number(new URL(base).port), '127.0.0.1', () => socket.write(bytes))
    let text = ''
    socket.setTimeout(15_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => done(text))
    socket.on('error', fail)
  })
}
