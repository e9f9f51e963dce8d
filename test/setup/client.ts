/** A raw TCP client, for requests that no HTTP client sends. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Client {
  socket: Socket
  /** The text received so far. */
  received(): string
  /** The text received, and whether the connection was reset, once it is closed. */
  ended: Promise<{ text: string; reset: boolean }>
}

export function clientOf(port: number, options: { paused?: boolean; stays?: boolean } = {}): Client {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: options.stays ?? false })
  let text = ''
  let reset = false
  if (!options.paused) {
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
    })
  }
  socket.on('error', () => {
    reset = true
  })
  const ended = new Promise<{ text: string; reset: boolean }>((done) =>
    socket.once('close', () => done({ text, reset })),
  )
  onTestFinished(() => void socket.destroy())
  return { socket, received: () => text, ended }
}

/** The statuses of the responses, in order. */
export const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
