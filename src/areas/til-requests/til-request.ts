/** A request to technicians as it is read and answered. */
import { scope } from '../../access/policies/policies.ts'
import { etagOf } from '../../gateway/entity-tags.ts'
import { type HiddenCharacter, shownText } from '../../lib/hidden-characters.ts'
import { builder, enumFrom } from '../../schema/builder.ts'
import type { Row } from '../../schema/models.ts'
import { loadedBy } from '../../schema/relations.ts'
import { madeOf, rowType } from '../../schema/row-type.ts'
import { wantedFields } from '../../schema/selection.ts'
import { toolNamed } from '../../tools/registry.ts'
import { secretPathsOf } from '../../tools/secret-arguments.ts'
import { AGENT_IF_SEEN } from '../agents/index.ts'
import { ToolAccess } from '../audit-log/index.ts'
import { executionIfSeen } from '../executions/index.ts'
import { CompanyLinkSystem } from '../integrations/index.ts'
import { type GroupName, PermissionGroupName } from '../tenant/index.ts'
import { hiddenCharacters, shownPlan, type Texts } from './asking/rules/shown.ts'
import type { PlanStep } from './asking/rules/wording.ts'

export const TilRequestStatus = enumFrom('TilRequestStatus')
export const TilReasonCode = enumFrom('TilReasonCode')
const TilRequesterType = enumFrom('TilRequesterType')

type Approval = Row<'TilApproval'>

/** An approval, or the JSON of one that lists have. */
type StoredApproval = Omit<Approval, 'at'> & { at: Date | string }

export interface Option {
  id: string
  label: string
}

interface Requester {
  type: Row<'TilRequest'>['requested_by_type']
  id: string
  name: string
}

/** The row of a request, with the columns that are computed. */
export interface TilRequestRow extends Row<'TilRequest'> {
  agent_name?: string | null
  technician_ids?: number[]
  approvals?: StoredApproval[]
}

const TilApproval = rowType('TilApproval', {
  fields: (t) => ({
    ...t.columns('technician_id', 'name', 'decision', 'comment', 'at', 'via'),
  }),
})

const TilPlanStep = builder.objectRef<PlanStep>('TilPlanStep').implement({
  description: 'A step of a plan.',
  fields: (t) => ({
    step: t.exposeInt('step', { description: 'The position of the step: 1 for the first.' }),
    text: t.exposeString('text', { description: 'The step in words.' }),
    access: t.expose('access', { type: ToolAccess, description: 'The access of the step: READ or WRITE.' }),
  }),
})

const TilOption = builder.objectRef<Option>('TilOption').implement({
  description: 'An answer to choose.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the option, by which it is chosen.' }),
    label: t.exposeString('label', { description: 'The answer in words.' }),
  }),
})

const TilHiddenCharacter = builder.objectRef<HiddenCharacter>('TilHiddenCharacter').implement({
  description: 'A character in a request that readers do not see, or that makes text read as other text.',
  fields: (t) => ({
    path: t.exposeString('path', {
      description:
        'The path of the text: `arguments.text`. A character in the name of a property has the path of the property, in ' +
        'which it is shown by its code point.',
    }),
    index: t.exposeInt('index', {
      description:
        'The position in the text, in UTF-16 code units: of the character, or in `summary` and `plan` of the code point ' +
        'that stands for it.',
    }),
    code_point: t.exposeString('code_point', { description: 'The code point: `U+202E`.' }),
  }),
})

/** The error of an approved call, as it is stored. */
interface CallError {
  code: string
  message: string
  details: unknown
}

const TilCallError = builder.objectRef<CallError>('TilCallError').implement({
  description: 'The error of an approved call.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The code of the error.' }),
    message: t.exposeString('message', { description: 'The error in words.' }),
    details: t.expose('details', { type: 'JSON', description: 'The details that errors of the code have.' }),
  }),
})

const TilRequester = builder.objectRef<Requester>('TilRequester').implement({
  description: 'The agent or the caller that raised a request to technicians.',
  fields: (t) => ({
    type: t.expose('type', { type: TilRequesterType, description: 'The kind of requester.' }),
    id: t.exposeID('id', { description: 'The id of the agent, of the user or of the API key.' }),
    name: t.exposeString('name', { description: 'The name that the requester had.' }),
  }),
})

const asApproval = ({ at, ...approval }: StoredApproval): Approval => ({ ...approval, at: new Date(at) })

const from = madeOf<TilRequestRow>()

