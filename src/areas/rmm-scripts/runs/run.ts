/** Runs of scripts, as they are stored and as callers see them. */
import type { ScriptValue } from '../../../connectors/rmm.ts'
import { etagOf } from '../../../gateway/entity-tags.ts'
import type { Row } from '../../../schema/models.ts'
import { rowType } from '../../../schema/row-type.ts'
import { AGENT_IF_SEEN } from '../../agents/index.ts'
import { EXECUTION_IF_SEEN } from '../../executions/index.ts'

export interface ScriptRunRow extends Omit<Row<'RmmScriptRun'>, 'parameters'> {
  parameters: Record<string, ScriptValue>
}

export type ScriptRunStatus = ScriptRunRow['status']

/** The columns that the entity tag is made of beside the revision: the service changes them. */
export const TAGGED = ['status', 'updated_at'] as const

export const scriptRunEtag = ({ revision, status, updated_at }: ScriptRunRow): string =>
  etagOf(revision, [status, updated_at])

export const RmmScriptRun = rowType('RmmScriptRun', {
  read_apart: true,
  fields: (t) => ({
    ...t.columns('id', 'script_id', 'script_name', 'body_sha256', 'device_id', 'device_name'),
    ...t.columns('psa_company_id', 'parameters', 'status', 'exit_code', 'stdout', 'stderr'),
    ...t.columns('stdout_truncated', 'stderr_truncated', 'error_code', 'timeout_seconds', 'agent_id'),
    ...t.columns('agent_name', 'execution_id', 'entity_id', 'entity_number', 'til_request_id'),
    ...t.columns('requested_by_name', 'created_at', 'started_at', 'finished_at', 'updated_at', 'revision'),
    execution: t.field({
      ...EXECUTION_IF_SEEN,
      description: 'The execution. null: none asked for the run, or the caller does not see its agent.',
    }),
    agent: t.relation('agent', {
      ...AGENT_IF_SEEN,
      description: 'The agent. null: none asked for the run, or the caller does not see it.',
    }),
  }),
})
