import { posix } from 'node:path'
import type { Channel } from './definition.ts'
import { type Place, type Problem, report } from './problems.ts'
import { textOf } from './read-values.ts'
import type { SourceText } from './source-folder.ts'
import type { Value } from './yaml-tree.ts'

type Part = 'html' | 'mjml' | 'text'
export type TemplateSetting = 'subject' | Part | `${Part}File`

export const TEMPLATE_SETTINGS: readonly TemplateSetting[] = [
  'subject',
  'html',
  'htmlFile',
  'mjml',
  'mjmlFile',
  'text',
  'textFile',
]

const PARTS: readonly Part[] = ['html', 'mjml', 'text']
const MAX_TEMPLATE_LENGTH = 1024 * 1024
/** RFC 5322 allows 998 characters in a line; a subject is a line. */
const MAX_SUBJECT_LENGTH = 998

export interface TemplateSources {
  settings: { [S in TemplateSetting]?: Value }
  /** Where the mailing itself is, for what is missing. */
  at: Place
  channel: Channel | undefined
  /** By a path from the project folder. */
  readTemplate: (path: string) => Promise<SourceText>
}

/** The templates of a mailing, inline or out of their files. */
export async function checkTemplates(
  sources: TemplateSources,
  problems: Problem[],
): Promise<Record<string, string>> {
  const { settings } = sources
  const templates: Record<string, string> = {}
  const subject = textOf(settings.subject, problems, MAX_SUBJECT_LENGTH)?.trim()
  if (subject !== undefined) templates.subject = subject
  if (subject?.match(/[\r\n]/) && settings.subject !== undefined) {
    report(problems, settings.subject.at, 'a subject is one line')
  }
  for (const part of PARTS) {
    const template = await checkPart(sources, part, problems)
    if (template !== undefined) templates[part] = template
  }
  checkChannelParts(sources, problems)
  return templates
}

async function checkPart(
  { settings, readTemplate }: TemplateSources,
  part: Part,
  problems: Problem[],
): Promise<string | undefined> {
  const inline = settings[part]
  const file = settings[`${part}File`]
  if (inline !== undefined && file !== undefined) {
    report(problems, file.at, `\`${part}\` and \`${part}File\` are both here`, 'Keep one of them.')
  }
  if (file === undefined) return textOf(inline, problems, MAX_TEMPLATE_LENGTH)
  const path = textOf(file, problems)
  if (path === undefined) return undefined
  // Never a path from the root of the machine: join would make it one from the folder.
  const source = await readTemplate(posix.isAbsolute(path) ? path : posix.join('mailings', path))
  switch (source.kind) {
    case 'text':
      if (source.text.trim() === '') report(problems, file.at, `\`${path}\` is empty`)
      return source.text
    case 'missing':
      report(problems, file.at, source.message, source.suggestion)
      return undefined
    case 'refused':
      report(problems, file.at, source.message)
      return undefined
  }
}

function checkChannelParts({ settings, at, channel }: TemplateSources, problems: Problem[]): void {
  if (channel === undefined) return
  const has = (part: Part) => settings[part] !== undefined || settings[`${part}File`] !== undefined
  if (channel !== 'Email') {
    if (!has('text')) {
      report(problems, at, `a mailing by ${channel} needs a text`, 'Add `text` or `textFile`.')
    }
    for (const name of TEMPLATE_SETTINGS) {
      const value = settings[name]
      if (value === undefined || name === 'text' || name === 'textFile') continue
      report(problems, value.at, `a mailing by ${channel} has no \`${name}\``, 'Remove it.')
    }
    return
  }
  if (settings.subject === undefined) {
    report(problems, at, 'a mailing by Email needs a subject', 'Add `subject`.')
  }
  if (!PARTS.some(has)) {
    const suggestion = 'Add `html`, `mjml` or `text`, or one of them as a file, as in `htmlFile`.'
    report(problems, at, 'a mailing by Email needs a body', suggestion)
  }
  const extra = settings.html ?? settings.htmlFile
  if (has('mjml') && extra !== undefined) {
    report(problems, extra.at, 'MJML becomes the HTML, so both cannot be sent', 'Keep one of them.')
  }
}
