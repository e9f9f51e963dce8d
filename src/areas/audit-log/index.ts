/** The exports of the area for other areas. */
import { enumFrom } from '../../schema/builder.ts'

export { recordToolCall, type ToolCall } from './record.ts'

export const ToolAccess = enumFrom('ToolAccess')
