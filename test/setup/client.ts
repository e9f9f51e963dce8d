/** A client that writes what it likes on a connection, and sees how that ends. */
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Client {
  socket: Socket
  /** What came so far. */
  received(): string
  /** How the connection ended for this client. */
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

/** The statuses of the answers, in their order. */
export const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