export const TilRequest = rowType('TilRequest', {
  fields: (t) => ({
    ...t.columns('id', 'kind'),
    // Contract silent: a request whose time is over is PENDING until it is swept, and `expires_at` tells that.
    ...t.columns('status', 'execution_id', 'initiating_temporal_run_id', 'resumed_temporal_run_id'),
    ...t.columns('agent_id'),
    agent_name: t.string({
      nullable: true,
      description: 'The name that the agent has now.',
      ...from('agent_name'),
    }),
    ...t.columns('tool_name', 'tool_title'),
    system: t.field({
      type: CompanyLinkSystem,
      nullable: true,
      description: 'The third-party system that the tool changes.',
      ...from(['system'], ({ system }) => system as CompanyLinkSystem | null),
    }),
    ...t.columns('title'),
    summary: t.string({
      description:
        'The work to be done, and its reason. A control, bidirectional or zero-width character in it is shown by its ' +
        'code point, such as U+202E.',
      ...from(['summary'], ({ summary }) => shownText(summary)),
    }),
    ...t.columns('arguments', 'arguments_hash'),
    secret_arguments: t.stringList({
      description:
        'The paths of further arguments that the tool’s `input_schema` calls secret. Neither requesters nor technicians ' +
        'choose their values, and none are shown.',
      ...from(['tool_name'], ({ tool_name }) => secretPathsOf(toolNamed(tool_name ?? ''))),
    }),
    hidden_characters: t.field({
      type: [TilHiddenCharacter],
      max_items: 100,
      description:
        'The control, bidirectional and zero-width characters in `arguments`, `title`, `summary`, `plan`, `question` and ' +
        '`options`, but for line breaks and tabs. At most 100 are named.',
      ...from(['arguments', 'title', 'summary', 'plan', 'question', 'options'], (texts) =>
        hiddenCharacters(texts as unknown as Texts),
      ),
    }),
    ...t.columns('edited_arguments', 'edited_arguments_hash'),
    plan: t.field({
      type: [TilPlanStep],
      max_items: 100,
      nullable: true,
      description: 'The steps of the plan, with hidden characters as in `summary`. null: it is no PLAN.',
      ...from(['plan'], ({ plan }) => (plan === null ? null : shownPlan(plan as unknown as PlanStep[]))),
    }),
    ...t.columns('question'),
    options: t.field({
      type: [TilOption],
      max_items: 50,
      nullable: true,
      description: 'The answers to choose from. null: it is no QUESTION, or the answer is free text.',
      ...from(['options'], ({ options }) => options as Option[] | null),
    }),
    ...t.columns('allowed_decisions', 'required_approvals'),
    approvals: t.field({
      type: [TilApproval],
      max_items: 200,
      description: 'The decisions of technicians so far, in their order.',
      ...from(['approvals'], ({ approvals = [] }) => approvals.map(asApproval)),
    }),
    permission_group: t.field({
      type: PermissionGroupName,
      nullable: true,
      description:
        'The permission group whose approvers decide. null: no group gates what is asked for, or supervisors decide.',
      ...from(['permission_group'], ({ permission_group }) => permission_group as GroupName | null),
    }),
    technician_ids: t.intList({
      description: 'The technicians who may decide.',
      ...from(['technician_ids'], ({ technician_ids = [] }) => technician_ids),
    }),
    requested_by: t.field({
      type: TilRequester,
      description: 'The agent or the caller that raised the request.',
      ...from(
        ['requested_by_type', 'requested_by_id', 'requested_by_name'],
        (row): Requester => ({
          type: row.requested_by_type,
          id: row.requested_by_id,
          name: row.requested_by_name,
        }),
      ),
    }),
    ...t.columns('entity_id', 'entity_number', 'psa_company_name', 'risk', 'decided_at'),
    ...t.columns('decided_by_name', 'decision_comment', 'reason_code', 'answer', 'answer_option_id'),
    call_error: t.field({
      type: TilCallError,
      nullable: true,
      description:
        'The refusal of the approved call of the API, which was made as the approver, or the reason why the approved ' +
        'call of an agent was not made or failed. null: it succeeded, or has not come to its end.',
      ...from(['call_error'], ({ call_error }) => call_error as unknown as CallError | null),
    }),
    ...t.columns('expires_at', 'created_at', 'updated_at', 'closed_at', 'revision'),
    execution: t.relation('execution', {
      nullable: true,
      graph_only: true,
      access: scope('executions:read'),
      description:
        'The execution that raised the request. null: there is none, or the caller does not see its agent.',
      ...loadedBy<TilRequestRow>()(['execution_id'], ({ execution_id: id }, ctx, info) =>
        id === null ? null : executionIfSeen(ctx, { id, fields: wantedFields(info) }),
      ),
    }),
    agent: t.relation('agent', {
      ...AGENT_IF_SEEN,
      description: 'The agent that asks. null: there is none, or the caller does not see it.',
    }),
  }),
})

export const tilRequestId = {
  type: 'ID',
  required: true,
  description: 'The id of the request.',
} as const

/** The clock, the execution and a new name of the agent change a request without a new revision. */
export const tilRequestEtag = ({
  revision,
  status,
  updated_at,
  agent_name,
}: Pick<TilRequestRow, 'revision' | 'status' | 'updated_at' | 'agent_name'>): string =>
  etagOf(revision, [status, updated_at, agent_name])
