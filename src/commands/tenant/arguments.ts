/** The arguments of `npm run tenant`. */
import { z } from 'zod'
import { ROLES } from '../../access/policies/roles.ts'
import { isScope, PRESETS } from '../../access/policies/scopes.ts'
import { CHANNELS } from '../../access/viewer.ts'
import { inCatalogueOrder, KEY_NAME, LIFETIME_DAYS } from '../../areas/api-keys/rules.ts'
import { STATUSES } from '../../areas/billing/rules.ts'
import { DATA_RESIDENCIES } from '../../areas/settings/rules.ts'
import { isStorable } from '../../lib/text.ts'
import { parseInstant } from '../../lib/time.ts'

const PRESET_NAMES = Object.keys(PRESETS).join(', ')

export const USAGE = `Usage: npm run tenant -- <command> [options]

  create       a tenant, with its settings, the default subscription, its first OWNER and its first API key
      --name <text>  --owner-email <address>  --data-residency ${DATA_RESIDENCIES.join('|')}
      [--id <id>]               of the tenant; with one that exists nothing is changed
      [--owner-name <text>]     default: the e-mail address
      [--owner-subject <sub>]   the identity provider's \`sub\`; default: the e-mail address
      [--key-name <text>]       First key
      [--key-scopes <scopes>]   FULL
      [--key-days <days>]       ${LIFETIME_DAYS.max}
  list         every tenant
  show         the tenant, its subscription, and how many users and ACTIVE keys it has
      --tenant <id>
  list-users   the users of the dashboard
      --tenant <id>
  add-user     a user of the dashboard
      --tenant <id>  --email <address>  --role ${ROLES.join('|')}  [--name <text>]  [--subject <sub>]
      [--technician <id>]       that they are, by the id of GET /public-api/technicians
  remove-user  a user; the API keys that they created may do nothing from then on
      --tenant <id>  --user <id>
  list-keys    the API keys, each with the place of its pepper in KEY_PEPPER: 1 is the first. \`missing\`: it is not
               there, and the key is refused. \`unknown\`: the key is older than what is stored of peppers
      --tenant <id>
  issue-key    an API key, created by the tenant's OWNER
      --tenant <id>  --name <text>  --scopes <scopes>  [--days <days>]
      [--channel ${CHANNELS.join('|')}]   of the service itself: some calls wait for a technician's approval
  set-plan     the subscription in this environment; what is left out stays as it is
      --tenant <id>  [--plan <text>]  [--status ${STATUSES.join('|')}]
      [--credits <number>]      that each billing period includes
      [--overage yes|no]        work goes on when they are used up
      [--seats <number>|any]
      [--period-start <date>]   of the first billing period; the others follow it month by month
      [--trial-ends <date>|none]
      [--cancel yes|no]         it ends with its billing period
  suspend, resume
      --tenant <id>
  cancel-runs  the executions of its agents in this environment that have not come to their end
      --tenant <id>  [--reason <text>]
  announce     an item in the inbox of every user of the tenant in this environment
      --id <tenant>  --title <text>  --body <text>
  close-support-request
               a request of any tenant to the operator
      --reference SR-…  [--reopen yes|no]   yes: it is OPEN again

<scopes> is ${PRESET_NAMES}, or names of scopes, separated by commas. <date> is RFC 3339; without a time midnight UTC.
--json prints JSON. The environment is ENVIRONMENT's. Exit status: 0, 1 for a failure, 2 for wrong arguments.`

/** Invalid arguments, with every problem. */
export class WrongArguments extends Error {}

const NAME_CHARACTERS = 120
const REASON_CHARACTERS = 1024
const TITLE_CHARACTERS = 200
const BODY_CHARACTERS = 4000
const MAX_INT = 2_147_483_647
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/

const needed = (issue: { input: unknown }): string =>
  issue.input === undefined ? 'is required' : 'needs a value'

const text = (max: number) =>
  z
    .string({ error: needed })
    .trim()
    .refine((value) => value.length > 0 && [...value].length <= max, `must be 1 to ${max} characters`)
    .refine(isStorable, 'must be well-formed text without U+0000')

const name = text(NAME_CHARACTERS)
const subject = text(255)
const email = text(254).refine((value) => z.email().safeParse(value).success, 'must be an e-mail address')
const id = z
  .string({ error: needed })
  .regex(ID, 'must be 1 to 64 letters, digits, _ or -, and begin with a letter or digit')
const reference = z
  .string({ error: needed })
  .trim()
  .toUpperCase()
  .regex(/^SR-[A-Z0-9]{8}$/, 'must be SR- and eight letters and digits')
const oneOf = <Value extends string>(values: readonly [Value, ...Value[]]) =>
  z.enum(values, {
    error: (issue) => (issue.input === undefined ? 'is required' : `must be one of ${values.join(', ')}`),
  })
const days = z
  .string({ error: needed })
  .transform(Number)
  .refine(
    (value) => Number.isInteger(value) && value >= LIFETIME_DAYS.min && value <= LIFETIME_DAYS.max,
    `must be whole days, ${LIFETIME_DAYS.min} to ${LIFETIME_DAYS.max}`,
  )
  .default(LIFETIME_DAYS.max)
