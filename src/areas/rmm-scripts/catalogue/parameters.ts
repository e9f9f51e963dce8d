/** The parameters of a script, as the RMM has them and as the tenant calls them secret. */
import type { RmmScriptParameter } from '../../../connectors/rmm.ts'

export interface StoredParameters {
  /** The parameters as the RMM has them. */
  parameters: readonly RmmScriptParameter[]
  /** The names of the parameters that the tenant calls secret. */
  secret_parameters: readonly string[]
}

/** The parameters of the script. A parameter is secret if the RMM or the tenant says so. */
export const parametersOf = ({ parameters, secret_parameters }: StoredParameters): RmmScriptParameter[] =>
  parameters.map((parameter) => ({
    ...parameter,
    secret: parameter.secret || secret_parameters.includes(parameter.name),
  }))

/** The places of names that no parameter of the script has. */
export function unknownParameters(
  { parameters }: Pick<StoredParameters, 'parameters'>,
  names: readonly string[],
): number[] {
  const known = new Set(parameters.map(({ name }) => name))
  return names.flatMap((name, index) => (known.has(name) ? [] : [index]))
}
