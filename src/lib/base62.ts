/** Base 62, the alphabet of identifiers and secrets: digits, capital and small letters. */
import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The largest multiple of 62 in a byte. Larger bytes are rejected, because they would bias the characters. */
const USABLE = 248

export type ByteSource = (size: number) => Uint8Array

/** `length` characters, each of the 62 equally likely if the bytes are random. */
export function randomBase62(length: number, bytes: ByteSource = randomBytes): string {
  let text = ''
  while (text.length < length) {
    for (const byte of bytes(length)) {
      if (byte < USABLE && text.length < length) text += ALPHABET[byte % 62]
    }
  }
  return text
}

/** The CRC-32 of the text, as exactly six characters. */
export function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < 6; place++) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
