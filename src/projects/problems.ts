/** Where in the project folder something was written. Lines and columns start at 1. */
export interface Place {
  /** Relative to the project folder, with forward slashes. */
  file: string
  line: number
  column: number
}

export interface Problem extends Place {
  message: string
  suggestion?: string
}

export function report(
  problems: Problem[],
  at: Place,
  message: string,
  suggestion?: string | undefined,
): void {
  const place = { file: at.file, line: at.line, column: at.column }
  problems.push(
    suggestion === undefined ? { ...place, message } : { ...place, message, suggestion },
  )
}

/** The first character of a file, for what concerns the file as a whole. */
export function startOf(file: string): Place {
  return { file, line: 1, column: 1 }
}

/** `project.yaml` first, then file by file, each from top to bottom. */
export function inReadingOrder(problems: Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      fileRank(a.file) - fileRank(b.file) ||
      compare(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column,
  )
}

function fileRank(file: string): number {
  return file === 'project.yaml' ? 0 : 1
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
