import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  complaintsAbout,
  type House,
  type SourceFile,
  type Storey,
} from './support/architecture.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Imports go down. See docs/architecture.md. */
const storeys: Storey[] = [
  { name: 'the top', folders: ['main.ts', 'cli', 'config.ts'], sideways: 'below' },
  {
    name: 'edges',
    folders: ['api', 'tracking', 'delivery', 'export', 'sharing', 'console', 'webhooks'],
    sideways: 'nobody',
  },
  {
    name: 'core',
    folders: ['lake', 'operations', 'messages', 'customers', 'history', 'projects'],
    sideways: 'below',
  },
  // Formats are pure, so they do not even import the floor below: what they need is an argument.
  { name: 'formats', folders: ['formats/*'], sideways: 'below' },
  { name: 'platform', folders: ['platform/*'], sideways: 'below' },
]

test('the tree keeps the rules of the house', () => {
  const house = { storeys, faces: readFaces() }
  assert.deepEqual(complaintsAbout(readTree(), house), [])
})

test('formats import no platform', () => {
  const impure = readTree().filter(
    ({ path, text }) =>
      path.startsWith('src/formats/') && !path.endsWith('.test.ts') && text.includes("'#platform/"),
  )
  assert.deepEqual(
    impure.map(({ path }) => path),
    [],
    'a format is pure: take what it needs as an argument',
  )
})

const made: House = {
  storeys,
  faces: {
    '#api': './src/api/index.ts',
    '#console': './src/console/index.ts',
    '#customers': './src/customers/index.ts',
    '#projects': './src/projects/index.ts',
    '#formats/*': './src/formats/*/index.ts',
    '#platform/*': './src/platform/*/index.ts',
  },
}

const breaches: [what: string, file: SourceFile, complaint: RegExp][] = [
  ['an import that goes up', fileWith('customers/a.ts', '#api'), /above it; turn/],
  ['an import up within core', fileWith('projects/a.ts', '#customers'), /above it in core/],
  ['an edge that imports an edge', fileWith('api/a.ts', '#console'), /never import each other/],
  ['a reach past a face', fileWith('customers/a.ts', '../projects/b.ts'), /face, #projects/],
  ['a reach into a format', fileWith('formats/xml/a.ts', '../json/b.ts'), /face, #formats\/json/],
  ['a folder that imports itself', fileWith('api/a.ts', '#api'), /this folder itself/],
  ['a face that is not declared', fileWith('api/a.ts', '#lake'), /not a face/],
  ['a folder on no storey', fileWith('extras/a.ts', 'node:fs'), /on no storey/],
  ['a test reaching past a face', fileWith('../test/x.test.ts', '../src/api/b.ts'), /face, #api/],
  ['product code that needs tests', fileWith('api/a.ts', '../../test/support/b.ts'), /only tests/],
  ['a file that imports itself', fileWith('api/a.ts', './a.ts'), /cycle of imports/],
  ['a file too long', { path: 'src/api/a.ts', text: '\n'.repeat(401) }, /401 lines/],
  ['the environment', { path: 'src/api/a.ts', text: 'process.env.X' }, /reads process\.env/],
  ['SQL outside a store', { path: 'src/api/a.ts', text: 'x.query({ text: `select 1` })' }, /SQL/],
  ['a name that says nothing', { path: 'src/api/string-utils.ts', text: '' }, /"utils"/],
  ['unfinished work', { path: 'bench/a.ts', text: `// ${'FIX'}ME` }, /finish/],
]

for (const [what, file, complaint] of breaches) {
  test(`${what} is a breach`, () => {
    const complaints = complaintsAbout([file], made)
    assert.equal(complaints.length, 1, complaints.join('\n'))
    assert.match(complaints[0] ?? '', complaint)
  })
}

test('what goes down through faces is no breach', () => {
  const files = [
    fileWith('main.ts', './cli/start.ts'),
    fileWith('cli/start.ts', '#api'),
    fileWith('../bench/a.ts', '../src/cli/start.ts'),
    fileWith('api/a.ts', '#customers'),
    fileWith('api/a.test.ts', '../../test/support/database.ts'),
    fileWith('customers/a.ts', '#projects'),
    fileWith('projects/project-store.ts', '#platform/database'),
    fileWith('formats/xml/a.ts', '#formats/document'),
    fileWith('platform/files/a.ts', '#platform/log'),
    { path: 'src/projects/b-store.ts', text: 'x.query({ text: `select 1` })' },
  ]
  assert.deepEqual(complaintsAbout(files, made), [])
})

test('a cycle between folders is a breach even when no file is in one', () => {
  const files = [fileWith('formats/a/x.ts', '#formats/b'), fileWith('formats/b/y.ts', '#formats/a')]
  assert.match(complaintsAbout(files, made).join(), /formats\/a -> formats\/b -> formats\/a/)
})

function fileWith(path: string, specifier: string): SourceFile {
  return {
    path: `src/${path}`.replace('src/../', ''),
    text: `import {\n  x,\n} from '${specifier}'\n`,
  }
}

function readTree(): SourceFile[] {
  const paths = globSync(['{src,test,bench}/**/*.{ts,sql}', 'migrations/*.sql'], { cwd: ROOT })
  return paths.sort().map((path) => ({ path, text: readFileSync(`${ROOT}/${path}`, 'utf8') }))
}

function readFaces(): Record<string, string> {
  return JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')).imports
}
