/** The Agent Skills format: the bundle of files that a body makes, of which `SKILL.md` is the truth. */
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import anyAscii from 'any-ascii'
import { bodyProblem, type FieldError } from '../errors/errors.ts'
import { type FrontMatter, frontMatterOf } from '../lib/front-matter.ts'
import { toolNamed } from './registry.ts'

const SKILL_MD = 'SKILL.md'

export const MAX_SLUG = 64
export const SLUG = {
  matches: /^[a-z0-9]+(-[a-z0-9]+)*$/,
  expected: 'of small letters and digits, with single hyphens between them',
}
export const MAX_DESCRIPTION = 1024
/** Bytes of UTF-8. */
const MAX_FILE_BYTES = 100 * 1024
const MAX_BUNDLE_BYTES = 1024 * 1024

export type SkillFile = Record<'path' | 'content' | 'sha256', string>

export interface Bundle {
  slug: string
  name: string
  description: string
  allowed_tools: string[]
  files: SkillFile[]
}

type SentFile = Pick<SkillFile, 'path' | 'content'> & { sha256?: string | null | undefined }

/** The members of a body that make a bundle. */
export type Sent = {
  [Name in 'slug' | 'name' | 'description' | 'instructions']?: string | null | undefined
} & {
  allowed_tools?: readonly string[] | null | undefined
  files?: readonly SentFile[] | null | undefined
}

/** The bundle, with the words in `allowed-tools` that name tools of other products; or the problems of the body. */
type Made = { bundle: Bundle; foreign_tools: string[] } | { problems: FieldError[] }

const fileOf = ({ path, content }: SentFile): SkillFile => ({
  path,
  content,
  sha256: hash('sha256', content, 'hex'),
})

/** The content of `SKILL.md`. */
export const skillMdOf = (files: readonly SentFile[]): string =>
  files.find(({ path }) => path === SKILL_MD)?.content ?? ''

/** The slug that a name makes: `password-reset` of `Password reset`. */
export const slugOf = (name: string): string =>
  anyAscii(name)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_SLUG)
    .replace(/-$/, '')

/** The name for people that a slug makes: `Password reset` of `password-reset`. */
const nameOf = (slug: string): string => slug.charAt(0).toUpperCase() + slug.slice(1).replaceAll('-', ' ')

/** The problems of paths, and of hashes that are not those of the content. */
function fileProblems(files: readonly SentFile[]): FieldError[] {
  const paths = files.map(({ path }) => path.toLowerCase())
  const problems = files.flatMap((file, index) => {
    const found: FieldError[] = []
    const report = (field: string, code: string, message: string) =>
      found.push(bodyProblem(`files.${index}.${field}`, code, message))
    if (file.path.split('/').some((part) => part === '.' || part === '..'))
      report('path', 'format', 'must have no part . or ..')
    if (paths.indexOf(file.path.toLowerCase()) < index)
      report('path', 'duplicate', 'is the path of a file before it, in any letter case')
    if (file.sha256 && file.sha256 !== fileOf(file).sha256)
      report('sha256', 'mismatch', 'is not the SHA-256 of the content')
    return found
  })
  if (!files.some(({ path }) => path === SKILL_MD))
    problems.push(bodyProblem('files', 'required', `must have a ${SKILL_MD}`))
  return problems
}

function sizeProblems(files: readonly SkillFile[]): FieldError[] {
  const sizes = files.map(({ content }) => Buffer.byteLength(content))
  const problems = sizes.flatMap((bytes, index) =>
    bytes > MAX_FILE_BYTES
      ? [bodyProblem(`files.${index}.content`, 'length', 'must have at most 100 KB')]
      : [],
  )
  if (sizes.reduce((sum, bytes) => sum + bytes, 0) > MAX_BUNDLE_BYTES)
    problems.push(bodyProblem('files', 'length', 'must have at most 1 MB in all'))
  return problems
}

/** A word of `allowed-tools`, to which the parentheses behind it belong. */
const WORD = /[^\s,()]+(?:\([^)]*\))?/g
/** The form of the names of the service's own tools. */
const OWN_TOOL = /^[a-z_]+\.[a-z_]+$/

interface Tools {
  own: string[]
  foreign: string[]
}

const toolsIn = (front_matter: Pick<FrontMatter, 'get'>): Tools => {
  const words = [front_matter.get('allowed-tools') ?? []].flat().flatMap((text) => text.match(WORD) ?? [])
  const own = words.filter((word) => OWN_TOOL.test(word))
  return { own: [...new Set(own)], foreign: words.filter((word) => !own.includes(word)) }
}

const toolProblems = (field: (index: number) => string, tools: readonly string[]): FieldError[] =>
  tools.flatMap((name, index) =>
    toolNamed(name) ? [] : [bodyProblem(field(index), 'unknown', `names a tool that there is not: ${name}`)],
  )

/** The front matter of a file without any. */
const NOTHING: Pick<FrontMatter, 'get'> = { get: () => undefined }

