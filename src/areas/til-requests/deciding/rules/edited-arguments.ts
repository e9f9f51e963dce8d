/** The arguments that a technician changes before approving must be ones that the tool takes. */
import { bodyProblem, type FieldError } from '../../../../errors/errors.ts'
import { argumentErrors } from '../../../../tools/invalid-arguments.ts'
import type { Tool } from '../../../../tools/tool.ts'

const FIELD = 'edited_arguments'

/** The problems of the arguments with the input schema of the tool. */
export const editProblems = (tool: Tool, args: unknown): FieldError[] =>
  argumentErrors(tool, args).map(({ path, keyword, missing }) =>
    bodyProblem(
      path === '' ? FIELD : `${FIELD}.${path}`,
      missing === null ? keyword : 'required',
      missing === null ? `does not meet the ${keyword} of the tool’s input schema` : 'is required',
    ),
  )
