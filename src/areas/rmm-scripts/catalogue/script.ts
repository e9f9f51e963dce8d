/** Scripts of the RMM, as they are stored and as callers see them. */
import type { RmmScriptParameter } from '../../../connectors/rmm.ts'
import { etagOf } from '../../../gateway/entity-tags.ts'
import { builder } from '../../../schema/builder.ts'
import type { Row } from '../../../schema/models.ts'
import { madeOf, rowType } from '../../../schema/row-type.ts'
import { CompanyLinkSystem } from '../../integrations/index.ts'
import { parametersOf } from './parameters.ts'

/** A script without its body, which one operation reads alone. */
export interface ScriptRow extends Omit<Row<'RmmScript'>, 'system' | 'parameters' | 'body'> {
  system: CompanyLinkSystem
  /** The parameters as the RMM has them: `parametersOf` knows which are secret. */
  parameters: RmmScriptParameter[]
  /** True if the RMM of the script is connected, and starts scripts. */
  can_start: boolean
  /** The body, if the caller asked for it. */
  shown_body?: string | null
}

/** Syncs change a script without a new revision, and so do connections. */
export const scriptEtag = (script: ScriptRow): string =>
  etagOf(script.revision, [script.updated_at, script.synced_at, script.can_start])

const ScriptParameterType = builder.enumType('ScriptParameterType', {
  description: 'The kind of the values that a parameter takes.',
  values: {
    STRING: { description: 'A text.' },
    INTEGER: { description: 'A whole number.' },
    BOOLEAN: { description: 'true or false.' },
    CHOICE: { description: 'One of the `choices`.' },
  } satisfies Record<RmmScriptParameter['type'], { description: string }>,
})

const Parameter = builder.objectRef<RmmScriptParameter>('RmmScriptParameter').implement({
  description: 'A parameter of a script.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the parameter in the RMM.' }),
    type: t.expose('type', { type: ScriptParameterType, description: 'The kind of its values.' }),
    required: t.exposeBoolean('required', { description: 'True if every run needs a value.' }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'The value of a run that gives none. null: the parameter has no default, or is secret.',
      resolve: ({ secret, default: value }) => (secret ? null : value),
    }),
    choices: t.exposeStringList('choices', {
      nullable: true,
      description: 'The values that a CHOICE takes. null: the parameter is of another type.',
    }),
    secret: t.exposeBoolean('secret', {
      description:
        'True if the RMM or the tenant calls the parameter secret: its values go to the RMM alone, and no agent chooses them.',
    }),
  }),
})

const from = madeOf<ScriptRow>()

export const RmmScript = rowType('RmmScript', {
  description: 'A script of the RMM as the last sync read it, with the rules of the tenant for agents.',
  fields: (t) => ({
    ...t.columns('id'),
    system: t.field({
      type: CompanyLinkSystem,
      description: 'The RMM that has the script.',
      ...from('system'),
    }),
    ...t.columns('external_id', 'name', 'description', 'agent_description', 'category', 'shell', 'platforms'),
    parameters: t.field({
      type: [Parameter],
      max_items: 200,
      description: 'The parameters, in the order of the RMM.',
      ...from(['parameters', 'secret_parameters'], parametersOf),
    }),
    ...t.columns('default_timeout_seconds', 'run_as_user', 'risk', 'agent_enabled', 'approval'),
    runnable: t.boolean({
      description:
        'True if agents may run the script now: it is enabled for agents, the RMM has it, is connected, and starts scripts.',
      ...from(
        ['agent_enabled', 'removed_at', 'can_start'],
        ({ agent_enabled, removed_at, can_start }) => agent_enabled && removed_at === null && can_start,
      ),
    }),
    ...t.columns('body_sha256'),
    body: t.string({
      nullable: true,
      description:
        'The text of the script. null: `include_body` did not ask for it, or the RMM does not give it.',
      ...from(['shown_body'], ({ shown_body }) => shown_body ?? null),
    }),
    ...t.columns('synced_at', 'removed_at', 'created_at', 'updated_at', 'revision'),
  }),
})
