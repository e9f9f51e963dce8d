/** The rules of a script that callers give. */
import { bodyProblem, invalid } from '../../../errors/errors.ts'
import { refuseSecrets } from '../../../gateway/refuse-secrets.ts'
import { builder, enumFrom } from '../../../schema/builder.ts'
import { unknownParameters } from './parameters.ts'
import type { ScriptRow } from './script.ts'

export const RmmScriptUpdate = builder.inputType('RmmScriptUpdate', {
  description: 'The fields to change. A field that is left out keeps its value; lists are replaced whole.',
  fields: (t) => ({
    agent_description: t.string({
      nullable: true,
      min_length: 1,
      max_length: 1024,
      description: 'The description that agents read. null: agents read the `description` of the RMM.',
    }),
    risk: t.field({ type: enumFrom('ScriptRisk'), description: 'The harm that the script can do.' }),
    agent_enabled: t.boolean({ description: 'true: agents may run the script.' }),
    approval: t.field({
      type: enumFrom('ScriptApproval'),
      description: 'The runs of agents that a technician approves.',
    }),
    secret_parameters: t.stringList({
      max_items: 200,
      min_length: 1,
      max_length: 255,
      description:
        'The names of all parameters that are secret although the RMM does not say so. A parameter that the RMM calls secret ' +
        'stays secret.',
    }),
  }),
})

type Given = typeof RmmScriptUpdate.$inferInput

/** The rules after the change; 422 for a name that is no parameter of the script, and for a secret in the description. */
export function rulesOf(script: ScriptRow, given: Given) {
  const { agent_description = script.agent_description, secret_parameters } = given
  // A description that was read can be sent back.
  if (agent_description !== script.agent_description) refuseSecrets({ agent_description })
  const problems = unknownParameters(script, secret_parameters ?? []).map((index) =>
    bodyProblem(`secret_parameters.${index}`, 'unknown', 'is no parameter of the script'),
  )
  if (problems.length > 0) throw invalid(problems)
  return {
    agent_description,
    risk: given.risk ?? script.risk,
    agent_enabled: given.agent_enabled ?? script.agent_enabled,
    approval: given.approval ?? script.approval,
    secret_parameters: secret_parameters ? [...new Set(secret_parameters)].sort() : script.secret_parameters,
  }
}
