/** The members of `details` in errors: what the code that throws one must give, and what the documents say. */
import { z } from 'zod'

/** The description of a member, and an example. */
const about = (description: string, example: unknown, schema: object = {}) => ({
  ...schema,
  description,
  ...(example !== undefined && { examples: [example] }),
})

export const text = (description: string, example?: string) => z.string().meta(about(description, example))
export const textOrNull = (description: string, example?: string) =>
  z.custom<string | null>().meta(about(description, example, { type: ['string', 'null'] }))
/** A list that may be constant: the `readOnly` of JSON Schema means something else. */
const listOf = <Item>(items: object, description: string, example?: Item[]) =>
  z.custom<readonly Item[]>().meta(about(description, example, { type: 'array', items }))

export const texts = (description: string, example?: string[]) =>
  listOf<string>({ type: 'string' }, description, example)
export const whole = (description: string, example?: number) =>
  z.number().meta(about(description, example, { type: 'integer' }))
export const numbers = (description: string, example?: number[]) =>
  listOf<number>({ type: 'integer' }, description, example)
export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  z.enum(values).meta(about(description, values[0]))
export const time = (description: string, example?: string) =>
  z.custom<Date | string>().meta(about(description, example, { type: 'string', format: 'date-time' }))
export const timeOrNull = (description: string, example?: string) =>
  z
    .custom<Date | string | null>()
    .meta(about(description, example, { type: ['string', 'null'], format: 'date-time' }))

const FieldProblem = z
  .object({
    field: text('The path of the field, such as `windows.0.day`.', 'name'),
    location: oneOf(['body', 'query', 'path', 'header'], 'The part of the request.'),
    code: text('The stable, machine-readable problem.', 'required'),
    message: text('The problem in words.', 'Send this field.'),
    fix: text('A value to send instead.').optional(),
    depth: whole('Depth of the field, if that is the problem.').optional(),
  })
  .meta({ title: 'FieldError', description: 'One invalid field.' })

export type FieldError = z.infer<typeof FieldProblem>

const field_errors = z.array(FieldProblem).meta({ description: 'The invalid fields.' })

export const INVALID_FIELDS = z.object({ field_errors })

export const UNREADABLE = z.object({
  reason: text('What could not be read.', 'The body is not JSON.'),
  field_errors: field_errors.optional(),
})

export const UNKNOWN_ID = z.object({
  id: text('The id, as it was sent.', '1000000').optional(),
})

/** A window of time, by the names that the arguments of the operation have. */
const WINDOW = {
  from: timeOrNull('The start of the window.', '2026-11-14T12:00:00.000Z').optional(),
  to: timeOrNull('The end of the window.', '2026-11-21T12:00:00.000Z').optional(),
  since: timeOrNull('The start of the window.').optional(),
  until: timeOrNull('The end of the window.').optional(),
}

export const NO_WINDOW = z.object({
  ...WINDOW,
  max_seconds: whole('The length of the longest window.', 604800).optional(),
})
export const LONG_WINDOW = z.object({
  ...WINDOW,
  max_seconds: whole('The length of the longest window.', 604800),
})

export const AGENT_STATE = z.object({
  id: text('The id of the agent.', '1000000').optional(),
  current_state: text('The `state` of the agent.', 'PAUSED'),
})

export const SUBSCRIPTION_STATE = z.object({
  current_state: text('The `status` of the subscription.', 'PAUSED'),
  current_period_end: time('The end of the billing period.', '2026-12-01T00:00:00.000Z'),
})

export const KEY_STATUS = z.object({ status: text('The `status` of the key.', 'REVOKED') })

export const CHANNEL_STATUS = z.object({ current_status: text('The `status` of the channel.', 'PAUSED') })

export const ENTRY_STATUS = z.object({
  current_status: text('The `status` of the entry.', 'COMPLETED'),
  execution_id: textOrNull('The execution that the entry became.', 'exe_7'),
})

export const CLOSED_REQUEST = {
  status: text('The `status` of the request.', 'APPROVED'),
  decided_by_name: textOrNull('Who decided it.', 'Ada Park'),
  decided_at: timeOrNull('When it was decided.', '2026-11-21T11:58:00.000Z'),
}

export const APPROVERS = z.object({ technician_ids: numbers('The technicians who may decide.', [7]) })

export const REQUIRED_ROLE = z.object({
  required_role: text('The least role that may do this.', 'ADMIN').optional(),
})

export const LOCATIONS = z.object({
  locations: z
    .custom<readonly { line: number; column: number }[]>()
    .meta({
      type: 'array',
      items: {
        type: 'object',
        properties: { line: { type: 'integer' }, column: { type: 'integer' } },
        required: ['line', 'column'],
      },
      description: 'The places in the document, from line 1 and column 1.',
    })
    .optional(),
})
