/** Files of skills for tests. */
import { hash } from 'node:crypto'

export const skillFile = (path: string, content: string) => ({
  path,
  content,
  sha256: hash('sha256', content, 'hex'),
})

/** A `SKILL.md` with its front matter. */
export const skillMd = (slug: string, description: string, body: string): string =>
  `---\nname: ${slug}\ndescription: ${description}\n---\n\n${body}`
