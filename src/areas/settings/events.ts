/** The events of settings. */
import { declareEvents, texts } from '../../schema/events/declare.ts'
import { ADMINS } from '../../schema/events/sight.ts'

export const SETTINGS_EVENTS = declareEvents('settings', {
  data: { changed_fields: texts('The fields that changed.') },
  seen: ADMINS,
  about: () => ({ id: 'settings' }),
  events: { updated: 'The settings of the tenant changed.' },
})
