import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

const TIMEOUT_MS = 60_000

/** For tests that cannot do without it: `bin/test` installs it where it can. */
export const needsXmllint =
  spawnSync('xmllint', ['--version']).status === 0 ? {} : { skip: 'xmllint is not installed' }

/** What libxml2 has against each of the documents; '' where it has nothing. */
export async function lint(schema: string, documents: readonly string[]): Promise<string[]> {
  await using folder = await temporaryFolder()
  const schemaFile = join(folder.path, 'schema.xsd')
  await writeFile(schemaFile, schema)
  const names = documents.map((_, index) => `${index}.xml`)
  await Promise.all(
    names.map((name, index) => writeFile(join(folder.path, name), documents[index] ?? '')),
  )
  const report = await run(['--noout', '--nonet', '--schema', schemaFile, ...names], folder.path)
  return names.map((name) => complaintsAbout(name, report))
}

/** It ends with an error as soon as one of the documents is wrong, which is not an error of ours. */
function run(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 }
    execFile('xmllint', args, options, (_, out, err) => resolve(out + err))
  })
}

function complaintsAbout(name: string, report: string): string {
  const lines = report.split('\n')
  if (lines.includes(`${name} validates`)) return ''
  const own = lines.filter((line) => line.startsWith(`${name}:`) || line.startsWith(`${name} `))
  return own.length === 0 ? `xmllint says nothing about ${name}:\n${report}` : own.join('\n')
}
