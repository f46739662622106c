import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readProjectFolder } from './read-folder.ts'

export const GOOD_HEADER = 'name: corner-shop\ndefaultCountry: DE\n'
export const GOOD_MAILING = 'channel: Sms\ntransactional: true\ntext: Hello\n'

/** A project folder in a temporary place, gone with `await using`. */
export async function aProjectFolder(
  files: Record<string, string | Buffer>,
): Promise<{ dir: string } & AsyncDisposable> {
  const dir = await mkdtemp(join(tmpdir(), 'posthouse-project-'))
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dir, path)), { recursive: true })
    await writeFile(join(dir, path), content)
  }
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) }
}

/** The problems of a folder, one line each: `file:line:column message | suggestion`. */
export async function problemsOf(files: Record<string, string | Buffer>): Promise<string[]> {
  await using folder = await aProjectFolder(files)
  const reading = await readProjectFolder(folder.dir)
  if (reading.kind === 'valid') return []
  return reading.problems.map(({ file, line, column, message, suggestion }) => {
    const said = suggestion === undefined ? '' : ` | ${suggestion}`
    return `${file}:${line}:${column} ${message}${said}`
  })
}

/** The same for a `project.yaml` whose header is good: line 3 is the first line of `rest`. */
export function problemsOfProject(
  rest: string,
  mailings: Record<string, string> = {},
): Promise<string[]> {
  const files = Object.entries(mailings).map(([name, text]) => [`mailings/${name}.yaml`, text])
  return problemsOf({ 'project.yaml': GOOD_HEADER + rest, ...Object.fromEntries(files) })
}

/** The same for one mailing `hello`, in a project with the topic `news`. */
export function problemsOfMailing(
  text: string,
  files: Record<string, string | Buffer> = {},
): Promise<string[]> {
  return problemsOf({
    'project.yaml': `${GOOD_HEADER}topics:\n  news:\n`,
    'mailings/hello.yaml': text,
    ...files,
  })
}
