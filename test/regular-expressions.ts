/** Refuses regular expressions that take more than linear time on some input: one request could hold the process. */
import { glob, readFile } from 'node:fs/promises'
import { check } from 'recheck'
import ts from 'typescript'

const FILES = ['src/**/*.ts', 'prisma/**/*.ts']
const GENERATED = 'src/db/generated/'

interface Found {
  at: string
  /** null: made at run time, so that nobody can judge it here. */
  expression: { source: string; flags: string } | null
}

function expressionIn(node: ts.Node): Found['expression'] | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/')
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) }
  }
  const isMade =
    (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp'
  return isMade ? null : undefined
}

function expressionsIn(path: string, text: string): Found[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const found: Found[] = []
  const visit = (node: ts.Node): void => {
    const expression = expressionIn(node)
    if (expression !== undefined) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      found.push({ at: `${path}:${line + 1}`, expression })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

/** Why the expression is refused, or null. */
async function problemOf({ at, expression }: Found): Promise<string | null> {
  if (!expression) return `${at}: made at run time; write it as a literal`
  const { source, flags } = expression
  // The same attacks on every run: some expressions are judged by them.
  const judged = await check(source, flags, { timeout: 60_000, randomSeed: 1 })
  if (judged.status === 'safe') return null
  const verdict = judged.status === 'vulnerable' ? judged.complexity.summary : judged.error.kind
  return `${at}: /${source}/${flags} is ${verdict}`
}

const found: Found[] = []
for await (const path of glob(FILES)) {
  if (!path.startsWith(GENERATED)) found.push(...expressionsIn(path, await readFile(path, 'utf8')))
}
const problems: string[] = []
for (const one of found) {
  const problem = await problemOf(one)
  if (problem) problems.push(problem)
}
process.stdout.write(
  [...problems, `${found.length} regular expressions, ${problems.length} refused`, ''].join('\n'),
)
process.exitCode = problems.length > 0 ? 1 : 0