/** A text of the front matter. */
const textIn = (front_matter: Pick<FrontMatter, 'get'>, key: string): string | undefined => {
  const value = front_matter.get(key)
  return typeof value === 'string' ? value.trim() : undefined
}

/** `SKILL.md` as the body has it; of a body without it, as it is stored. `is_sent`: the body has its front matter. */
function sentSkillMd({ files, instructions }: Sent, stored: Bundle | null) {
  const kept = stored ? skillMdOf(stored.files) : ''
  const sent = files ? skillMdOf(files) : instructions
  if (typeof sent !== 'string') return { text: kept, is_sent: false }
  const front_matter = frontMatterOf(sent)
  if ('problem' in front_matter || front_matter.head !== '') return { text: sent, is_sent: true }
  const before = frontMatterOf(files ? '' : kept)
  return { text: ('head' in before ? before.head : '') + sent, is_sent: false }
}

// Contract silent: words of `allowed-tools` that have not the form of the service's tools name tools of other products, and
// take no tool from a run.
/** The bundle that the body makes: a new one, or that of the stored skill with the changes. */
export function bundleOf(sent: Sent, stored: Bundle | null): Made {
  const problems = sent.files ? fileProblems(sent.files) : []
  if (sent.files && typeof sent.instructions === 'string')
    problems.push(bodyProblem('instructions', 'exclusive', 'cannot be sent together with files'))
  if (problems.length > 0) return { problems }
  const { text, is_sent } = sentSkillMd(sent, stored)
  const index = sent.files?.findIndex(({ path }) => path === SKILL_MD)
  const field = index === undefined ? 'instructions' : `files.${index}.content`
  const front_matter = frontMatterOf(text)
  if ('problem' in front_matter)
    return { problems: [bodyProblem(field, 'front_matter', front_matter.problem)] }
  const said = is_sent ? front_matter : NOTHING
  const report = (at: string, code: string, message: string) => problems.push(bodyProblem(at, code, message))

  for (const key of ['name', 'description'])
    if (said.get(key) !== undefined && !textIn(said, key))
      report(field, 'front_matter', `has front matter whose ${key} is no text`)
  const slugs = { said: textIn(said, 'name'), given: stored?.slug ?? sent.slug ?? undefined }
  const slug = slugs.said ?? slugs.given ?? slugOf(sent.name ?? '')
  if (slugs.given && slug !== slugs.given)
    report('slug', 'mismatch', `is not the name in ${SKILL_MD}, ${slug}`)
  if (!SLUG.matches.test(slug) || slug.length > MAX_SLUG)
    report(
      slugs.said ? field : 'slug',
      slug ? 'format' : 'required',
      `must be a slug of 1 to ${MAX_SLUG} characters, ${SLUG.expected}`,
    )

  const described = textIn(said, 'description')
  const description = described ?? sent.description ?? stored?.description ?? ''
  if (described && sent.description && described !== sent.description)
    report('files', 'mismatch', `has another description in ${SKILL_MD} than the body`)
  if (!description) report('description', 'required', 'is required, in the body or in SKILL.md')
  if ([...description].length > MAX_DESCRIPTION)
    report(field, 'length', `has a description of more than ${MAX_DESCRIPTION} characters`)

  const tools = toolsIn(front_matter)
  const given = sent.allowed_tools && [...new Set(sent.allowed_tools)]
  problems.push(
    ...toolProblems((at) => `allowed_tools.${at}`, sent.allowed_tools ?? []),
    ...toolProblems(() => field, is_sent ? tools.own : []),
  )
  const says_tools = said.get('allowed-tools') !== undefined
  if (says_tools && given && !isDeepStrictEqual(given, tools.own))
    report('files', 'mismatch', `has other allowed-tools in ${SKILL_MD} than the body`)
  const allowed_tools = says_tools ? tools.own : (given ?? stored?.allowed_tools ?? [])
  if (problems.length > 0) return { problems }

  const written = front_matter.with({
    ...(textIn(front_matter, 'name') !== slug && { name: slug }),
    ...(textIn(front_matter, 'description') !== description && { description }),
    ...(!isDeepStrictEqual(tools.own, allowed_tools) && {
      'allowed-tools': [...allowed_tools, ...tools.foreign].join(' ') || null,
    }),
  })
  if (written === null)
    return { problems: [bodyProblem(field, 'front_matter', 'has front matter that cannot be completed')] }
  const others = sent.files ?? stored?.files ?? [{ path: SKILL_MD, content: '' }]
  const files = others.map((file) => fileOf(file.path === SKILL_MD ? { ...file, content: written } : file))
  const name = sent.name ?? stored?.name ?? nameOf(slug)
  const too_large = sizeProblems(files)
  if (too_large.length > 0) return { problems: too_large }
  return { bundle: { slug, name, description, allowed_tools, files }, foreign_tools: tools.foreign }
}
