import { createHash, randomBytes } from 'node:crypto'
import { chown, lstat, mkdir, readlink, realpath, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type Account, canEnter, isRoot, serverAccount } from './embedded-account.ts'

/** The folder that holds everything of the server, and the account that owns it. */
export interface Place {
  folder: string
  account: Account
}

/** Root's own folders are often closed to the account of the server; this one is open to it. */
const OUTSIDE_FOLDER = '/var/lib/posthouse'
/** Linux allows 107 bytes for the path of a Unix socket, macOS 103. */
const SOCKET_PATH_LIMIT = 100

/**
 * Finds `postgres` in the data directory, or makes it. Where the server's account cannot enter the data
 * directory it is a link to a folder elsewhere.
 */
export async function openPlace(dataDir: string, log: (line: string) => void): Promise<Place> {
  await mkdir(dataDir, { recursive: true })
  const home = join(await realpath(dataDir), 'postgres')
  const account = await serverAccount(join(home, 'data'))
  if (!(await exists(home))) await makeHome(home, account, log)
  const folder = await realpath(home).catch(async (cause) => {
    throw new Error(
      `${home} is a link to ${await readlink(home)}, which does not exist. Bring that folder back; ` +
        'if its data is really gone, remove the link to start with an empty database.',
      { cause },
    )
  })
  if (isRoot()) await chown(folder, account.uid, account.gid)
  if (!canEnter(account, folder)) {
    throw new Error(`the account with uid ${account.uid} cannot enter ${folder}`)
  }
  return { folder, account }
}

/** Short enough for a socket, and closed to everybody but the server's account and root. */
export async function openSocketFolder(place: Place): Promise<string> {
  const folder = socketFolderOf(place.folder)
  await makePrivate(folder, place.account)
  const { uid, mode } = await lstat(folder)
  // In /tmp anyone could have made a folder of this name before us.
  if (uid !== place.account.uid || (mode & 0o170077) !== 0o040000) {
    throw new Error(`${folder} is not a closed folder of uid ${place.account.uid}; remove it`)
  }
  return folder
}

/** Null when the data directory has no database yet, or one that is closed to us. */
export async function findSocketFolder(dataDir: string): Promise<string | null> {
  const folder = await realpath(join(dataDir, 'postgres')).catch(() => null)
  return folder === null ? null : socketFolderOf(folder)
}

function socketFolderOf(folder: string): string {
  const inside = join(folder, 'socket')
  const isShort = Buffer.byteLength(join(inside, '.s.PGSQL.5432.lock')) < SOCKET_PATH_LIMIT
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return isShort ? inside : join('/tmp', `posthouse-${digest}`)
}

async function makeHome(home: string, account: Account, log: (line: string) => void) {
  if (!isRoot() || canEnter(account, dirname(home))) return makePrivate(home, account)
  // Never named after the data directory: one that was deleted and made anew must start empty.
  const name = `${basename(dirname(home))}-${randomBytes(6).toString('hex')}`
  const folder = join(OUTSIDE_FOLDER, name)
  await mkdir(OUTSIDE_FOLDER, { recursive: true, mode: 0o755 })
  await makePrivate(folder, account)
  const isOurs = await unlessExists(symlink(folder, home))
  if (!isOurs) return rm(folder, { recursive: true })
  log(`uid ${account.uid} cannot enter ${dirname(home)}; the database is in ${folder}`)
}

async function makePrivate(folder: string, account: Account): Promise<void> {
  const isNew = await unlessExists(mkdir(folder, { mode: 0o700 }))
  if (isNew && isRoot()) await chown(folder, account.uid, account.gid)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** False when a process that started at the same moment was first. */
async function unlessExists(made: Promise<unknown>): Promise<boolean> {
  try {
    await made
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
