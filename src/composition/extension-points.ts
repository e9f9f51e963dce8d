/** Provides the extension points of areas with functions of the areas above them. Every process that calls areas imports it. */

import { AGENT_ARCHIVED } from '../areas/agents/index.ts'
import { CUSTOMER_REPLIED, TICKET_READ, WRITES_ON_TICKETS } from '../areas/callbacks/index.ts'
import { pauseChannelsOf } from '../areas/channels/index.ts'
import { keepReplies, notesOfTicketSince } from '../areas/comms/index.ts'
import { assignmentsOfTicketSince, followTicket } from '../areas/dispatch/index.ts'
import { changesOfTicketSince } from '../areas/escalation/index.ts'
import { APPROVAL_GATE, completedAgentOf } from '../areas/executions/index.ts'
import { beforeApproval } from '../areas/rmm-scripts/index.ts'
import { SOURCE_EXECUTION } from '../areas/skills/index.ts'
import { TECHNICIAN_DELETED } from '../areas/technicians/index.ts'
import { approvalGate, askForApproval, handOver, WAITING_RUNS } from '../areas/til-requests/index.ts'
import { ASK_FOR_APPROVAL } from '../schema/approval.ts'

ASK_FOR_APPROVAL.provide(askForApproval)
APPROVAL_GATE.provide(approvalGate)
CUSTOMER_REPLIED.provide(keepReplies)
AGENT_ARCHIVED.provide(pauseChannelsOf)
SOURCE_EXECUTION.provide(completedAgentOf)
TICKET_READ.provide(followTicket)
TECHNICIAN_DELETED.provide(handOver)
WAITING_RUNS.provide({ beforeApproval })
WRITES_ON_TICKETS.provide(async (...asked) =>
  (
    await Promise.all([
      assignmentsOfTicketSince(...asked),
      changesOfTicketSince(...asked),
      notesOfTicketSince(...asked),
    ])
  ).flat(),
)
