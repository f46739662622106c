import { basename } from 'node:path'
import { checkEndpoints } from './check-endpoints.ts'
import { checkCustomFields, checkIdentifierKinds, checkTopics } from './check-fields.ts'
import { checkHeader, HEADER_SETTINGS } from './check-header.ts'
import type { MailingDraft } from './check-mailing.ts'
import { checkOperations } from './check-operations.ts'
import type { MailingDefinition, ProjectDefinition } from './definition.ts'
import { inReadingOrder, type Problem, report, startOf } from './problems.ts'
import { readMailings } from './read-mailings.ts'
import { settingsOf } from './read-values.ts'
import { openSourceFolder, readSource, type SourceFolder } from './source-folder.ts'
import { parseYaml, type Value } from './yaml-tree.ts'

export type ProjectReading =
  | { kind: 'valid'; definition: ProjectDefinition }
  | { kind: 'invalid'; problems: Problem[] }

const PROJECT_FILE = 'project.yaml'

const SETTINGS = [
  ...HEADER_SETTINGS,
  'endpoints',
  'identifierKinds',
  'customFields',
  'topics',
  'operations',
] as const

/** Reads and checks a project folder. Finds every problem at once, not the first. */
export async function readProjectFolder(dir: string): Promise<ProjectReading> {
  const problems: Problem[] = []
  const folder = await openSourceFolder(dir)
  if (folder === undefined) {
    const name = basename(dir)
    report(problems, startOf('.'), `there is no folder \`${name}\``, 'Give a project folder.')
    return { kind: 'invalid', problems }
  }
  const definition = await checkFolder(folder, problems)
  if (definition === undefined || problems.length > 0) {
    return { kind: 'invalid', problems: inReadingOrder(problems) }
  }
  return { kind: 'valid', definition }
}

async function checkFolder(
  folder: SourceFolder,
  problems: Problem[],
): Promise<ProjectDefinition | undefined> {
  const value = await readProjectFile(folder, problems)
  if (value === undefined) {
    await readMailings(folder, undefined, problems)
    return undefined
  }
  const settings = settingsOf(value, SETTINGS, problems)
  const header = checkHeader(settings, value.at, problems)
  const identifierKinds = checkIdentifierKinds(settings.identifierKinds, problems)
  const customFields = checkCustomFields(settings.customFields, identifierKinds, problems)
  const topics = checkTopics(settings.topics, problems)
  const topicNames = new Set(topics.map(({ name }) => name))
  const mailings = await readMailings(folder, topicNames, problems)
  const vocabulary = { identifierKinds, customFields, mailings }
  const operations = checkOperations(settings.operations, vocabulary, problems)
  const operationNames = new Set(operations.map(({ name }) => name))
  return {
    ...header,
    endpoints: checkEndpoints(settings.endpoints, operationNames, problems),
    identifierKinds,
    customFields,
    topics,
    operations,
    mailings: [...mailings.values()].filter(isComplete),
  }
}

async function readProjectFile(
  folder: SourceFolder,
  problems: Problem[],
): Promise<Value | undefined> {
  const source = await readSource(folder, PROJECT_FILE)
  switch (source.kind) {
    case 'text':
      return parseYaml(PROJECT_FILE, source.text, problems)
    case 'missing':
      report(problems, startOf(PROJECT_FILE), source.message, source.suggestion)
      return undefined
    case 'refused':
      report(problems, startOf(PROJECT_FILE), source.message)
      return undefined
  }
}

/** A mailing without a channel was reported, so that nothing valid is left out here. */
function isComplete(mailing: MailingDraft): mailing is MailingDefinition {
  return mailing.channel !== undefined
}
