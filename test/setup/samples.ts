/** Sample arguments for generated suites. */
import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql'
import type { System } from '../../src/areas/integrations/registry.ts'
import type { Operation } from '../../src/gateway/operation.ts'
import { boundsOf } from '../../src/schema/bounds/bounds.ts'
import { isRequired } from '../../src/schema/calls/input.ts'
import type { Arguments } from './api.ts'
import { clock } from './app.ts'
import type { Ids } from './suites/own.ts'

type Input = GraphQLArgument | GraphQLInputField

/** A valid value for the argument or field, without optional fields. */
export function sampleOf(input: Input): unknown {
  const { min, min_length = 0, pattern } = boundsOf(input)
  const example = pattern && /such as `([^`]+)`/.exec(input.description ?? '')?.[1]
  const sample = (type: GraphQLInputType): unknown => {
    const inner = getNullableType(type)
    if (isListType(inner)) return [sample(inner.ofType)]
    if (isEnumType(inner)) return inner.getValues()[0]?.name
    if (isInputObjectType(inner)) {
      const required = Object.values(inner.getFields()).filter(isRequired)
      return Object.fromEntries(required.map((field) => [field.name, sampleOf(field)]))
    }
    if (inner.name === 'Boolean') return true
    if (inner.name === 'Int') return min ?? 1
    if (inner.name === 'DateTime') return clock.now().toISOString()
    return example ?? 'sample'.padEnd(min_length, 'x')
  }
  return sample(input.type)
}

/** The required arguments of the operation. */
export const requiredArguments = ({ name: operation, field }: Operation): Arguments => ({
  ...Object.fromEntries(field.args.filter(isRequired).map((arg) => [arg.name, sampleOf(arg)])),
  ...(field.args.some(({ name }) => name === 'system') && {
    system: operation === 'unconfirmed_company_links' ? FOLDERS : SYSTEM,
  }),
})

/** The path parameters that identify a row; enumerations do not. */
export const pathParameters = ({ rest, field }: Operation): string[] =>
  [...rest.path.matchAll(/\{(\w+)\}/g)]
    .map(([, name]) => name ?? '')
    .filter((name) => field.args.some((arg) => arg.name === name && !isEnumType(getNullableType(arg.type))))

/** The integration of the rows of own rows. */
export const SYSTEM = 'HUDU' satisfies System
/** An integration whose entities are folders: the row of own rows waits for a person. */
export const FOLDERS = 'SHAREPOINT' satisfies System

/** The id as the argument takes it: some are numbers. */
export const idFor = (
  { type }: GraphQLArgument,
  id: string | number | undefined,
): string | number | undefined => (String(type) === 'Int!' && id !== undefined ? Number(id) : id)

/** Path parameters that name things of the service, equal for every tenant. */
export const CATALOGUE_PATHS = ['/integrations/{name}', '/permission-groups/{name}']

/** Arguments of the operation that name these rows, with samples of the others that it requires. */
export function argumentsOf(operation: Operation, ids: Ids): Arguments {
  const named = pathParameters(operation).flatMap((name) => {
    const arg = operation.field.args.find((argument) => argument.name === name)
    return name in ids && arg ? [[name, idFor(arg, ids[name])]] : []
  })
  const catalogued = operation.rest.path.startsWith('/integrations/{name}')
    ? { name: operation.access.kind === 'dashboard' ? 'connectwise-psa' : 'hudu' }
    : { name: 'TICKETS' }
  const hasName = pathParameters(operation).includes('name')
  return { ...requiredArguments(operation), ...(hasName && catalogued), ...Object.fromEntries(named) }
}
