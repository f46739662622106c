import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { runAs } from './embedded-account.ts'
import type { Place } from './embedded-place.ts'
import { type Program, replace } from './embedded-program.ts'

/** The name of the only user and of the database. */
export const DATABASE_NAME = 'posthouse'

const INITDB_TIMEOUT_MS = 120_000
const MAJOR_VERSION = '18'

/** The folder of the data, initialised on the first start. */
export async function openCluster(place: Place, program: Program): Promise<string> {
  const folder = join(place.folder, 'data')
  const version = await versionOf(folder)
  if (version === null)
    await replace(folder, async (attempt) => initialise(attempt, place, program))
  if (version !== null && version !== MAJOR_VERSION) {
    throw new Error(
      `${folder} belongs to PostgreSQL ${version}, but this Posthouse comes with ` +
        `${MAJOR_VERSION}: restore a backup into an empty data directory (docs/operating.md)`,
    )
  }
  return folder
}

/** Any user of the socket is trusted, because only the server's account and root can enter its folder. */
function initialise(folder: string, place: Place, program: Program): void {
  const args = [
    `--pgdata=${folder}`,
    `--username=${DATABASE_NAME}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ]
  const { status, error, stderr } = runAs(place.account, program.initdb, args, INITDB_TIMEOUT_MS)
  if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr.trim()}`)
}

async function versionOf(folder: string): Promise<string | null> {
  const text = await readFile(join(folder, 'PG_VERSION'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  return text === null ? null : text.trim()
}
