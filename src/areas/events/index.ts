/** The exports of the area for other areas. */
export { eventBody } from './body.ts'
export { feedCursor, type NextEvents } from './cursor.ts'
export { type EventRow, eventsFor } from './feed.ts'
export { feedFollower } from './follower.ts'
export { EventSeverity } from './severity.ts'
export { type Reader, readerOf, seenBy, TEST_EVENT, typesInFeeds } from './sight.ts'
export { typeProblems, typesNamed } from './types.ts'
