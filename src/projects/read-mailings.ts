import { posix } from 'node:path'
import { checkMailing, type MailingDraft } from './check-mailing.ts'
import { type Problem, report, startOf } from './problems.ts'
import { checkName, MAX_LIST_LENGTH } from './read-values.ts'
import { listSources, readSource, type SourceFolder } from './source-folder.ts'
import { parseYaml } from './yaml-tree.ts'

const FOLDER = 'mailings'
const EXTENSIONS = ['.yaml', '.yml']
/** A definition is one value in the database, which takes at most 256 MiB and is read often. */
const MAX_TEMPLATES_LENGTH = 32 * 1024 * 1024

const SETTING_OF_EXTENSION: Record<string, string> = {
  '.html': 'htmlFile',
  '.mjml': 'mjmlFile',
  '.txt': 'textFile',
}

/** Reads `mailings/`: one mailing per YAML file, named after it, and the templates they name. */
export async function readMailings(
  folder: SourceFolder,
  topics: ReadonlySet<string> | undefined,
  problems: Problem[],
): Promise<Map<string, MailingDraft>> {
  const files = await listSources(folder, FOLDER)
  if (files === undefined) {
    report(problems, startOf(FOLDER), `\`${FOLDER}\` leads out of the project folder`)
    return new Map()
  }
  const mailingFiles = files.filter(isMailingFile)
  if (mailingFiles.length > MAX_LIST_LENGTH) {
    const message = `there are ${mailingFiles.length} mailings, more than ${MAX_LIST_LENGTH}`
    report(problems, startOf(FOLDER), message)
  }
  const used = new Set(mailingFiles)
  const mailings = new Map<string, MailingDraft>()
  for (const file of mailingFiles.slice(0, MAX_LIST_LENGTH)) {
    const name = nameOf(file)
    if (mailings.has(name)) {
      report(problems, startOf(file), `mailing \`${name}\` is declared twice`, 'Keep one file.')
      continue
    }
    mailings.set(name, await readMailing({ folder, file, topics, used }, problems))
  }
  checkTotal(mailings, problems)
  reportUnused(files, used, problems)
  return mailings
}

interface MailingFile {
  folder: SourceFolder
  file: string
  topics: ReadonlySet<string> | undefined
  /** Collects the files that mailings name. */
  used: Set<string>
}

async function readMailing(
  { folder, file, topics, used }: MailingFile,
  problems: Problem[],
): Promise<MailingDraft> {
  const name = nameOf(file)
  checkName('system', { name, at: startOf(file) }, problems)
  const source = await readSource(folder, file)
  if (source.kind !== 'text') {
    report(problems, startOf(file), source.message)
    return unreadable(name)
  }
  const value = parseYaml(file, source.text, problems)
  if (value === undefined) return unreadable(name)
  const readTemplate = (path: string) => {
    used.add(posix.normalize(path))
    return readSource(folder, path)
  }
  return checkMailing({ name, value, topics, readTemplate }, problems)
}

/** Stands for a mailing whose file has problems, so that operations that name it have none. */
function unreadable(name: string): MailingDraft {
  return {
    name,
    title: name,
    channel: undefined,
    topic: null,
    parameters: [],
    secretLinkLifeHours: 1,
    templates: {},
    utm: {},
  }
}

function checkTotal(mailings: Map<string, MailingDraft>, problems: Problem[]): void {
  let length = 0
  for (const { templates } of mailings.values()) {
    for (const template of Object.values(templates)) length += template.length
  }
  if (length <= MAX_TEMPLATES_LENGTH) return
  report(problems, startOf(FOLDER), 'the templates are larger than 32 MiB together')
}

function reportUnused(files: string[], used: Set<string>, problems: Problem[]): void {
  for (const file of files) {
    if (used.has(file)) continue
    const isNested = EXTENSIONS.includes(posix.extname(file))
    const setting = SETTING_OF_EXTENSION[posix.extname(file)]
    const path = posix.relative(FOLDER, file)
    const advice = setting === undefined ? 'Remove it' : `Name it, as in \`${setting}: ${path}\``
    const suggestion = isNested
      ? `Move it to \`${FOLDER}/\` itself, where mailings are read from.`
      : `${advice}, or move it out of \`${FOLDER}/\`.`
    report(problems, startOf(file), 'no mailing uses this file', suggestion)
  }
}

function isMailingFile(file: string): boolean {
  return posix.dirname(file) === FOLDER && EXTENSIONS.includes(posix.extname(file))
}

function nameOf(file: string): string {
  return posix.basename(file, posix.extname(file))
}
