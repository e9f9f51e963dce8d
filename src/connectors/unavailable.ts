/** Why a system does not serve a call, and how people are told. */

/**
 * OUTAGE: the system could not be reached, or did not answer in time. CREDENTIALS: it does not accept the credentials of
 * the connection, or what they may do is too little. UNKNOWN_FORM: its answer is in a form that is none of the system's.
 * TOO_MUCH: it answered with more than the call takes. LIMIT: the requests that the service may make to it are used up, or it
 * says so itself.
 */
export type UnavailableKind = 'OUTAGE' | 'CREDENTIALS' | 'UNKNOWN_FORM' | 'TOO_MUCH' | 'LIMIT'

const PREDICATES = {
  OUTAGE: 'did not answer',
  CREDENTIALS: 'does not accept the credentials of the connection',
  UNKNOWN_FORM: 'answered in a form that we do not know',
  TOO_MUCH: 'answered with more than is read at once',
  LIMIT: 'takes no more requests at present',
} as const satisfies Record<UnavailableKind, string>

/** The reason as a sentence about the system, without its full stop. */
export const unavailableText = (system: string, kind: UnavailableKind): string =>
  `The ${system} ${PREDICATES[kind]}`
