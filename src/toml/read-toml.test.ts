import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseToml, tableAt, without } from './read-toml.ts';

describe('a TOML text', () => {
  const spellings = [
    '[build-system]\nrequires = ["x"]\n',
    '["build-system"]\nrequires = ["x"]\n',
    "['build-system']\nrequires = ['x']\n",
    '["build\\u002dsystem"]\nrequires = ["x"]\n',
    '[ build-system ]\nrequires = [ "x", ] # why\n',
    'build-system.requires = ["x"]\n',
    'build-system = { requires = ["x"] }\n',
    '\uFEFF"build-system" . "requires" = ["""x"""]\n',
  ];
  for (const text of spellings)
    test(`has the same value in every spelling: ${JSON.stringify(text)}`, () =>
      assert.deepEqual(parseToml(text), { 'build-system': { requires: ['x'] } }));

  const broken: [why: string, text: string][] = [
    ['a key twice', 'a = 1\na = 2\n'],
    ['no value', '[a\n'],
    ['inline nesting that is too deep', `a = ${'['.repeat(5000)}${']'.repeat(5000)}`],
    ['nesting by headers that is too deep', `[${'a.'.repeat(20_000)}a]\nb = 1`],
    ['too many characters', `# ${'x'.repeat(2_000_001)}`],
  ];
  for (const [why, text] of broken)
    test(`has no value if it has ${why}`, () => assert.equal(parseToml(text), undefined));

  test('has dates, infinities and large numbers as strings', () =>
    assert.deepEqual(parseToml('a = 1979-05-27\nb = inf\nc = 9007199254740993\n'), {
      a: '1979-05-27',
      b: 'Infinity',
      c: '9007199254740993',
    }));

  test('can have keys that every object inherits', () => {
    const table = parseToml('[__proto__]\nbuild = "x"\n[constructor]\na = 1\n') ?? {};
    assert.deepEqual(tableAt(table, 'package'), {});
    assert.deepEqual(tableAt({}, 'constructor'), {});
    assert.deepEqual(tableAt(table, 'constructor'), { a: 1 });
    assert.deepEqual(without({ a: 1, b: 2 }, new Set(['a'])), { b: 2 });
  });
});
