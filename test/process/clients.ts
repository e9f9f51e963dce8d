/** Clients that ask without end, on connections that they keep, and tell what became of each request. */
import { connect } from 'node:net'

/** The end of one connection. */
export interface Outcome {
  answers: number
  /** The statuses of answers that are not 200. */
  refused: string[]
  /** Requests that were written before the connection ended, and have no answer. */
  unanswered: number
  reset: boolean
  /** No connection came about: nobody listened. */
  turned_away: boolean
  /** Its last answer said that it was the last one. */
  told: boolean
}

const LENGTH = /^Content-Length: (\d+)\r?$/im

export interface Asking {
  /** As it stands. */
  outcome: Outcome
  ended: Promise<Outcome>
}

/** Writes `at_once` requests, waits for their answers, writes them again, until the connection ends. */
export function askOn(
  port: number,
  request: string,
  at_once: number,
  times = Number.POSITIVE_INFINITY,
): Asking {
  const outcome: Outcome = {
    answers: 0,
    refused: [],
    unanswered: 0,
    reset: false,
    turned_away: true,
    told: false,
  }
  let received = ''
  let round = 0
  const socket = connect(port, '127.0.0.1')
  const write = () => {
    // An error after the last answer is not the server's.
    if (outcome.told || socket.readableEnded) return
    if (++round > times) return void socket.end()
    outcome.unanswered += at_once
    socket.write(request.repeat(at_once))
  }
  const read = (text: string) => {
    received += text
    for (;;) {
      const head = received.indexOf('\r\n\r\n')
      const length = Number(LENGTH.exec(received.slice(0, head))?.[1])
      if (head === -1 || received.length < head + 4 + length) return
      outcome.answers++
      outcome.unanswered--
      const status = received.slice(9, 12)
      if (status !== '200') outcome.refused.push(status)
      outcome.told = /^Connection: close\r?$/im.test(received.slice(0, head))
      received = received.slice(head + 4 + length)
      if (outcome.unanswered === 0) write()
    }
  }
  const ended = new Promise<Outcome>((done) => {
    socket.setEncoding('latin1').on('data', read)
    socket.once('connect', () => {
      outcome.turned_away = false
      write()
    })
    socket.on('error', () => {
      outcome.reset = !outcome.turned_away
    })
    socket.once('close', () => done(outcome))
  })
  return { outcome, ended }
}

/** Opens one connection after another, for one request each, for `ms`. */
export async function askAnew(port: number, request: string, ms: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const until = performance.now() + ms; performance.now() < until; ) {
    outcomes.push(await askOn(port, request, 1, 1).ended)
  }
  return outcomes
}
