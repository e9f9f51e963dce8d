/** Approval: a call through the API-request channel does not run, but waits for a technician. */
import type { GraphQLFieldResolver } from 'graphql'
import type { Context } from '../gateway/context.ts'
import type { ApprovalTerms, OperationOptions } from '../gateway/operation.ts'
import { extensionPoint } from '../lib/extension-point.ts'
import type { PermissionGroup } from '../tools/tool.ts'
import { tryOut } from './trial.ts'

/** A call as it is stored until a technician decides. */
export interface WaitingCall {
  /** The name of the operation. */
  operation: string
  /** The first sentence of its description. */
  title: string
  rest: OperationOptions['rest']
  arguments: Record<string, unknown>
  /** Throws the refusal that the call gets by itself: no technician is asked to approve it then. */
  tryOut(): Promise<void>
}

/** The title and summary of the request for a call, for technicians. */
export interface RequestWords {
  title: string
  summary: string
}

export interface Approval extends ApprovalTerms {
  group: PermissionGroup
  /** The title and summary of the request; otherwise they name the operation and its path. */
  describe?: ((ctx: Context, args: never) => Promise<RequestWords>) | undefined
  /** True if calls outside the API-request channel wait too. */
  ofDirectCalls?: ((ctx: Context) => boolean) | undefined
}

/** Stores a call as a request to technicians and refuses it; resolves if the tenant has turned the approval off. */
type AskForApproval = (ctx: Context, approval: Approval, call: WaitingCall) => Promise<void>

export const ASK_FOR_APPROVAL = extensionPoint<AskForApproval>('the approval of calls')

type Options<Arguments> = {
  describe?: (ctx: Context, args: Arguments) => Promise<RequestWords>
} & Pick<Approval, 'ofDirectCalls'>

/** The approval of an operation, which cannot be turned off. The approvers are those of the permission group. */
export const approvalAlways = <Arguments>(
  group: PermissionGroup,
  options: Options<Arguments> = {},
): Approval => ({ group, can_be_turned_off: false, ...options })

/** The approval of an operation, unless the permission group does not require it. */
export const approvalUnlessTurnedOff = <Arguments>(
  group: PermissionGroup,
  options: Options<Arguments> = {},
): Approval => ({ group, can_be_turned_off: true, ...options })

/** The approval in words, as the description of its operation ends. */
export const approvalInWords = ({ group, can_be_turned_off }: ApprovalTerms): string =>
  `A call through the API-request channel waits for a technician’s approval${
    can_be_turned_off ? `, unless the permission group ${group} does not require it` : ''
  }: it is answered with 409 \`approval_required\`, and \`details.til_request_id\`.`

interface Field {
  name: string
  description?: string | null | undefined
  rest: OperationOptions['rest']
  approval: Approval
}

const firstSentence = (text: string | null | undefined): string => /^[^.]*/.exec(text ?? '')?.[0] ?? ''

const waits = (ctx: Context, { ofDirectCalls }: Approval): boolean =>
  ctx.viewer?.channel === 'API_REQUEST' || (!ctx.asked && !ctx.trial && ofDirectCalls?.(ctx) === true)

/** Asks technicians in the place of the resolver, if the call came through the API-request channel. */
export const withApproval =
  (
    resolve: GraphQLFieldResolver<unknown, Context, Record<string, unknown>>,
    { name, description, rest, approval }: Field,
  ): GraphQLFieldResolver<unknown, Context, Record<string, unknown>> =>
  async (root, args, ctx, info) => {
    if (waits(ctx, approval))
      await ASK_FOR_APPROVAL.get()(ctx, approval, {
        operation: name,
        title: firstSentence(description),
        rest,
        arguments: args,
        tryOut: () => tryOut(ctx, (own) => resolve(root, args, own, info)),
      })
    return await resolve(root, args, ctx, info)
  }
