import { z } from 'zod'
import { APPROVERS, CLOSED_REQUEST, textOrNull, texts, time } from '../details.ts'
import { type ErrorTable, noSuch } from '../entry.ts'

export const TIL_REQUESTS = {
  til_request_not_found: noSuch('request to technicians'),
  acting_user_required: {
    status: 403,
    message: 'The call is a person’s, and the API key has no acting user.',
    fix: 'Call as a dashboard user, or with a key that acts for one.',
  },
  not_an_approver: {
    status: 403,
    message: 'The caller is none of the technicians who may decide.',
    fix: 'Ask one of the technicians in details.technician_ids, or an ADMIN to reassign the request.',
    details: APPROVERS,
  },
  self_approval_forbidden: {
    status: 403,
    message: 'The caller is behind this call, and cannot approve it.',
    fix:
      'Ask another one of the technicians in details.technician_ids: neither the caller, the acting user nor the maker of ' +
      'the key that asked, nor anybody who started the run or set up its agent.',
    details: APPROVERS,
  },
  til_request_closed: {
    status: 409,
    message: 'The request is closed already.',
    fix: 'Read the request: details.status says how it was closed.',
    details: z.object(CLOSED_REQUEST),
  },
  til_request_expired: {
    status: 409,
    message: 'The request has expired.',
    fix: 'Wait until it is asked for again.',
    details: z.object({
      ...CLOSED_REQUEST,
      expires_at: time('When it expired.', '2026-11-21T11:00:00.000Z'),
    }),
  },
  arguments_changed: {
    status: 409,
    message: 'The arguments of the request are not those that were approved.',
    fix: 'Read the request again, and decide about the arguments that it has.',
    details: z.object({
      arguments_hash: textOrNull('The hash of the present arguments.', '6f1ed002ab5595859014ebf0951522d9'),
    }),
  },
  decision_not_allowed: {
    status: 409,
    message: 'The request does not take this decision.',
    fix: 'Take one of the decisions in details.allowed_decisions.',
    details: z.object({
      allowed_decisions: texts('The decisions that the request takes.', ['APPROVE', 'REJECT']),
    }),
  },
} as const satisfies ErrorTable
