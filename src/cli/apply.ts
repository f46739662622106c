import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { recordDefinition } from '#history'
import {
  type Problem,
  type ProjectDefinition,
  readProjectFolder,
  type StoredRevision,
  storeRevision,
} from '#projects'
import type { CliContext } from './context.ts'

export const HELP = `posthouse apply DIR [--check]

Checks the project folder DIR (project.yaml and mailings/) and makes it the project's definition.
Running processes take it up within a second, without a restart. Applying the same definition again
changes nothing.

  --check   only check, change nothing
  --help    this text

All problems are shown at once, each with its file, line and column. Exit code 0: applied, unchanged
or (with --check) good; 1: the folder has problems; 2: the command was not understood.`

/** `posthouse apply`: from a folder to the definition in force. */
export async function apply(args: string[], context: CliContext): Promise<number> {
  const asked = readArgs(args)
  if (asked.kind === 'help') {
    context.out(HELP)
    return 0
  }
  if (asked.kind === 'misunderstood') {
    context.err(`${asked.message} See posthouse apply --help.`)
    return 2
  }
  const reading = await readProjectFolder(asked.dir)
  if (reading.kind === 'invalid') {
    for (const problem of reading.problems) showProblem(problem, asked.dir, context)
    const found = counted(reading.problems.length, 'problem')
    context.err(`${found} found${asked.isCheck ? '' : ', nothing applied'}.`)
    return 1
  }
  const { definition } = reading
  if (asked.isCheck) {
    context.out(`${definition.name}: no problems (${summaryOf(definition)})`)
    return 0
  }
  const stored = await store(definition, context)
  const state = stored.changed ? `applied (${summaryOf(definition)})` : 'unchanged'
  context.out(`${definition.name}: revision ${stored.revision} ${state}`)
  return 0
}

function store(definition: ProjectDefinition, context: CliContext): Promise<StoredRevision> {
  return context.database.transaction(async (tx) => {
    const stored = await storeRevision(tx, definition, context.masterKey)
    if (stored.changed) await recordDefinition(tx, stored.projectId, definition)
    return stored
  })
}

type Asked =
  | { kind: 'help' }
  | { kind: 'misunderstood'; message: string }
  | { kind: 'apply'; dir: string; isCheck: boolean }

function readArgs(args: string[]): Asked {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' }, check: { type: 'boolean' } },
    })
    if (values.help) return { kind: 'help' }
    const [dir, ...rest] = positionals
    if (dir === undefined || rest.length > 0) {
      return { kind: 'misunderstood', message: 'Give one project folder.' }
    }
    return { kind: 'apply', dir, isCheck: values.check ?? false }
  } catch (error) {
    return { kind: 'misunderstood', message: `${(error as Error).message}.` }
  }
}

function showProblem(problem: Problem, dir: string, context: CliContext): void {
  const { file, line, column, message, suggestion } = problem
  context.err(oneLine(`${join(dir, file)}:${line}:${column} ${message}`))
  if (suggestion !== undefined) context.err(`    ${oneLine(suggestion)}`)
}

/** Messages quote what was written, which may hold line breaks or worse for a terminal. */
function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

function summaryOf({ endpoints, operations, mailings }: ProjectDefinition): string {
  const parts = [
    counted(endpoints.length, 'endpoint'),
    counted(operations.length, 'operation'),
    counted(mailings.length, 'mailing'),
  ]
  return parts.join(', ')
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