const whole = (min: number) =>
  z
    .string({ error: needed })
    .regex(/^\d{1,10}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= MAX_INT, `must be ${min} to ${MAX_INT}`)
const yesOrNo = z
  .enum(['yes', 'no'], { error: 'must be yes or no' })
  .transform((value) => value === 'yes')
  .optional()
const date = z.string({ error: needed }).transform((value, ctx) => {
  const instant = parseInstant(value)
  if (!instant) ctx.addIssue({ code: 'custom', message: 'must be an RFC 3339 date-time or date' })
  return instant ?? z.NEVER
})
/** null for the word that stands for none. */
const orNone = <Type extends z.ZodType>(word: string, type: Type) =>
  z.preprocess((value) => (value === word ? null : value), type.nullable()).optional()
const isPreset = (value: string): value is keyof typeof PRESETS => Object.hasOwn(PRESETS, value)
const scopes = z
  .string({ error: needed })
  .transform((value): string[] =>
    isPreset(value) ? [...PRESETS[value]] : value.split(',').map((scope) => scope.trim()),
  )
  .superRefine((all, ctx) => {
    const unknown = all.filter((scope) => !isScope(scope))
    const message = `must be ${PRESET_NAMES}, or names of scopes, not ${JSON.stringify(unknown.join(', '))}`
    if (unknown.length > 0) ctx.addIssue({ code: 'custom', message })
  })
  .transform(inCatalogueOrder)

const COMMANDS = {
  create: z.strictObject({
    id: id.optional(),
    name,
    'data-residency': oneOf(DATA_RESIDENCIES),
    'owner-email': email,
    'owner-name': name.optional(),
    'owner-subject': subject.optional(),
    'key-name': text(KEY_NAME.max).default('First key'),
    'key-scopes': scopes.prefault('FULL'),
    'key-days': days,
  }),
  list: z.strictObject({}),
  show: z.strictObject({ tenant: id }),
  'list-users': z.strictObject({ tenant: id }),
  'list-keys': z.strictObject({ tenant: id }),
  'add-user': z.strictObject({
    tenant: id,
    email,
    role: oneOf(ROLES),
    name: name.optional(),
    subject: subject.optional(),
    technician: whole(1).optional(),
  }),
  'remove-user': z.strictObject({ tenant: id, user: id }),
  'issue-key': z.strictObject({
    tenant: id,
    name: text(KEY_NAME.max),
    scopes,
    days,
    channel: oneOf(CHANNELS).optional(),
  }),
  'set-plan': z.strictObject({
    tenant: id,
    plan: name.optional(),
    status: oneOf(STATUSES).optional(),
    credits: whole(0).optional(),
    overage: yesOrNo,
    seats: orNone('any', whole(1)),
    'period-start': date.optional(),
    'trial-ends': orNone('none', date),
    cancel: yesOrNo,
  }),
  suspend: z.strictObject({ tenant: id }),
  resume: z.strictObject({ tenant: id }),
  'cancel-runs': z.strictObject({ tenant: id, reason: text(REASON_CHARACTERS).optional() }),
  announce: z.strictObject({ id, title: text(TITLE_CHARACTERS), body: text(BODY_CHARACTERS) }),
  'close-support-request': z.strictObject({ reference, reopen: yesOrNo }),
}

type CommandName = keyof typeof COMMANDS

export type Command = {
  [Name in CommandName]: { command: Name; options: z.infer<(typeof COMMANDS)[Name]> }
}[CommandName]

const FLAGS = ['json', 'help']

const isCommand = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word)

/** Parses options with their values, and positional words. An option before another option has no value. */
function optionsIn(args: readonly string[]) {
  const words: string[] = []
  const options = new Map<string, string | true>()
  const problems: string[] = []
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--([^=]+)(?:=(.*))?$/s.exec(args[at] ?? '') ?? []
    const next = args[at + 1]
    if (name === undefined) words.push(args[at] ?? '')
    else if (options.has(name)) problems.push(`--${name}: is there twice`)
    else if (value !== undefined || FLAGS.includes(name)) options.set(name, value ?? true)
    else if (next === undefined || next.startsWith('--')) options.set(name, true)
    else options.set(name, args[++at] ?? true)
  }
  return { words, options, problems }
}

/** Parses the command and its options; null for `--help`. Throws a WrongArguments with every problem. */
export function readArguments(args: readonly string[]): (Command & { json: boolean }) | null {
  const { words, options, problems } = optionsIn(args)
  if (args.length === 0 || options.has('help')) return null
  const json = options.delete('json')
  const [command = '', ...others] = words
  problems.push(...others.map((word) => `${word}: is no option`))
  if (!isCommand(command)) {
    const message = command === '' ? 'The command is missing' : `${command}: is no command`
    throw new WrongArguments([message, ...problems].join('\n'))
  }
  const read = COMMANDS[command].safeParse(Object.fromEntries(options))
  problems.push(...(read.error?.issues ?? []).flatMap(problemsOf))
  if (problems.length > 0) throw new WrongArguments(problems.join('\n'))
  return { command, options: read.data, json } as Command & { json: boolean }
}

const problemsOf = (issue: z.core.$ZodIssue): string[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((name) => `--${name}: is no option of this command`)
    : [`--${issue.path.join('.')}: ${issue.message}`]
