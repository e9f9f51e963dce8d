/** The exports of the area for other areas. */
export { postToChannels, techniciansChannels } from './conversations/tell.ts'
export { pauseChannelsOf } from './life.ts'
export { sentAt } from './views.ts'
