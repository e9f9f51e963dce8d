/** Questions to a model that are fitted to the characters of a request. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelMessage } from '../../src/connectors/model.ts'
import { charactersIn, fittedTo } from '../../src/connectors/questions.ts'

const TOOL = { name: 'ticket.read', description: 'Reads a ticket.', input_schema: { type: 'object' } }
const WORK: ModelMessage = { role: 'user', text: 'Work.' }

const question = (messages: readonly ModelMessage[], instructions = 'Be brief.') => ({
  instructions,
  messages,
  tools: [TOOL],
})

const exchange = (n: number, args: unknown, result: string): ModelMessage[] => [
  { role: 'assistant', text: null, calls: [{ id: `c${n}`, tool_name: TOOL.name, arguments: args }] },
  { role: 'tool', call_id: `c${n}`, tool_name: TOOL.name, result },
]

const many = (count: number, args: unknown, result: string) => [
  WORK,
  ...Array.from({ length: count }, (_, n) => exchange(n, args, result)).flat(),
]

test('a question that fits stays as it is', () => {
  const asked = question(many(3, {}, 'a'.repeat(100)))
  expect(fittedTo(charactersIn(asked), asked)).toEqual(asked)
})

test('the oldest results make room first', () => {
  const fitted = fittedTo(20_000, question(many(10, {}, 'a'.repeat(3000))))
  const results = fitted?.messages.flatMap((message) => (message.role === 'tool' ? [message.result] : []))
  expect(results?.map((result) => result.includes('LEFT_OUT'))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('then the arguments of old calls, but not of the last ones', () => {
  const args = { text: 'a'.repeat(3000) }
  const fitted = fittedTo(10_000, question(many(10, args, '{}')))
  const given = fitted?.messages.flatMap((message) =>
    message.role === 'assistant' ? message.calls.map((call) => call.arguments) : [],
  )
  expect(given?.[0]).toEqual({ left_out: expect.any(String) })
  expect(given?.at(-1)).toEqual(args)
  expect(given).toHaveLength(10)
})

test('then old exchanges as a whole', () => {
  const messages = many(500, {}, '{}')
  const fitted = fittedTo(20_000, question(messages))
  expect(fitted?.messages[0]).toEqual(WORK)
  expect(fitted?.messages.at(-1)).toEqual(messages.at(-1))
  expect(fitted?.messages.length).toBeLessThan(200)
})

test('the question of a person stays, whatever was said before it', () => {
  const said = Array.from({ length: 20 }, (): ModelMessage => ({ role: 'user', text: 'b'.repeat(900) }))
  const asked: ModelMessage = { role: 'user', text: 'Which one?' }
  const messages = [...said, asked, ...exchange(1, {}, 'c'.repeat(900))]
  expect(fittedTo(5000, question(messages))?.messages).toContainEqual(asked)
})

test.each([
  ['the instructions', question([WORK], 'a'.repeat(10_000))],
  ['the tools', { ...question([WORK]), tools: [{ ...TOOL, description: 'a'.repeat(10_000) }] }],
  ['the work', question([{ role: 'user', text: 'a'.repeat(10_000) }])],
  ['the arguments of the last turn', question([WORK, ...exchange(1, { text: 'a'.repeat(10_000) }, '{}')])],
])('a question does not fit if %s are too long', (_what, asked) => {
  expect(fittedTo(10_000, asked)).toBeNull()
})

/** The question as the wire has it, of which arguments and results are text. */
const wire = ({ instructions, messages, tools }: ReturnType<typeof question>): string =>
  JSON.stringify({
    messages: [
      { role: 'system', content: instructions },
      ...messages.map((message) => {
        if (message.role === 'user') return { role: 'user', content: message.text }
        if (message.role === 'tool')
          return { role: 'tool', tool_call_id: message.call_id, content: message.result }
        const tool_calls = message.calls.map(({ id, tool_name: name, arguments: args }) => ({
          id,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
        }))
        return { role: 'assistant', content: message.text, tool_calls }
      }),
    ],
    tools: tools.map(({ name, description, input_schema: parameters }) => ({
      type: 'function',
      function: { name, description, parameters },
    })),
  })

const anyExchange = fc
  .tuple(fc.nat(), fc.jsonValue(), fc.string({ unit: 'binary', maxLength: 2000 }))
  .map(([n, args, result]) => exchange(n, args, result))
const anyMessages = fc
  .array(
    fc.oneof(
      anyExchange,
      fc.string().map((text): ModelMessage[] => [{ role: 'user', text }]),
    ),
  )
  .map((exchanges) => [WORK, ...exchanges.flat()])

test('whatever it is made of, a request has no more characters, and every answer follows its call', () => {
  fc.assert(
    fc.property(anyMessages, fc.string(), fc.integer({ min: 200, max: 8000 }), (messages, said, most) => {
      const fitted = fittedTo(most, question(messages, said))
      if (fitted === null) return
      expect(wire({ ...fitted, tools: [TOOL], messages: [...fitted.messages] }).length).toBeLessThanOrEqual(
        most,
      )
      const called = new Set<string>()
      for (const message of fitted.messages) {
        if (message.role === 'assistant') for (const { id } of message.calls) called.add(id)
        if (message.role === 'tool') expect(called).toContain(message.call_id)
      }
    }),
  )
})
