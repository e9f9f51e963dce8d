/** Questions to a model, fitted to the characters that a request may have. */
import type { ModelMessage, ModelQuestion } from './model.ts'

type Question = Pick<ModelQuestion, 'instructions' | 'messages' | 'tools'>

/** The characters around a message, a call or a tool in a request, such as the names of their fields. */
const AROUND = 120

const quoted = (value: unknown): number => JSON.stringify(value ?? null).length

/** The characters of the message in a request, in which arguments and results are text in JSON. */
function charactersOf(message: ModelMessage): number {
  if (message.role === 'user') return AROUND + quoted(message.text)
  if (message.role === 'tool') return AROUND + quoted(message.call_id) + quoted(message.result)
  const calls = message.calls.map(
    ({ id, tool_name, arguments: args }) =>
      AROUND + quoted(id) + quoted(tool_name) + quoted(JSON.stringify(args ?? null)),
  )
  return AROUND + quoted(message.text) + sum(calls)
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** The characters of a request with the question. */
export const charactersIn = ({ instructions, messages, tools }: Question): number =>
  AROUND +
  quoted(instructions) +
  sum(messages.map(charactersOf)) +
  sum(tools.map((tool) => AROUND + quoted(tool)))

export const LEFT_OUT = JSON.stringify({
  outcome: 'LEFT_OUT',
  note: 'The answer is too long ago. Call the tool again.',
})
const OMITTED = { left_out: 'These arguments are too long ago.' }
const SAID_CHARACTERS = 200

const withoutResult = (message: ModelMessage): ModelMessage =>
  message.role === 'tool' && message.result.length > LEFT_OUT.length
    ? { ...message, result: LEFT_OUT }
    : message

const withoutArguments = (message: ModelMessage): ModelMessage =>
  message.role === 'assistant' && message.calls.length > 0
    ? {
        ...message,
        text: message.text?.slice(0, SAID_CHARACTERS) ?? null,
        calls: message.calls.map((call) =>
          quoted(call.arguments) > quoted(OMITTED) ? { ...call, arguments: OMITTED } : call,
        ),
      }
    : message

/** The messages, each with the answers to its calls. */
function exchangesIn(messages: readonly ModelMessage[]): ModelMessage[][] {
  const exchanges: ModelMessage[][] = []
  for (const message of messages) {
    const exchange = exchanges.at(-1)
    if (message.role === 'tool' && exchange) exchange.push(message)
    else exchanges.push([message])
  }
  return exchanges
}

const isUser = ([message]: readonly ModelMessage[]): boolean => message?.role === 'user'

/**
 * The question in a request of at most so many characters: old results make room, the oldest first, then the arguments of
 * old calls, then old exchanges as a whole. The first message, the last one of a person and the last exchange stay. null:
 * it does not fit.
 */
export function fittedTo(most: number, question: Question): Question | null {
  let excess = charactersIn(question) - most
  const shortened = (messages: readonly ModelMessage[], shorten: (message: ModelMessage) => ModelMessage) =>
    messages.map((message) => {
      if (excess <= 0) return message
      const shorter = shorten(message)
      excess -= charactersOf(message) - charactersOf(shorter)
      return shorter
    })
  const answered = shortened(question.messages, withoutResult)
  const last_turn = answered.findLastIndex(({ role }) => role === 'assistant')
  const before = shortened(answered.slice(0, Math.max(0, last_turn)), withoutArguments)
  const exchanges = exchangesIn([...before, ...answered.slice(Math.max(0, last_turn))])
  const last_of_person = exchanges.findLastIndex(isUser)
  const kept = exchanges.filter((exchange, index) => {
    if (excess <= 0 || index === 0 || index === last_of_person || index === exchanges.length - 1) return true
    excess -= sum(exchange.map(charactersOf))
    return false
  })
  return excess > 0 ? null : { ...question, messages: kept.flat() }
}
