import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemsOf } from './project-folder-fixture.ts'

const problemsOfHeader = (text: string) => problemsOf({ 'project.yaml': text })

test('name and country are all a project must say', async () => {
  assert.deepEqual(await problemsOfHeader('name: shop\ndefaultCountry: DE\n'), [])
})

test('a missing name and a missing country are both reported', async () => {
  assert.deepEqual(await problemsOfHeader('title: Shop\n'), [
    'project.yaml:1:1 the project has no name | Add a line such as `name: my-shop`.',
    'project.yaml:1:1 the project has no defaultCountry | Add the country whose phone numbers come without a code: `defaultCountry: DE`.',
  ])
})

test('a bad name is repaired', async () => {
  const [problem, ...rest] = await problemsOfHeader('name: My Shop\ndefaultCountry: DE\n')
  assert.match(problem ?? '', /^project\.yaml:1:7 `My Shop` is not a good name.*`my-shop`/)
  assert.deepEqual(rest, [])
})

test('unknown countries, locales and time zones are reported with a suggestion', async () => {
  const text = 'name: shop\ndefaultCountry: ru\nlocale: klingon\ntimeZone: Europe/Moskow\n'
  assert.deepEqual(await problemsOfHeader(text), [
    'project.yaml:2:17 there is no country `ru` | Did you mean `RU`?',
    'project.yaml:3:9 there is no locale `klingon` | Write a language, and a country if it matters: `en`, `en-GB`.',
    'project.yaml:4:11 there is no time zone `Europe/Moskow` | Did you mean `Europe/Moscow`?',
  ])
})

test('a time zone is a name, not an offset', async () => {
  const header = 'name: shop\ndefaultCountry: DE\ntimeZone: '
  assert.equal((await problemsOfHeader(`${header}"+03:00"\n`)).length, 1)
  assert.deepEqual(await problemsOfHeader(`${header}UTC\n`), [])
  assert.deepEqual(await problemsOfHeader(`${header}Europe/Kyiv\n`), [])
})
