/** Answers what runs ask of technicians. Every process that has executions or requests imports it. */
import { answerRuns } from '../executions/index.ts'
import { cancelRequestsOf } from './ask.ts'
import { callEnded } from './call-ended.ts'
import { answerIfMade, askIfMade, gateOf } from './gate.ts'

answerRuns({ gateOf, askIfMade, answerIfMade, callEnded, cancelRequests: cancelRequestsOf })
