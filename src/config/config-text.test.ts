import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { isRefusal } from '../base/errors.ts';
import { parseConfigText } from './load-settings.ts';

function readRefusal(text: string): string {
  try {
    parseConfigText(text, 'c.yaml');
  } catch (error) {
    if (isRefusal(error, 'config.invalid')) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('a text that is not a plain YAML document is refused with its place', () => {
  const cases: [why: string, text: string, message: string][] = [
    [
      'a key given twice',
      'limits:\n  attempts: 1\n  attempts: 2',
      '3:3: the key "attempts" is given twice, first in line 2',
    ],
    [
      'case 43: __proto__',
      'limits: {__proto__: {attempts: 1}}',
      '1:10: the key "__proto__" is not allowed',
    ],
    ['constructor', 'constructor: 1', '1:1: the key "constructor" is not allowed'],
    ['prototype in a note', 'x-a: {prototype: 1}', '1:7: the key "prototype" is not allowed'],
    [
      'a merge key',
      'limits: {<<: {attempts: 1}}',
      '1:10: the merge key "<<" is not supported: write out the keys',
    ],
    [
      'a key that is a number',
      '1: a',
      '1:1: a key must be text: quote it if it looks like a number',
    ],
    [
      'a key that is a list',
      '? [a]\n: 1',
      '1:3: a key must be text: quote it if it looks like a number',
    ],
    ['a tab', 'limits:\n\tattempts: 1', '2:1: a tab is used for indentation: use spaces'],
    [
      'an open quote',
      'default_agent: "claude',
      '1:23: something is missing here: a colon, a comma, a space, a closing quote or bracket',
    ],
    [
      'two colons',
      'a: b: c',
      '1:4: two colons in one line: put the value in quotes or on its own lines',
    ],
    [
      'a wrong indent',
      'limits:\n    attempts: 1\n  owner: 2',
      '3:1: the indentation does not match the lines above',
    ],
    ['a tag', 'limits: {attempts: !big 3}', '1:20: a tag (!name) is not supported here'],
    ['binary data', 'x-a: !!binary aGk=', '1:6: a tag (!name) is not supported here'],
    [
      'a second document',
      'version: 1\n---\nversion: 1',
      '2:1: a second document starts here; only one is allowed',
    ],
    [
      'an alias without an anchor',
      'default_agent: *who',
      '1:16: the alias "*who" has no anchor before it',
    ],
    [
      'a control character',
      'a: \u0007',
      '1:4: not plain UTF-8 text: it contains a control or broken character',
    ],
    [
      'bytes that are not UTF-8',
      'a: 1\nb: \uFFFD',
      '2:4: not plain UTF-8 text: it contains a control or broken character',
    ],
    [
      'a file that is too large',
      '#'.repeat(256_001),
      '1:1: too large: 256001 bytes; the limit is 256000',
    ],
  ];
  for (const [why, text, message] of cases) {
    test(why, () => assert.equal(readRefusal(text), `c.yaml:${message}`));
  }
});

describe('a hostile file is refused quickly', () => {
  const laughs = ['x-0: &a0 [x, x]'];
  for (let level = 1; level < 15; level += 1) {
    laughs.push(`x-${level}: &a${level} [${`*a${level - 1}, `.repeat(9)}]`);
  }
  const cases: [why: string, text: string, message: RegExp][] = [
    ['case 44: a billion laughs', laughs.join('\n'), /aliases used more than 50 times/],
    [
      'case 44: a wide anchor',
      `x-a: &a [${'1, '.repeat(9000)}]\nx-b: [*a, *a]`,
      /more than 10000 values/,
    ],
    ['case 44: an anchor inside itself', 'x-a: &a [*a]', /nested more than 20 deep/],
    ['21 levels', `x-a: ${'['.repeat(21)}${']'.repeat(21)}`, /nested more than 20 deep/],
    ['as many brackets as fit', '['.repeat(250_000), /nested more than 20 deep/],
    ['many closing brackets', ']'.repeat(50_000), /not expected here/],
    ['many dashes', '- '.repeat(25_000), /nested more than 20 deep/],
    ['as many dashes as fit', '- '.repeat(125_000), /more than 60000 marks/],
    ['as many keys as fit', 'a:\n'.repeat(80_000), /more than 60000 marks/],
    ['as many notes as fit', '#\n'.repeat(120_000), /more than 60000 marks/],
    [
      'many keys',
      Array.from({ length: 11_000 }, (_, n) => `k${n}: `).join('\n'),
      /more than 10000 values|and \d+ more/,
    ],
  ];
  for (const [why, text, message] of cases) {
    test(why, () => assert.match(readRefusal(text), message));
  }

  test('20 levels and 50 aliases are accepted', () => {
    parseConfigText(`x-a: ${'['.repeat(19)}${']'.repeat(19)}`, 'c.yaml');
    parseConfigText(`x-a: &a 1\nx-b: [${'*a, '.repeat(50)}]`, 'c.yaml');
  });

  const word = fc.constantFrom(
    ...'limits attempts agents id cli env x-a replace __proto__ << null 5 -0 0x1F 1e999'.split(' '),
    ...'.nan .inf 10s ~ true = @ ` [ ] { } " \\ # *a'.split(' '),
    ...": ¦:\n¦\n¦\n  ¦\n    ¦- ¦? ¦, ¦'¦\t¦\r\n¦\uFEFF¦\0¦&a ¦!t ¦!!str ¦!!int ¦!!binary ".split(
      '¦',
    ),
    ...'|\n¦>-\n¦---\n¦...\n¦%YAML 1.1\n'.split('¦'),
  );
  const part = fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: fc.string() });
  const anyText = fc.array(part, { maxLength: 200 }).map((parts) => parts.join('').slice(0, 2000));

  test('every text ends in a value or a refusal', () => {
    let accepted = 0;
    const count = (text: string): void => {
      if (readRefusal(text) === 'accepted') accepted += 1;
    };
    fc.assert(fc.property(anyText, count), { numRuns: 2000 });
    fc.assert(
      fc.property(
        anyText.map((text) => `x-a: ${text}`),
        count,
      ),
      { numRuns: 500 },
    );
    assert.ok(accepted > 0, 'no generated text is a valid file, so the test proves too little');
  });
});
