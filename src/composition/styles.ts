/** The styles of pages that areas answer with. */
import { pageFile, STYLE, type StaticFiles } from '../http/static-files.ts'
import { BASE_PATH } from '../lib/api.ts'

export const STYLES: StaticFiles = {
  [`${BASE_PATH}/feedback.css`]: { headers: STYLE, make: pageFile('feedback.css') },
}
