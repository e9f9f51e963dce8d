/** The exports of the area for other areas. */

export { postToChannels, techniciansChannels } from './conversations/tell.ts'
export { postAgain, postToPerson, tellingChannel } from './conversations/tell-person.ts'
export { pauseChannelsOf } from './life.ts'
export { sentAt } from './views.ts'
