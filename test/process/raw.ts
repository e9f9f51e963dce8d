/** A connection on which anything can be sent, right or wrong. */
import { connect, type Socket } from 'node:net'

export interface RawConnection {
  write(text: string): void
  /** All that came, once the other side has closed. */
  answer: Promise<string>
  socket: Socket
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (text) => {
    received += text
  })
  const answer = new Promise<string>((done) => {
    socket.once('close', () => done(received))
    socket.on('error', () => {})
  })
  await new Promise((done) => socket.once('connect', done))
  return { socket, answer, write: (text) => void socket.write(text) }
}

/** The bytes that come back for one request, written out in full. */
export async function exchange(port: number, request: string): Promise<{ status: number; body: string }> {
  const connection = await openRaw(port)
  connection.write(request)
  const answer = await connection.answer
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), body }
}

/** True if nobody listens at the port. */
export const isRefused = (port: number): Promise<boolean> =>
  new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      done(false)
    })
    socket.once('error', () => done(true))
  })
