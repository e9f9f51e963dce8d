/** The background work of requests to technicians. A process that runs executions imports it, and with it the gate. */
import './answer-runs.ts'

export { expireRequests } from './expire.ts'
