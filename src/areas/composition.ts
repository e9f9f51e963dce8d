/** Provides the extension points of areas with functions of the areas above them. Every process that calls areas imports it. */
import { ASK_FOR_APPROVAL } from '../schema/approval.ts'
import { AGENT_ARCHIVED } from './agents/index.ts'
import { pauseChannelsOf } from './channels/index.ts'
import { APPROVAL_GATE } from './executions/index.ts'
import { TECHNICIAN_DELETED } from './technicians/index.ts'
import { approvalGate, askForApproval, handOver } from './til-requests/index.ts'

ASK_FOR_APPROVAL.provide(askForApproval)
APPROVAL_GATE.provide(approvalGate)
AGENT_ARCHIVED.provide(pauseChannelsOf)
TECHNICIAN_DELETED.provide(handOver)
