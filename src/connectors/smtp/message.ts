/** Mails as SMTP carries them. */
import { domainToASCII } from 'node:url'
import type { Mail } from '../mail.ts'

const ADDRESS = /^[^\s<>()[\]\\,;:@"\p{Cc}]{1,64}@([^\s<>()[\]\\,;:@"\p{Cc}]{1,255})$/u

/** The one address that the text is, its domain in ASCII (IDNA); null: it is none, or several. */
export function addressOf(text: string): string | null {
  const address = text.trim()
  const domain = domainToASCII(ADDRESS.exec(address)?.[1] ?? '')
  return domain === '' ? null : `${address.slice(0, address.lastIndexOf('@'))}@${domain}`
}

const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

const MESSAGE_ID = /^[\w.-]+$/

/** The headers and the text, in UTF-8. */
export async function messageOf(
  { subject, text, message_id }: Mail,
  { from, to, date }: { from: string; to: string; date: Date },
): Promise<Buffer> {
  if (!MESSAGE_ID.test(message_id)) throw new Error('The Message-ID has a character that it may not have')
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  // Addresses are objects: text would be read as a list of them.
  const composer = new MailComposer({
    from: { name: '', address: from },
    to: { name: '', address: to },
    subject: oneLine(subject),
    text,
    date,
    messageId: `<${message_id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    // The reply of an absent technician’s mailbox has no reader.
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return await composer.compile().build()
}
