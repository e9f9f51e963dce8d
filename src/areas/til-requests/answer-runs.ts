/** Answers what runs ask of technicians. Every process that has executions or requests imports it. */
import { answerRuns } from '../executions/index.ts'
import { cancelRequestsOf } from './ask.ts'
import { answerIfMade, askIfMade, deciderOf, gateOf } from './gate.ts'

answerRuns({ gateOf, askIfMade, answerIfMade, deciderOf, cancelRequests: cancelRequestsOf })
