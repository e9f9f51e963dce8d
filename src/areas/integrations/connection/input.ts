/** The input of a connection: one member for each system that can be connected, with the fields of its own. */
import type { ConnectableSystem, ConnectionField } from '../../../connectors/fields.ts'
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import { builder } from '../../../schema/builder.ts'
import { CONNECTABLE, fieldsOf, memberOf, typeNameOf } from './connection.ts'
import type { Given } from './rules.ts'

function describedField({ description, secret, required }: ConnectionField): string {
  const first = required ? 'Needed until it is stored; left out, it keeps what is stored.' : 'null clears it.'
  return `${description} ${secret ? `A secret: no answer has it. ${first}` : first}`
}

const fieldsInput = (system: ConnectableSystem) =>
  builder.inputType(`${typeNameOf(system)}Draft`, {
    description:
      'The fields of a connection of this system. With another address, every secret is given again.',
    fields: (t) =>
      Object.fromEntries(
        fieldsOf(system).map((field) => {
          const { name, required, pattern, max_length, kind } = field
          const bounds = {
            description: describedField(field),
            min_length: 1,
            max_length,
            ...(!required && { nullable: true as const }),
            ...(pattern && {
              pattern: { matches: pattern, expected: `text that \`${pattern.source}\` matches` },
            }),
          }
          return [name, kind === 'URL' ? t.field({ type: 'URL', ...bounds }) : t.string(bounds)]
        }),
      ),
  })

const INPUTS = CONNECTABLE.map((system) => [system, fieldsInput(system)] as const)

export const ConnectionDraft = builder.inputType('ConnectionDraft', {
  description: 'The connection. Exactly one system is given: the one of the integration in the path.',
  fields: (t) => ({
    ...Object.fromEntries(
      INPUTS.map(([system, type]) => [
        memberOf(system),
        t.field({
          type,
          nullable: true,
          description: 'The fields of a connection of this system. null is as if it were left out.',
        }),
      ]),
    ),
    poll_interval_seconds: t.int({
      min: 0,
      max: 86_400,
      description: 'Seconds between two looks for what changed in the system. 0: the service does not look.',
    }),
  }),
})

/** The fields that were given for the system; 422 unless they are those of this system alone. */
export function givenFor(system: ConnectableSystem, input: object): Given {
  const members = input as Readonly<Record<string, Given | null | undefined>>
  const others = CONNECTABLE.filter((one) => one !== system).map(memberOf)
  const wrong = others.filter((member) => members[member] !== undefined && members[member] !== null)
  if (wrong.length > 0)
    throw invalid(
      wrong.map((member) => bodyProblem(member, 'other_system', 'is not the integration in the path')),
    )
  const given = members[memberOf(system)]
  if (!given) throw invalid([bodyProblem(memberOf(system), 'required', 'is required')])
  return given
}
