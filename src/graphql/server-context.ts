/** The values that Yoga passes from the endpoint to its plugins. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin } from 'graphql-yoga'
import type { Call } from '../gateway/call.ts'
import type { Context } from '../gateway/context.ts'

export interface ServerContext {
  call: Call
  req: IncomingMessage
  res: ServerResponse
  /** True if the client takes a stream, which subscriptions need. */
  streams: boolean
}

export type YogaPlugin = Plugin<Context, ServerContext>
