import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface MasterKeySource {
  /** Base64 of 32 bytes. */
  value?: string | undefined
  /** Read when there is no value, and made when it does not exist. */
  file: string
}

const KEY_BYTES = 32

/** The key that every stored secret is sealed under. Lost, it takes all of them with it. */
export async function loadMasterKey(source: MasterKeySource): Promise<Buffer> {
  if (source.value !== undefined && source.value !== '') {
    return decode(source.value, 'the master key')
  }
  await makeFile(source.file)
  await refuseReadable(source.file)
  return decode(await readFile(source.file, 'utf8'), source.file)
}

/** Written under another name first, so that nobody ever reads half a key, and never over a key. */
async function makeFile(file: string): Promise<void> {
  if (await exists(file)) return
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('base64')}\n`)
    await handle.sync()
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await handle.close()
    await unlink(draft)
  }
}

async function refuseReadable(file: string): Promise<void> {
  const { mode } = await stat(file)
  if ((mode & 0o077) !== 0) {
    throw new Error(`${file} can be read by others than its owner: run chmod 600 ${file}`)
  }
}

function decode(text: string, source: string): Buffer {
  const isBase64 = /^[A-Za-z0-9+/]{43}=$/.test(text.trim())
  if (!isBase64) throw new Error(`${source} should be ${KEY_BYTES} bytes in base64`)
  return Buffer.from(text.trim(), 'base64')
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
