/** The subjects of the demo MSP’s tickets, by the agent that works on them first. */
import { list, number, numbers, optional, table, text } from './table.ts'

const STORIES = table(
  { agent_id: number, category: text, title: text, description: optional(text) },
  `
  1 | E-mail | Outlook keeps asking me to sign in |
  1 | E-mail | Shared mailbox missing since this morning | It was there on Friday. Nobody else sees it either.
  1 | Printing | Printer on the first floor prints blank pages |
  1 | Printing | Cannot add the new label printer |
  1 | Hardware | Laptop will not charge | The light at the side is off, with both chargers.
  1 | Hardware | Second screen flickers |
  1 | Hardware | Please quote for two laptops and docks |
  1 | Network | Wi-Fi drops in the meeting room |
  1 | Network | VPN connects, but I cannot open the S: drive |
  1 | Telephony | Calls go straight to voicemail |
  1 | Software | Sage will not open after the update | It says that the licence server cannot be found.
  1 | Software | Please install Visio for me |
  1 | Files | I deleted a folder by mistake, can it be restored? |
  1 | Files | No access to the Finance folder |
  1 | Security | Is this e-mail from our bank real? | I have not clicked on anything.
  1 | Security | Strange pop-up says that my computer is infected |
  1 | Meeting rooms | No sound in the boardroom |
  2 | Account locked | Locked out of my account |
  2 | Account locked | Too many attempts, please unlock |
  2 | Passwords | Forgotten password after holiday |
  2 | Passwords | My password has expired and I am at home |
  2 | Passwords | Password reset for a colleague | She is on site today, on 01632 960144.
  2 | Account locked | New phone: the authenticator does not work |
  2 | Account locked | I do not get the code any more |
  3 | New starter | New starter on Monday: accounts and laptop |
  3 | New starter | Two temporary staff for the summer |
  3 | New starter | New finance assistant, same access as before |
  3 | New starter | Apprentice starts on the 1st |
  4 | Disk | Disk C: below 10 % on SRV-FILE01 |
  4 | Disk | Disk D: below 5 % on SRV-SQL02 |
  4 | Backup | Backup job finished with warnings |
  4 | Backup | No restore point for 24 hours |
  4 | Availability | Device offline: FW-HEADOFFICE |
  4 | Availability | Ping loss above 20 % on the leased line |
  4 | Updates | Restart pending for 14 days |
  4 | Antivirus | Signatures are out of date |
`,
)

/** `hours`: from the agent's work to the end of the ticket. `of_nobody`: a monitoring system opens them, without a contact. */
const BOARDS = table(
  { agent_id: number, board: text, hours: numbers, priorities: list, of_nobody: (cell) => cell !== '' },
  `
  1 | Service desk | 2, 130 | P3, P3, P4, P2 |
  2 | Identity | 0.2, 6 | P3, P2 |
  3 | Requests | 4, 72 | P4, P3 |
  4 | Alerts | 0.1, 1 | P4, P3 | of nobody
`,
)

/** By the id of the agent. */
export const DESKS = new Map(
  BOARDS.map((board) => [
    board.agent_id,
    { ...board, stories: STORIES.filter(({ agent_id }) => agent_id === board.agent_id) },
  ]),
)

export const TIME_ENTRY_NOTES = [
  'Remote session, checked the settings and tested with the user.',
  'Called the user; cleared the cached credentials.',
  'Replaced the cable and tested.',
  'Raised with the supplier, waiting for a date.',
  'Reinstalled the driver and restarted the service.',
  'On site: moved two desks and patched the ports.',
]

export const NOTES = [
  'Left a voicemail, will try again this afternoon.',
  'The user is back on Thursday.',
  'Asked the supplier for a delivery date.',
  'Waiting for the approval of the manager.',
  'Reproduced it on a second device.',
]

/** The names of files that people attach to their tickets. */
export const FILES = ['Screenshot.png', 'Photo of the screen.jpg', 'Error message.txt']
