/** One HTTP request. Its target is parsed once, and its body is read once, at its first use. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { ClientAddress } from '../lib/networks.ts'
import { hasBody, type Look, MAX_BODY_BYTES, readBytes } from './body.ts'

export class HttpRequest {
  readonly message: IncomingMessage
  readonly method: string
  /** The path as it was sent: nothing has decoded it. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly client: ClientAddress
  /** The largest body that is read; the endpoint sets another limit before anybody asks for the body. */
  max_body_bytes = MAX_BODY_BYTES
  private readonly search: string
  private parameters: URLSearchParams | undefined
  private bytes: Promise<Buffer> | undefined

  constructor(message: IncomingMessage, client: ClientAddress) {
    const url = message.url ?? '/'
    const mark = url.indexOf('?')
    this.message = message
    this.method = message.method ?? ''
    this.path = mark === -1 ? url : url.slice(0, mark)
    this.search = mark === -1 ? '' : url.slice(mark + 1)
    this.headers = message.headers
    this.client = client
  }

  get query(): URLSearchParams {
    this.parameters ??= new URLSearchParams(this.search)
    return this.parameters
  }

  /** True for a browser that asks for a page. */
  get accepts_html(): boolean {
    return this.headers.accept?.includes('text/html') ?? false
  }

  get has_body(): boolean {
    return hasBody(this.message)
  }

  /** Calls the listener once the client sends no more: it is gone, or waits for its last answer. */
  onEnd(listener: () => void): () => void {
    const { socket } = this.message
    if (socket.readableEnded || socket.destroyed) listener()
    socket.once('end', listener)
    socket.once('close', listener)
    return () => {
      socket.off('end', listener)
      socket.off('close', listener)
    }
  }

  /**
   * The bytes of the body; 415 when it is compressed, 413 when it is larger than `max_body_bytes`, or what the first caller's
   * `look` throws.
   */
  body(look: Look = () => {}): Promise<Buffer> {
    this.bytes ??= readBytes(this.message, this.max_body_bytes, look)
    return this.bytes
  }
}
