/** Encryption of what is stored and must not be read from the database alone: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export interface EncryptionKey {
  /** Stands in clear before each text that the key encrypted. */
  id: string
  /** 32 bytes. */
  key: Buffer
}

/** The first encrypts, all decrypt. */
export type EncryptionKeys = readonly [EncryptionKey, ...EncryptionKey[]]

const VERSION = 'v1'
const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

const KEY = /^([a-z0-9][a-z0-9_-]{0,31}):([A-Za-z0-9+/]{43}=)$/

/** The key of `id:base64(32 bytes)`. The Error of any other text has nothing of it. */
export function parseEncryptionKey(text: string): EncryptionKey {
  const [, id, encoded] = KEY.exec(text) ?? []
  const key = Buffer.from(encoded ?? '', 'base64')
  if (id === undefined || key.length !== KEY_BYTES)
    throw new Error('each must be an id in lower case, a colon and the base64 of 32 bytes')
  return { id, key }
}

/** The text cannot be decrypted: its key is missing, or it is not as it was encrypted, or not in its place. */
export class CannotDecrypt extends Error {}

/** What a text belongs to, such as its tenant and its name. In another place it cannot be decrypted. */
type Place = readonly string[]

export interface SecretBox {
  encrypt(text: string, place: Place): string
  decrypt(encrypted: string, place: Place): string
  /** The text under the first key. It is the same text if it is already. */
  reencrypt(encrypted: string, place: Place): string
  /** All that the first key encrypted begins with it, and nothing else does. */
  readonly prefix: string
}

const authenticated = (id: string, place: Place): Buffer =>
  Buffer.from(JSON.stringify([VERSION, id, ...place]))

/** `ivOf` makes the bytes that no two texts under one key may share: at random, unless texts must be encrypted alike. */
export function createSecretBox(
  keys: EncryptionKeys,
  ivOf = randomBytes as (size: number) => Buffer,
): SecretBox {
  const [first] = keys
  const byId = new Map(keys.map(({ id, key }) => [id, key]))
  if (byId.size < keys.length) throw new Error('Two encryption keys have the same id')
  const prefix = `${VERSION}.${first.id}.`

  function encrypt(text: string, place: Place): string {
    const iv = ivOf(IV_BYTES)
    const cipher = createCipheriv(CIPHER, first.key, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(authenticated(first.id, place))
    const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    return prefix + sealed.toString('base64url')
  }

  function decrypt(encrypted: string, place: Place): string {
    const [version, id = '', encoded = '', ...more] = encrypted.split('.')
    const sealed = Buffer.from(encoded, 'base64url')
    if (version !== VERSION || more.length > 0 || sealed.length < IV_BYTES + TAG_BYTES)
      throw new CannotDecrypt('The stored text is not encrypted as this service encrypts')
    const key = byId.get(id)
    if (!key) throw new CannotDecrypt(`The encryption key ${id} is missing`)
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
    decipher.setAAD(authenticated(id, place))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    try {
      const text = [decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]
      return Buffer.concat(text).toString('utf8')
    } catch {
      throw new CannotDecrypt('The stored text is not as it was encrypted')
    }
  }

  return {
    encrypt,
    decrypt,
    reencrypt: (encrypted, place) =>
      encrypted.startsWith(prefix) ? encrypted : encrypt(decrypt(encrypted, place), place),
    prefix,
  }
}
