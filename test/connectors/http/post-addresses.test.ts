import { createServer } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ADDRESSES, NOT_PUBLIC_HOSTS } from './address-table.ts'
import { EXPIRED, KEY, VALID } from './certificates.ts'
import {
  type Answer,
  clientOf,
  endAll,
  listen,
  POST,
  postTo,
  RECEIVER,
  receive,
  receiveRaw,
  refused,
  SECRET,
  unreachable,
} from './receiver.ts'

afterEach(endAll)

const NOT_PUBLIC = refused('The address is not a public one')
const NOT_HTTPS = refused('The address is not https')

const OK: Answer = (response) => response.end('ok')

/** A lookup that gives these answers, each a list of addresses, and what it was asked. */
function answering(...answers: string[][]): { lookup: LookupFunction; asked: string[] } {
  const asked: string[] = []
  const lookup: LookupFunction = (hostname, _options, callback) => {
    asked.push(hostname)
    const addresses = answers.shift() ?? []
    callback(null, addresses.map((address) => ({ address, family: isIP(address) })) as never)
  }
  return { lookup, asked }
}

const REFUSED_ADDRESSES = ADDRESSES.filter(([ip, allowed]) => isIP(ip) !== 0 && !allowed)

describe('a post is refused', () => {
  it.each(REFUSED_ADDRESSES)('to %s, by its address and by a name', async (ip, _allowed, in_development) => {
    for (const allow_private_addresses of in_development ? [false] : [false, true]) {
      const { post } = clientOf({ allow_private_addresses, lookup: answering([ip]).lookup })
      expect(await post(RECEIVER, 'https://receiver.example:1/', POST)).toEqual(NOT_PUBLIC)
      if (ip.includes('%')) continue
      const host = isIP(ip) === 6 ? `[${ip}]` : ip
      expect(await post(RECEIVER, `https://${host}:1/`, POST)).toEqual(NOT_PUBLIC)
    }
  })

  it.each(NOT_PUBLIC_HOSTS)('to an address in another form: %s', async (host) => {
    const { post } = clientOf({ allow_private_addresses: false })
    expect(await post(RECEIVER, `https://${host}:1/`, POST)).toEqual(NOT_PUBLIC)
  })

  it('to a name of which one address is private, or that has none', async () => {
    const { url, posts, sockets } = await receive(OK)
    const named = url.replace('127.0.0.1', 'localhost')
    for (const addresses of [['127.0.0.1', '169.254.169.254'], ['169.254.169.254', '127.0.0.1'], []]) {
      const { lookup } = answering(addresses)
      expect(await clientOf({ lookup }).post(RECEIVER, named, POST)).toEqual(NOT_PUBLIC)
    }
    expect(posts).toEqual([])
    expect(sockets.size).toBe(0)
  })

  it('to a name whose address has become private', async () => {
    const { url, posts } = await receive((response) => response.writeHead(200, { connection: 'close' }).end())
    const { lookup, asked } = answering(['127.0.0.1'], ['169.254.169.254'])
    const { post } = clientOf({ lookup })
    const named = url.replace('127.0.0.1', 'localhost')
    expect(await post(RECEIVER, named, POST)).toMatchObject({ status: 200 })
    expect(await post(RECEIVER, named, POST)).toEqual(NOT_PUBLIC)
    expect(posts).toHaveLength(1)
    expect(asked).toEqual(['localhost', 'localhost'])
  })

  it('without https, and asks for no address', async () => {
    const { url, posts } = await receive(OK)
    const { lookup, asked } = answering()
    const named = url.replace('127.0.0.1', 'localhost')
    const production = clientOf({ allow_private_addresses: false, lookup })
    for (const address of [
      url,
      named,
      'http://[::1]/',
      'http://receiver.example/',
      'ftp://receiver.example/',
    ])
      expect(await production.post(RECEIVER, address, POST)).toEqual(NOT_HTTPS)
    const { post } = clientOf({ lookup })
    for (const address of ['http://receiver.example/', 'http://10.0.0.1/', 'file:///etc/passwd', 'data:,a'])
      expect(await post(RECEIVER, address, POST)).toEqual(NOT_HTTPS)
    expect(asked).toEqual([])
    expect(posts).toEqual([])
  })

  it('with user information, and if its address is no URL', async () => {
    const { url, posts } = await receive(OK)
    for (const user of ['user', `user:${SECRET}`, `:${SECRET}`])
      expect(await postTo(url.replace('127', `${user}@127`))).toEqual(
        refused('The address has user information'),
      )
    for (const address of ['', SECRET, 'https://', 'https://[::1', '//receiver.example/'])
      expect(await postTo(address)).toEqual(refused('The address is no URL'))
    expect(posts).toEqual([])
  })
})

it('a post to a name that is reserved for tests goes nowhere', async () => {
  const { post } = clientOf({ allow_private_addresses: false })
  const outcome = await post(RECEIVER, 'https://hooks.example/', POST)
  expect(outcome).toEqual(unreachable('Could not be reached (ENOTFOUND)'))
})

describe('a post by TLS', () => {
  const usual = getCACertificates('default')
  beforeAll(() => setDefaultCACertificates([...usual, VALID, EXPIRED]))
  afterAll(() => setDefaultCACertificates(usual))

  const postBy = async (cert: string, host: string) => {
    const posts: unknown[] = []
    const server = createServer({ key: KEY, cert }, (request, response) => {
      posts.push(request.headers.host)
      response.end('ok')
    })
    const { port } = await listen(server)
    const { post } = clientOf({ lookup: answering(['127.0.0.1']).lookup })
    return { outcome: await post(RECEIVER, `https://${host}:${port}/${SECRET}`, POST), posts }
  }

  it('is answered by a receiver whose certificate is valid', async () => {
    const { outcome, posts } = await postBy(VALID, 'receiver.example')
    expect(outcome).toEqual({ status: 200, excerpt: 'ok' })
    expect(posts).toHaveLength(1)
  })

  it.each([
    ['has expired', EXPIRED, 'receiver.example', 'CERT_HAS_EXPIRED'],
    ['is of another name', VALID, 'other.example', 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is of a name, for an address', VALID, '127.0.0.1', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('fails if the certificate %s', async (_name, cert, host, code) => {
    const { outcome, posts } = await postBy(cert, host)
    expect(outcome).toEqual(unreachable(`Could not be reached (${code})`))
    expect(posts).toEqual([])
  })

  it('fails if nobody has signed the certificate', async () => {
    setDefaultCACertificates(usual)
    const { outcome, posts } = await postBy(VALID, 'receiver.example')
    expect(outcome).toEqual(unreachable('Could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)'))
    expect(posts).toEqual([])
  })

  it('fails if the receiver has no TLS', async () => {
    const { url } = await receiveRaw((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const outcome = await postTo(url.replace('http:', 'https:'))
    expect(outcome).toEqual(unreachable(expect.stringMatching(/^Could not be reached \(ERR_SSL_\w+\)$/)))
  })
})
