/** The port to receivers of webhooks, whose addresses tenants gave. Nothing of an answer is trusted. */

/** The receiver of posts. A slow one delays no other, even at the same host. */
interface Receiver {
  tenant_id: string
  environment: string
  id: string
}

interface PostRequest {
  headers: Readonly<Record<string, string>>
  /** JSON, sent as it is. */
  body: string
  /** Milliseconds until the status of the answer; by default 15,000. */
  ms?: number
}

/** An answer, of any status. Redirects are not followed. */
export interface PostAnswer {
  status: number
  retry_after_seconds?: number
  /** The beginning of the body, as text that PostgreSQL can store. */
  excerpt: string
}

/** The reason why there is no answer. Its message has nothing of the URL. */
export interface PostFailure {
  failure: 'ADDRESS_REFUSED' | 'UNREACHABLE' | 'LATE'
  message: string
}

export type PostOutcome = PostAnswer | PostFailure

/** Sends the text once. Rejects only for headers that HTTP does not allow, and once the client is closed. */
export type Post = (receiver: Receiver, url: string, request: PostRequest) => Promise<PostOutcome>
