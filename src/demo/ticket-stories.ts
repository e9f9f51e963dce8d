/** The subjects of the demo MSP’s tickets, by the agent that works on them first. */

interface TicketStory {
  title: string
  category: string
  description: string | null
}

interface Desk {
  board: string
  /** Hours from the agent's work to the end of the ticket. */
  hours: readonly [low: number, high: number]
  /** A monitoring system opened it: it has no contact. */
  of_nobody?: true
  priorities: readonly string[]
  stories: readonly TicketStory[]
}

const story = (category: string, title: string, description: string | null = null): TicketStory => ({
  title,
  category,
  description,
})

const USUAL = ['P3', 'P3', 'P4', 'P2']

export const DESKS: Readonly<Record<number, Desk>> = {
  1: {
    board: 'Service desk',
    hours: [2, 130],
    priorities: USUAL,
    stories: [
      story('E-mail', 'Outlook keeps asking me to sign in'),
      story(
        'E-mail',
        'Shared mailbox missing since this morning',
        'It was there on Friday. Nobody else sees it either.',
      ),
      story('Printing', 'Printer on the first floor prints blank pages'),
      story('Printing', 'Cannot add the new label printer'),
      story('Hardware', 'Laptop will not charge', 'The light at the side is off, with both chargers.'),
      story('Hardware', 'Second screen flickers'),
      story('Hardware', 'Please quote for two laptops and docks'),
      story('Network', 'Wi-Fi drops in the meeting room'),
      story('Network', 'VPN connects, but I cannot open the S: drive'),
      story('Telephony', 'Calls go straight to voicemail'),
      story(
        'Software',
        'Sage will not open after the update',
        'It says that the licence server cannot be found.',
      ),
      story('Software', 'Please install Visio for me'),
      story('Files', 'I deleted a folder by mistake, can it be restored?'),
      story('Files', 'No access to the Finance folder'),
      story('Security', 'Is this e-mail from our bank real?', 'I have not clicked on anything.'),
      story('Security', 'Strange pop-up says that my computer is infected'),
      story('Meeting rooms', 'No sound in the boardroom'),
    ],
  },
  2: {
    board: 'Identity',
    hours: [0.2, 6],
    priorities: ['P3', 'P2'],
    stories: [
      story('Account locked', 'Locked out of my account'),
      story('Account locked', 'Too many attempts, please unlock'),
      story('Passwords', 'Forgotten password after holiday'),
      story('Passwords', 'My password has expired and I am at home'),
      story('Passwords', 'Password reset for a colleague', 'She is on site today, on 01632 960144.'),
      story('Account locked', 'New phone: the authenticator does not work'),
      story('Account locked', 'I do not get the code any more'),
    ],
  },
  3: {
    board: 'Requests',
    hours: [4, 72],
    priorities: ['P4', 'P3'],
    stories: [
      story('New starter', 'New starter on Monday: accounts and laptop'),
      story('New starter', 'Two temporary staff for the summer'),
      story('New starter', 'New finance assistant, same access as before'),
      story('New starter', 'Apprentice starts on the 1st'),
    ],
  },
  4: {
    board: 'Alerts',
    hours: [0.1, 1],
    of_nobody: true,
    priorities: ['P4', 'P3'],
    stories: [
      story('Disk', 'Disk C: below 10 % on SRV-FILE01'),
      story('Disk', 'Disk D: below 5 % on SRV-SQL02'),
      story('Backup', 'Backup job finished with warnings'),
      story('Backup', 'No restore point for 24 hours'),
      story('Availability', 'Device offline: FW-HEADOFFICE'),
      story('Availability', 'Ping loss above 20 % on the leased line'),
      story('Updates', 'Restart pending for 14 days'),
      story('Antivirus', 'Signatures are out of date'),
    ],
  },
}

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
