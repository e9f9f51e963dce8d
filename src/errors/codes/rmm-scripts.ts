import { z } from 'zod'
import { text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const RMM_SCRIPTS = {
  rmm_script_not_found: noSuch('script'),
  rmm_script_run_not_found: noSuch('run of a script'),
  script_not_enabled: {
    status: 409,
    message: 'Agents may not run the script.',
    fix: 'Enable the script for agents first, by `agent_enabled: true`.',
  },
  script_changed_since_approval: {
    status: 409,
    message: 'The script has changed since its run was asked for: the run is cancelled.',
    fix: 'Read the script as it is now, and ask for a run of it.',
  },
  script_removed: {
    status: 409,
    message: 'The RMM no longer has the script.',
    fix: 'Choose a script without `removed_at`.',
  },
  device_offline: {
    status: 409,
    message: 'The device is offline.',
    fix: 'Repeat the call when the device is online: GET /public-api/rmm-devices tells.',
    retryable: true,
  },
  script_run_not_cancellable: {
    status: 409,
    message: 'The run can no longer be cancelled.',
    fix: 'Cancel runs that are PENDING_APPROVAL or QUEUED. A run that was sent to the RMM goes on there.',
    details: z.object({ current_status: text('The status of the run.', 'RUNNING') }),
  },
} as const satisfies ErrorTable
