import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { posix, resolve, sep } from 'node:path'
import { suggestionFor } from './suggest.ts'

/** The text of a file of the project folder, or why it is not read. */
export type SourceText =
  | { kind: 'text'; text: string }
  | { kind: 'missing'; message: string; suggestion?: string | undefined }
  | { kind: 'refused'; message: string }

export interface SourceFolder {
  /** With every link resolved, so that a file's real path can be compared with it. */
  root: string
}

const MAX_FILE_BYTES = 1024 * 1024

export async function openSourceFolder(dir: string): Promise<SourceFolder | undefined> {
  try {
    const root = await realpath(dir)
    return (await stat(root)).isDirectory() ? { root } : undefined
  } catch {
    return undefined
  }
}

/** Reads a file by its path in the folder. Nothing outside the folder is read, by link or by path. */
export async function readSource(folder: SourceFolder, path: string): Promise<SourceText> {
  const refused = (why: string): SourceText => ({ kind: 'refused', message: `\`${path}\` ${why}` })
  if (posix.isAbsolute(path) || isLeaving(path)) return refused('leads out of the project folder')
  try {
    const file = await realpath(resolve(folder.root, path))
    if (!file.startsWith(folder.root + sep)) return refused('leads out of the project folder')
    const facts = await stat(file)
    if (!facts.isFile()) return refused('is not a file')
    if (facts.size > MAX_FILE_BYTES) return refused('is larger than 1 MiB')
    return decoded(await readFile(file)) ?? refused('is not a text in UTF-8')
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === undefined) throw error
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return refused(`cannot be read (${code})`)
    const suggestion = await nearestFile(folder, path)
    return { kind: 'missing', message: `there is no file \`${path}\``, suggestion }
  }
}

/**
 * The files of a folder and those below, as paths from the root, without hidden ones; undefined when
 * a link makes it a folder outside.
 */
export async function listSources(
  folder: SourceFolder,
  sub: string,
): Promise<string[] | undefined> {
  const top = await realpath(resolve(folder.root, sub)).catch(() => undefined)
  if (top === undefined) return []
  if (!`${top}${sep}`.startsWith(folder.root + sep)) return undefined
  const entries = await readdir(top, { recursive: true, withFileTypes: true }).catch(notAFolder)
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => resolve(entry.parentPath, entry.name).slice(top.length + 1))
    .map((path) => path.split(sep).join('/'))
    .filter((path) => !path.split('/').some((part) => part.startsWith('.')))
    .map((path) => posix.join(sub, path))
    .sort()
}

function isLeaving(path: string): boolean {
  const plain = posix.normalize(path)
  return plain === '..' || plain.startsWith('../')
}

function decoded(bytes: Buffer): SourceText | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : { kind: 'text', text }
  } catch {
    return undefined
  }
}

async function nearestFile(folder: SourceFolder, path: string): Promise<string | undefined> {
  const neighbours = await listSources(folder, posix.dirname(path))
  return suggestionFor(path, neighbours ?? [])
}

function notAFolder(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOTDIR') return []
  throw error
}
