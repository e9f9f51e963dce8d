import { enumFrom } from '../../../schema/builder.ts'

export const ToolAccess = enumFrom('ToolAccess')
