/**
 * Sends one read at a fixed rate, and tells of the milliseconds of the answers. A request that is late for the one before it
 * counts from the time at which it was due. Its standard input has a line with the seconds of each round.
 */
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'

const RATE = 50
const { BASE = '', TARGET = '', KEY = '' } = process.env
const pool = new Pool(BASE, { connections: 64 })

async function milliseconds(due: number): Promise<number> {
  const answer = await pool.request({
    path: TARGET,
    method: 'GET',
    headers: { authorization: `Bearer ${KEY}` },
    headersTimeout: 60_000,
  })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`A read was answered with ${answer.statusCode}`)
  return performance.now() - due
}

async function round(seconds: number): Promise<number[]> {
  const began = performance.now()
  const reads: Promise<number>[] = []
  for (let count = 0; count < seconds * RATE; count++) {
    const due = began + (count * 1000) / RATE
    await sleep(Math.max(0, due - performance.now()))
    // A timer that fires late is the reader's delay, not the service's.
    reads.push(milliseconds(performance.now()))
  }
  return await Promise.all(reads)
}

for await (const line of createInterface({ input: process.stdin }))
  console.log(JSON.stringify(await round(Number(line))))
await pool.close()
