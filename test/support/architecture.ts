import { posix } from 'node:path'

/** The rules of the house as functions from files to complaints, so that they can be tested too. */
export interface SourceFile {
  /** Relative to the repository, with slashes. */
  path: string
  text: string
}

export interface Storey {
  name: string
  /** Top to bottom. A folder that ends in `/*` stands for each folder in it. */
  folders: string[]
  /** Whom a folder of this storey may import on its own floor. */
  sideways: 'nobody' | 'below'
}

export interface House {
  storeys: Storey[]
  /** `imports` of package.json. */
  faces: Record<string, string>
}

const MAX_LINES = 400
const WORDS_TO_AVOID =
  /^(utils?|helpers?|managers?|services?|base|common|shared|misc|miscellaneous)$/
const SQL_CALL =
  /\.query\s*(?:<[^()]*>)?\(\s*[{'"`][^;]{0,200}?\b(select|insert|update|delete|with|create|alter|drop|truncate|lock|set|begin|commit|call|listen|notify)\b/i
// In two parts, because this file is checked as well.
const UNFINISHED = 'FIX' + 'ME'

export function complaintsAbout(files: SourceFile[], house: House): string[] {
  return [
    ...files.flatMap((file) =>
      importsOf(file).flatMap((name) => importComplaints(file, name, house)),
    ),
    ...cycleComplaints(files, house),
    ...files
      .filter(({ path }) => path.startsWith('src/') && folderOf(path, house) === null)
      .map(({ path }) => `${path}: is on no storey; add its folder to test/architecture.test.ts`),
    ...files.flatMap(fileComplaints),
  ]
}

function fileComplaints({ path, text }: SourceFile): string[] {
  const complaints: string[] = []
  const isSource = path.startsWith('src/')
  const lines = text.split('\n').length - 1
  const word = path.split(/[^a-z0-9]+/i).find((part) => WORDS_TO_AVOID.test(part))
  if (word !== undefined) {
    complaints.push(`${path}: "${word}" says nothing; name the file after what it does`)
  }
  if (text.includes(UNFINISHED)) complaints.push(`${path}: finish what is marked ${UNFINISHED}`)
  if (isSource && lines > MAX_LINES) {
    complaints.push(`${path}: ${lines} lines; find the second concept (the limit is ${MAX_LINES})`)
  }
  if (isSource && path !== 'src/config.ts' && /\bprocess\s*\.\s*env\b/.test(text)) {
    complaints.push(
      `${path}: reads process.env; take the setting as an argument from src/config.ts`,
    )
  }
  if (isSource && !mayHoldSql(path) && SQL_CALL.test(text)) {
    complaints.push(`${path}: sends SQL; move the statement into a *-store.ts of this folder`)
  }
  return complaints
}

function mayHoldSql(path: string): boolean {
  return path.endsWith('-store.ts') || path.startsWith('src/platform/database/') || isTestCode(path)
}

function importComplaints(file: SourceFile, name: string, house: House): string[] {
  const target = resolveImport(file.path, name, house)
  if (target === null) return []
  if (target === 'unknown') {
    return [`${file.path}: ${name} is not a face; add the folder to "imports" in package.json`]
  }
  const from = folderOf(file.path, house)
  const to = folderOf(target, house)
  if (to === null) return target.startsWith('src/') ? [] : testImportComplaints(file, target)
  if (from === to) {
    return name.startsWith('#')
      ? [`${file.path}: ${name} is this folder itself; import the file by its relative path`]
      : []
  }
  // The top has no face: only itself, tests and benches have a use for it.
  const mayReach = isTop(to, house) && (from === null || isTop(from, house))
  if (!name.startsWith('#') && !mayReach) {
    return [`${file.path}: reaches into ${target}; import it through its face, #${to}`]
  }
  return from === null ? [] : directionComplaints(file, from, to, house)
}

/** Product code knows nothing of tests. */
function testImportComplaints(file: SourceFile, target: string): string[] {
  const isAllowed = !file.path.startsWith('src/') || isTestCode(file.path)
  return isAllowed ? [] : [`${file.path}: imports ${target}; only tests may import from there`]
}

function directionComplaints(file: SourceFile, from: string, to: string, house: House): string[] {
  const [high, low] = [placeOf(from, house), placeOf(to, house)]
  if (low.storey > high.storey) return []
  const { name, sideways } = house.storeys[high.storey] as Storey
  if (low.storey < high.storey) {
    return [`${file.path}: ${from} imports ${to}, which is above it; turn the dependency round`]
  }
  if (sideways === 'nobody') {
    return [`${file.path}: ${from} imports ${to}, but ${name} never import each other`]
  }
  const isInSameGroup = from.split('/')[0] === to.split('/')[0]
  if (low.folder > high.folder || isInSameGroup) return []
  return [`${file.path}: ${from} imports ${to}, which is above it in ${name}`]
}

function cycleComplaints(files: SourceFile[], house: House): string[] {
  const byFile = new Map<string, Set<string>>()
  const byFolder = new Map<string, Set<string>>()
  for (const file of files) {
    if (!file.path.startsWith('src/') || isTestCode(file.path)) continue
    for (const name of importsOf(file)) {
      const target = resolveImport(file.path, name, house)
      if (target === null || target === 'unknown') continue
      add(byFile, file.path, target)
      const from = folderOf(file.path, house)
      const to = folderOf(target, house)
      if (from !== null && to !== null && from !== to) add(byFolder, from, to)
    }
  }
  return [byFile, byFolder].flatMap((graph) => {
    const cycle = findCycle(graph)
    return cycle === null ? [] : [`a cycle of imports: ${cycle.join(' -> ')}; cut it`]
  })
}

function findCycle(graph: Map<string, Set<string>>): string[] | null {
  const done = new Set<string>()
  const path: string[] = []
  const visit = (node: string): string[] | null => {
    if (path.includes(node)) return [...path.slice(path.indexOf(node)), node]
    if (done.has(node)) return null
    path.push(node)
    for (const next of graph.get(node) ?? []) {
      const cycle = visit(next)
      if (cycle !== null) return cycle
    }
    path.pop()
    done.add(node)
    return null
  }
  for (const node of graph.keys()) {
    const cycle = visit(node)
    if (cycle !== null) return cycle
  }
  return null
}

/** A path in the repository, 'unknown' for a face that is not declared, null for a package. */
function resolveImport(from: string, name: string, house: House): string | 'unknown' | null {
  if (name.startsWith('.')) return posix.join(posix.dirname(from), name)
  if (!name.startsWith('#')) return null
  for (const [face, file] of Object.entries(house.faces)) {
    const [head = '', tail] = face.split('*')
    if (tail === undefined ? name === face : name.startsWith(head)) {
      return posix.normalize(file.replace('*', name.slice(head.length)))
    }
  }
  return 'unknown'
}

function importsOf({ text }: SourceFile): string[] {
  const statement = /^\s*(?:import|export)\b(?:[^'"`;]*?\bfrom)?\s*['"]([^'"\n]+)['"]/gm
  const call = /\bimport\(\s*['"]([^'"\n]+)['"]\s*\)/g
  return [...text.matchAll(statement), ...text.matchAll(call)].map((match) => match[1] as string)
}

/** The folder of the table that a file belongs to, such as `customers` or `formats/xml`. */
function folderOf(path: string, house: House): string | null {
  const [root, first = '', second = ''] = path.split('/')
  if (root !== 'src') return null
  for (const folder of house.storeys.flatMap((storey) => storey.folders)) {
    if (folder === first) return first
    if (folder === `${first}/*`) return `${first}/${second}`
  }
  return null
}

function placeOf(folder: string, house: House): { storey: number; folder: number } {
  const key = folder.includes('/') ? `${folder.split('/')[0]}/*` : folder
  const storey = house.storeys.findIndex(({ folders }) => folders.includes(key))
  return { storey, folder: house.storeys[storey]?.folders.indexOf(key) ?? -1 }
}

function isTop(folder: string, house: House): boolean {
  return placeOf(folder, house).storey === 0
}

function isTestCode(path: string): boolean {
  return /(\.test|-fixture)\.ts$/.test(path)
}

function add(graph: Map<string, Set<string>>, from: string, to: string): void {
  const targets = graph.get(from) ?? new Set()
  graph.set(from, targets.add(to))
}
