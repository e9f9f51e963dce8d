/** The arguments and errors that decisions about requests to technicians have in common. */

export const OF_CREDENTIAL =
  'It takes the token of a dashboard user, or a key whose acting user made it for themselves: any other key is refused ' +
  'with `acting_user_not_allowed`, and one with no acting user with `acting_user_required`.'

export const OF_CALLER = `The caller is the technician that the user is. ${OF_CREDENTIAL}`

export const comment = {
  min_length: 1,
  max_length: 2000,
  description: 'A comment for who asked.',
} as const

export const DECISION_ERRORS = [
  'til_request_not_found',
  'acting_user_required',
  'not_an_approver',
  'version_conflict',
  'til_request_closed',
  'til_request_expired',
  'decision_not_allowed',
  'secret_in_content',
] as const
