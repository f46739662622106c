import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { stat } from 'node:fs/promises'

/** The operating system account the server runs under. PostgreSQL refuses to run as root. */
export interface Account {
  uid: number
  gid: number
}

const ACCOUNT_NAMES = ['posthouse', 'postgres', 'nobody']
const COMMAND_TIMEOUT_MS = 10_000
/** The server reads nothing from our environment: a stray PGDATA or LANG must not change it. */
export const SERVER_ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** Ourselves, or as root the owner of the data if there is any, or the first account that exists. */
export async function serverAccount(clusterFolder: string): Promise<Account> {
  if (!isRoot()) return { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const owner = await stat(clusterFolder).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of ACCOUNT_NAMES) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== null && uid !== 0 && gid !== null) return { uid, gid }
  }
  throw new Error(
    'PostgreSQL cannot run as root, and none of the accounts ' +
      `${ACCOUNT_NAMES.join(', ')} exists. Create one, start Posthouse as another user, ` +
      'or set POSTHOUSE_DATABASE_URL to a PostgreSQL of your own.',
  )
}

/** Asks the system rather than read permission bits, which know nothing of ACLs and mounts. */
export function canEnter(account: Account, folder: string): boolean {
  return runAs(account, '/bin/sh', ['-c', 'cd "$1"', 'sh', folder]).status === 0
}

export function runAs(
  account: Account,
  program: string,
  args: string[],
  timeoutMs = COMMAND_TIMEOUT_MS,
): SpawnSyncReturns<string> {
  return spawnSync(program, args, {
    ...spawnAs(account),
    encoding: 'utf8',
    timeout: timeoutMs,
  })
}

/** The working folder is one that every account can enter. */
export function spawnAs(account: Account): {
  uid?: number
  gid?: number
  cwd: string
  env: typeof SERVER_ENVIRONMENT
} {
  const surroundings = { cwd: '/', env: SERVER_ENVIRONMENT }
  return isRoot() ? { ...account, ...surroundings } : surroundings
}

function idOf(flag: '-u' | '-g', name: string): number | null {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
  return status === 0 ? Number(stdout.trim()) : null
}
