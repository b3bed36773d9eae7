import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { javascriptImports, loadJavaScript } from './javascript-imports.ts';
import { isTooDeep } from './nesting.ts';

const LENGTH = 200_000;
const repeated = (text: string): string => text.repeat(Math.floor(LENGTH / text.length));

describe('a text that a parser would have no stack for', () => {
  const deep = [
    ...['(', '[', '{', '`${', '(a:', 'a=>', '()=>', 'new ', 'new\n', 'a?', 'a?b:', 'a?(b,c):'],
    ...['x:', 'x:\n', 'a=', 'a=\n', 'a=//\n', 'a=/**/\n', 'a\n?b\n:', 'a\n//\n?b\n//\n:'],
    ...[
      'a /*\n x\n y\n*/ = ',
      'function a(){',
      'class a{b(){',
      '<a>',
      'a!',
      'if(a)',
      '`\n// ${',
      'export ',
      'export\n',
    ],
  ];
  for (const text of deep)
    test(`is found: ${JSON.stringify(text)}`, () => assert.ok(isTooDeep(repeated(text))));

  const flat = [
    ...['a(b);', 'a = b;\n', 'a = b\n', 'x: 1,\n', 'if (a) { b() }\n', '// a = b ? c : d\n'],
    ...['const a = (b) => b ? 1 : 2\n', 'f(a, [b], {c: d})\n', "import a from './a'\n"],
    ...['/** Text: with a - and a = b */\na.b = c\n', '/**\n * a: b - c\n */\na.b = c\n'],
  ];
  for (const text of flat)
    test(`is none of: ${JSON.stringify(text)}`, () => assert.ok(!isTooDeep(repeated(text))));

  test('is no program, and ends no process', async () => {
    const parse = await loadJavaScript();
    const text = `import './a.ts';\n${repeated('(')}`;
    assert.deepEqual(javascriptImports(parse, 'b.ts', text), []);
    const { errors } = parse('b.ts', text);
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['It is nested too deeply.'],
    );
  });
});
