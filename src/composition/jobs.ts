/** Every job and every loop of the service. */
import { followSchedules } from '../areas/agents/jobs.ts'
import { anchorDays } from '../areas/audit-log/chain/anchor.ts'
import { closeChains } from '../areas/audit-log/chain/close.ts'
import { deleteOldActivities, deleteOldToolCalls } from '../areas/audit-log/jobs.ts'
import { deleteOldQuestions } from '../areas/billing/jobs.ts'
import {
  deleteOldCallbacks,
  deleteOldPayloads,
  deleteOldVersions,
  pollPsa,
  processCallbacks,
  queuePollsDue,
  sweepCallbacks,
} from '../areas/callbacks/jobs.ts'
import {
  answerChannelMessage,
  deleteOldConversations,
  deleteOldMessages,
  sendChannelAnswer,
} from '../areas/channels/jobs.ts'
import { resolveLinks } from '../areas/company-links/jobs.ts'
import { sweepEndUserCalls } from '../areas/end-users/jobs.ts'
import {
  deleteOldExecutions,
  forgetOldCalls,
  runExecution,
  sweepExecutions,
} from '../areas/executions/jobs.ts'
import { runOccurrence } from '../areas/executions/starting/occurrence.ts'
import {
  beginSyncs,
  deleteOldSyncs,
  failStalledSyncs,
  readPageOfSync,
} from '../areas/integration-syncs/jobs.ts'
import {
  deleteOldRemovals,
  registerWebhooksOfConnection,
  removeWebhooksOfConnection,
  renewWebhooksHourly,
} from '../areas/integrations/jobs.ts'
import { purgeDeletedMemories } from '../areas/memories/jobs.ts'
import { deleteOldUpstreamCalls } from '../areas/observability/jobs.ts'
import { queueDueWork, startDueWork } from '../areas/scheduled-work/jobs.ts'
import { deleteOldApiRequests, expireRequests } from '../areas/til-requests/jobs.ts'
import {
  deleteLostLiveFollowers,
  deleteOldLiveEvents,
  sweepRateLimits,
  sweepStoredAnswers,
} from '../jobs/expired-rows.ts'
import type { Job } from '../jobs/job.ts'
import type { Loop } from '../jobs/loop.ts'
import { checkRollups, foldRollupShards } from '../jobs/rollups.ts'
import { analyzeTables } from '../jobs/statistics.ts'
import { deleteOldResults } from '../tools/jobs.ts'

export const JOBS: readonly Job[] = [
  sweepRateLimits,
  sweepStoredAnswers,
  deleteLostLiveFollowers,
  deleteOldLiveEvents,
  foldRollupShards,
  checkRollups,
  analyzeTables,
  runExecution,
  runOccurrence,
  startDueWork,
  sweepExecutions,
  answerChannelMessage,
  deleteOldMessages,
  deleteOldConversations,
  sendChannelAnswer,
  processCallbacks,
  sweepCallbacks,
  pollPsa,
  deleteOldQuestions,
  deleteOldCallbacks,
  deleteOldVersions,
  deleteOldPayloads,
  deleteOldUpstreamCalls,
  deleteOldToolCalls,
  deleteOldActivities,
  purgeDeletedMemories,
  sweepEndUserCalls,
  deleteOldResults,
  deleteOldExecutions,
  forgetOldCalls,
  deleteOldApiRequests,
  resolveLinks,
  beginSyncs,
  readPageOfSync,
  failStalledSyncs,
  deleteOldSyncs,
  registerWebhooksOfConnection,
  removeWebhooksOfConnection,
  renewWebhooksHourly,
  deleteOldRemovals,
]

export const LOOPS: readonly Loop[] = [
  closeChains,
  anchorDays,
  queueDueWork,
  followSchedules,
  expireRequests,
  queuePollsDue,
]
