import { z } from 'zod'
import { CHANNEL_STATUS, text } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const CHANNELS = {
  channel_not_found: noSuch('channel'),
  channel_already_bound: {
    status: 409,
    message: 'A channel is bound to this workspace already.',
    fix: 'Change the channel in details.channel_id, or delete it first.',
    details: z.object({ channel_id: text('The channel that is bound.', 'chn_7') }),
  },
  channel_not_active: {
    status: 409,
    message: 'The status of the channel does not allow this.',
    fix: 'See details.current_status. Only an ACTIVE channel is paused; one that is UNINSTALLED stays as it is.',
    details: CHANNEL_STATUS,
  },
  channel_not_paused: {
    status: 409,
    message: 'The channel is not paused.',
    fix: 'See details.current_status. Only a PAUSED channel is resumed.',
    details: CHANNEL_STATUS,
  },
} as const satisfies ErrorTable
