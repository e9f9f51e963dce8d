/** The words by which end users are asked for feedback. */
import { FEEDBACK_LINK } from '../comms/index.ts'

const SUBJECT_CHARACTERS = 200

interface Asking {
  tenant_name: string
  /** null: the work belongs to no ticket. */
  ticket_number: string | null
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

/** The subject of a mail, and the text. Nobody is named as its writer: it is in the name of the MSP. */
export function askingFor({ tenant_name, ticket_number }: Asking): { subject: string; body: string } {
  const ticket = ticket_number === null ? null : `ticket ${oneLine(ticket_number)}`
  const lines = [
    'Hello,',
    '',
    `How did we do${ticket === null ? '' : ` with your ${ticket}`}? Your answer takes less than a minute:`,
    '',
    FEEDBACK_LINK,
    '',
    'Thank you for your help.',
    oneLine(tenant_name),
  ]
  const subject = `How did we do?${ticket === null ? '' : ` (${ticket})`}`
  return { subject: subject.slice(0, SUBJECT_CHARACTERS), body: lines.join('\n') }
}
