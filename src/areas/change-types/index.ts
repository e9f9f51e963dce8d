/** The exports for other areas: the changes in a PSA that callbacks report and agents are triggered by. */
export { CHANGE_TYPES, type ChangeOption, changeOptions } from './catalogue.ts'
export { CHANGE_TYPE_DESCRIPTIONS, ChangeType } from './change-type.ts'
