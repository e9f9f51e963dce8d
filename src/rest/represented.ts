/** Answers in the form that the caller prefers to JSON. */
import { headerOf } from '../access/credentials/credential.ts'
import type { ApiError } from '../errors/errors.ts'
import type { Call } from '../gateway/call.ts'
import type { Services } from '../gateway/context.ts'
import type { Operation } from '../gateway/operation.ts'
import type { Representation, RepresentedCall } from '../gateway/representation.ts'
import type { HttpAnswer } from '../http/send.ts'
import { prefersOverJson } from '../lib/accept.ts'
import { errorAnswer, type Represented } from './envelope.ts'

type Body = RepresentedCall['body']

/** The header of every answer whose form depends on `Accept`. */
const VARY = { Vary: 'Accept' }

/** The tag of another form of the resource with the tag: `If-Match` reads the same revision in both. */
const tagAs = ({ media_type }: Representation, etag: string): string =>
  `${etag.slice(0, -1)}.${media_type.replace('/', '-')}"`

const contentType = ({ media_type }: Representation): string => `${media_type}; charset=utf-8`

function callOf(services: Services, { request, context }: Call, body: Body): RepresentedCall {
  const { method, query } = request
  return { method, query, now: services.now(), body, reader: context && { ...context, transaction: null } }
}

export const isPreferred = ({ media_type }: Representation, { request }: Call): boolean =>
  prefersOverJson(headerOf(request, 'accept'), media_type)

/** The parts of a success that depend on its form; no body for JSON. */
export function successAs(
  representation: Representation,
  services: Services,
  call: Call,
  success: { data: unknown; body: Body; etag: string | undefined },
): Partial<Represented> {
  if (!isPreferred(representation, call)) return { headers: VARY }
  const { data, body, etag } = success
  const headers = {
    'Content-Type': contentType(representation),
    ...(etag && { ETag: tagAs(representation, etag) }),
    ...representation.headers,
    ...VARY,
  }
  return { headers, body: representation.of(data, callOf(services, call, body)) }
}

/** The answer to a call that failed; null if the operation has no other form of errors. */
export async function failureAs(
  { also_as }: Operation,
  services: Services,
  call: Call,
  failure: { thrown: unknown; body: Body },
): Promise<HttpAnswer | null> {
  if (!also_as?.ofError) return null
  const { ofError } = also_as
  const represent = async (error: ApiError): Promise<Represented> => {
    const body = await ofError(error, callOf(services, call, failure.body))
    return { headers: { 'Content-Type': contentType(also_as), ...also_as.headers }, body }
  }
  const answer = await errorAnswer(
    services,
    call,
    failure.thrown,
    isPreferred(also_as, call) ? represent : undefined,
  )
  return { ...answer, headers: { ...answer.headers, ...VARY } }
}
