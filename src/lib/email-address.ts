/** E-mail addresses as names of people. */
import { domainToASCII, domainToUnicode } from 'node:url'

const foldAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/**
 * The forms under which an address may be stored, as `lower(… collate "C")` gives them: the domain in ASCII (IDNA), and as
 * people write it. They are empty for text that is no address. Only ASCII letters are folded: U+212A, the Kelvin sign,
 * is another letter than `k`, and in a domain the same one.
 */
export function emailForms(text: string): string[] {
  const address = text.trim()
  const at = address.lastIndexOf('@')
  const domain = domainToASCII(address.slice(at + 1))
  if (at < 1 || domain === '') return []
  const local = foldAscii(address.slice(0, at))
  return [...new Set([domain, domainToUnicode(domain)])].map((form) => `${local}@${form}`)
}

/** True for two spellings of one address, which differ in the letter case of ASCII letters and in IDNA alone. */
export function isSameEmail(one: string, other: string): boolean {
  const [form] = emailForms(one)
  return form !== undefined && form === emailForms(other)[0]
}
