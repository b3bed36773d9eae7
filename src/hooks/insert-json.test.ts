import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { insertJson, removeJson } from './insert-json.ts';

const PATH = ['hooks', 'PostToolUse'];
const VALUE = { matcher: '*', hooks: [{ type: 'command', command: 'ours' }] };
const MARK = '"ours"';

/** With comments removed. */
function plain(text: string): unknown {
  const bare = text
    .replaceAll(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (one) =>
      one.startsWith('"') ? one : '',
    )
    .replaceAll(/,(\s*[}\]])/g, '$1');
  return JSON.parse(bare);
}

const TEXTS: [why: string, text: string][] = [
  ['an empty object', '{}\n'],
  ['an empty object on two lines', '{\n}\n'],
  ['an object with a comment only', '{\n  // nothing yet\n}\n'],
  ['other settings', '{\n  "model": "opus",\n  "env": {"A": "b"}\n}\n'],
  ['settings on one line', '{"model":"opus","env":{"A":"b"}}'],
  ['tabs and Windows line ends', '{\r\n\t"model": "opus"\r\n}\r\n'],
  ['a trailing comma', '{\n    "model": "opus",\n}\n'],
  [
    'comments everywhere',
    '// top\n{\n  /* a, b */ "model": "opus" // why\n  , // odd\n}\n// end\n',
  ],
  ['other hooks', '{\n  "hooks": {\n    "Stop": []\n  },\n  "model": "opus"\n}\n'],
  ['an empty list', '{"hooks": {"PostToolUse": []}}'],
  [
    'hooks of the same event',
    '{\n  "hooks": {\n    "PostToolUse": [\n      {"matcher": "Edit", "hooks": []} // mine\n    ]\n  }\n}\n',
  ],
  ['text that looks like JSON', '{"note": "{ \\"hooks\\": [] } // no comment, really"}'],
  ['a byte order mark', '\uFEFF{"a": 1}'],
];

describe('a value is added to JSON', () => {
  for (const [why, text] of TEXTS) {
    test(`and ${why} is restored byte for byte`, () => {
      const inserted = insertJson(text, PATH, VALUE);
      assert.ok(inserted !== undefined);
      assert.equal(removeJson(inserted.text, inserted.piece, PATH, MARK), text);
    });

    test(`and ${why} keeps its values`, () => {
      const read = (one: string): Record<string, unknown> =>
        plain(one.replace('\uFEFF', '')) as Record<string, unknown>;
      const before = read(text);
      const after = read(insertJson(text, PATH, VALUE)?.text ?? '');
      const hooks = (before['hooks'] ?? {}) as Record<string, unknown[]>;
      const added = [...(hooks['PostToolUse'] ?? []), VALUE];
      assert.deepEqual(after, { ...before, hooks: { ...hooks, PostToolUse: added } });
    });
  }

  test('and looks like the rest of the file', () => {
    assert.equal(
      insertJson('{\n    "model": "opus"\n}\n', PATH, 'x')?.text,
      '{\n    "model": "opus",\n    "hooks": {\n        "PostToolUse": [\n            "x"\n        ]\n    }\n}\n',
    );
  });

  const bad: [why: string, text: string][] = [
    ['no JSON', 'model = "opus"'],
    ['an open bracket', '{"a": 1'],
    ['two values', '{} {}'],
    ['a list', '[]'],
    ['hooks that are no object', '{"hooks": []}'],
    ['an event that is no list', '{"hooks": {"PostToolUse": {}}}'],
    ['nothing', ''],
    ['very deep lists', '['.repeat(200) + ']'.repeat(200)],
  ];
  for (const [why, text] of bad)
    test(`but not to ${why}`, () => assert.equal(insertJson(text, PATH, VALUE), undefined));

  test('whatever the settings are', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(undefined, 1, 2, 4, '\t'),
        (settings, indent) => {
          const { hooks: _, ...rest } = settings;
          const text = JSON.stringify(rest, null, indent);
          const inserted = insertJson(text, PATH, VALUE);
          assert.ok(inserted !== undefined);
          assert.deepEqual(JSON.parse(inserted.text), {
            ...JSON.parse(text),
            hooks: { PostToolUse: [VALUE] },
          });
          assert.equal(removeJson(inserted.text, inserted.piece, PATH, MARK), text);
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a value is taken out of JSON that was changed since', () => {
  const installed = (text: string) => insertJson(text, PATH, VALUE) ?? { text: '', piece: '' };
  const cases: [why: string, change: (text: string) => string, expected: string][] = [
    [
      'more settings after it',
      (text) => text.replace(/\n\}\n$/, ',\n  "theme": "dark"\n}\n'),
      '{\n  "model": "opus",\n  "theme": "dark"\n}\n',
    ],
    [
      'the setting before it is gone',
      (text) => text.replace('\n  "model": "opus",', ''),
      '{\n  "hooks": {\n    "PostToolUse": [\n      \n    ]\n  }\n}\n',
    ],
  ];
  for (const [why, change, expected] of cases)
    test(why, () => {
      const { text, piece } = installed('{\n  "model": "opus"\n}\n');
      assert.equal(removeJson(change(text), piece, PATH, MARK), expected);
    });

  test('written again by its program, between two others and with comments', () => {
    const text = '{"hooks":{"PostToolUse":[1 /* one */, {"a":"ours"}, /* two */ 2]}}';
    assert.equal(
      removeJson(text, 'gone', PATH, MARK),
      '{"hooks":{"PostToolUse":[1 /* one */ , /* two */ 2]}}',
    );
    assert.equal(removeJson('{"hooks":{}}', 'gone', PATH, MARK), undefined);
  });
});
