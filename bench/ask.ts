/** One request at a time, for what is not timed; and whether everybody gives the same answer. */
import { deepStrictEqual } from 'node:assert/strict'
import type { Contender } from './contender.ts'
import type { Writes } from './data/writes.ts'
import type { Answer, Dialect } from './dialects/dialect.ts'
import { bodyOf, headersOf, newKey } from './load.ts'
import type { Question, Request, Write } from './questions.ts'

/** A contender and the interface that it is asked through. */
export interface Asked {
  label: string
  contender: Contender
  dialect: Dialect
}

async function send(base: string, request: Request): Promise<unknown> {
  const { key, path, method, idempotent } = request
  const body = bodyOf(request.body)
  const headers = { ...headersOf(key), ...(idempotent && newKey()) }
  const response = await fetch(base + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  if (!response.ok)
    throw new Error(`${method} ${path} was answered with ${response.status}: ${text.slice(0, 500)}`)
  return JSON.parse(text)
}

async function answer({ contender, dialect }: Asked, question: Question, request: Request): Promise<Answer> {
  return dialect.answer(question.read, await send(contender.base, request))
}

/** The request for the question, the pages before its own walked through; null: it cannot be asked here. */
export async function requestFor(asked: Asked, question: Question): Promise<Request | null> {
  const { dialect } = asked
  if (!('skip' in question) || question.skip.pages === 0) return dialect.request(question, null)
  const { pages, size } = question.skip
  let after: string | null = null
  for (let page = 0; page < pages; page++) {
    const earlier: Question = { ...question, page_size: size }
    const request = dialect.request(earlier, after)
    if (!request) return null
    after = (await answer(asked, earlier, request)).next_cursor
    if (after === null) throw new Error(`${asked.label} has no page ${page + 1}`)
  }
  return dialect.request(question, after)
}

/** The requests for all questions; null: this contender cannot be asked them. */
export async function requestsFor(asked: Asked, questions: readonly Question[]): Promise<Request[] | null> {
  const requests: Request[] = []
  for (const question of questions) {
    const request = await requestFor(asked, question)
    if (!request) return null
    requests.push(request)
  }
  return requests
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** The value as everybody would write it who means the same: instants and decimals have more than one spelling. */
function plain(value: unknown): unknown {
  if (typeof value === 'string' && TIME.test(value)) return new Date(value).getTime()
  if (typeof value === 'string' && /^-?\d+\.\d+$/.test(value)) return Number(value)
  if (typeof value === 'number') return Math.round(value * 1e6) / 1e6
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]))
}

/** The parts of `value` that `sample` has too. */
function likeIn(sample: unknown, value: unknown): unknown {
  if (Array.isArray(sample) && Array.isArray(value))
    return value.map((inner, index) => likeIn(sample[index], inner))
  if (typeof sample !== 'object' || sample === null || typeof value !== 'object' || value === null)
    return value
  const known = Object.entries(value).filter(([name]) => name in sample)
  return Object.fromEntries(known.map(([name, inner]) => [name, likeIn((sample as never)[name], inner)]))
}

const SAMPLE = 12
/** Fewer if all that was written is removed before each. */
const SAMPLE_OF_WRITES = 3

const sampleOf = (questions: readonly Question[], size: number): Question[] => {
  const step = Math.max(1, Math.floor(questions.length / size))
  return questions.filter((_, index) => index % step === 0 || index === questions.length - 1)
}

/** The answer to one question. */
export async function askOnce(asked: Asked, question: Question): Promise<Answer> {
  const request = await requestFor(asked, question)
  if (!request) throw new Error(`${asked.label} cannot be asked ${question.read}`)
  return await answer(asked, question, request)
}

/** The answer, and the rows that it left behind if writes are watched. */
async function outcome(asked: Asked, question: Question, traces: Traces | null) {
  await traces?.writes.reset(traces.write)
  const { data, next_cursor } = await askOnce(asked, question)
  return { data: plain(data), ends: next_cursor === null, written: await traces?.writes.latest(traces.write) }
}

/** The rows that a write leaves behind. */
interface Traces {
  write: Write
  writes: Writes
}

interface Agreement {
  /** One of the two answers less; what both answer is compared. */
  partly: boolean
  /** For requests that write: the rows that they leave behind are compared too. */
  traces: Traces | null
}

/** Throws if the two do not do the same work. */
export async function mustAgree(
  [one, other]: readonly [Asked, Asked],
  questions: readonly Question[],
  { partly, traces }: Agreement,
): Promise<void> {
  for (const question of sampleOf(questions, traces ? SAMPLE_OF_WRITES : SAMPLE)) {
    const expected = await outcome(one, question, traces)
    const given = await outcome(other, question, traces)
    const compared = partly
      ? [likeIn(given.data, expected.data), likeIn(expected.data, given.data)]
      : [expected, given]
    const [wanted, found] = compared
    try {
      deepStrictEqual({ found, ends: given.ends }, { found: wanted, ends: expected.ends })
    } catch (difference) {
      throw new Error(`${one.label} and ${other.label} differ in ${question.read}\n${difference}`)
    }
  }
}
