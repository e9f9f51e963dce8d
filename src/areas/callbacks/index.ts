/** The exports of the area for other areas. */
export { type ReceivedEvent, receiveEvents } from './receive.ts'
export { RETENTION_DAYS } from './rules/callbacks.ts'
