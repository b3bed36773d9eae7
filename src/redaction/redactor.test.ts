import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { Redactor } from './redactor.ts';

const SECRET = 'sk-Live/9+äx "quoted" end';

function inChunks(redactor: Redactor, bytes: Buffer, cuts: readonly number[]): Buffer {
  const stream = redactor.stream();
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  const parts = edges.map((edge, at) => stream.push(bytes.subarray(edge, edges[at + 1])));
  return Buffer.concat([...parts, stream.end()]);
}

/** How programs encode a value. `reads` decodes it again if it was not redacted. */
const WRITINGS: readonly [
  name: string,
  write: (value: string, before: string, behind: string) => string,
][] = [
  ['as it is', (value, before, behind) => before + value + behind],
  ['in JSON', (value, before, behind) => JSON.stringify({ before, value, behind })],
  ['in a URL', (value, before, behind) => before + encodeURIComponent(value) + behind],
  [
    'in a form',
    (value, before, behind) => before + new URLSearchParams({ value }).toString() + behind,
  ],
  ['in hex', (value, before, behind) => before + Buffer.from(value).toString('hex') + behind],
  [
    'in capital hex',
    (value, before, behind) => before + Buffer.from(value).toString('hex').toUpperCase() + behind,
  ],
  [
    'in base64, with its neighbours',
    (value, before, behind) => Buffer.from(before + value + behind).toString('base64'),
  ],
  [
    'in base64 for URLs, with its neighbours',
    (value, before, behind) => Buffer.from(before + value + behind).toString('base64url'),
  ],
];

/** True if a search finds the value in any of the encodings. */
function reveals(text: string, value: string): boolean {
  const bytes = Buffer.from(text, 'utf8');
  const plain = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  const hex = Buffer.from(value).toString('hex');
  return (
    [...plain, hex, hex.toUpperCase(), new URLSearchParams({ value }).toString()].some((form) =>
      text.includes(form),
    ) ||
    [0, 1, 2, 3].some((skip) =>
      Buffer.from(bytes.subarray(skip).toString('latin1'), 'base64').includes(value),
    )
  );
}

const secret = fc
  .string({ unit: 'grapheme', minLength: 8, maxLength: 60 })
  .filter(
    (value) => Buffer.byteLength(value) >= 8 && value.isWellFormed() && !/[\r\n]/.test(value),
  );
const around = fc.string({ unit: fc.constantFrom('a', 'Z', '7', ' ', '.', '-') });

describe('a known secret', () => {
  for (const [name, write] of WRITINGS)
    test(`case 17: written ${name} never survives, however the text is cut`, () => {
      fc.assert(
        fc.property(
          secret,
          around,
          around,
          fc.array(fc.nat(400), { maxLength: 8 }),
          (value, before, behind, cuts) => {
            const text = write(value, before, behind);
            assert.ok(reveals(text, value), `not even before: ${text}`);
            const clean = inChunks(new Redactor([value]), Buffer.from(text), cuts).toString();
            assert.ok(!reveals(clean, value), `still there: ${clean}`);
          },
        ),
        { numRuns: 150 },
      );
    });

  test('leaves the surrounding text unchanged', () => {
    const redactor = new Redactor([SECRET, 'another-one']);
    assert.equal(
      redactor.text(`a ${SECRET} b another-one c ${SECRET}${SECRET} d`),
      'a [redacted] b [redacted] c [redacted] d',
    );
  });

  test('is found if two overlap, and if one contains another', () => {
    const redactor = new Redactor(['abcdefgh', 'efghijkl', 'cdefgh']);
    assert.equal(redactor.text('-abcdefghijkl-cdefgh-'), '-[redacted]-[redacted]-');
    assert.equal(new Redactor(['abcdefghij', 'cdefgh']).text('abcdefghi'), 'ab[redacted]i');
  });

  test('of several lines is found line by line', () => {
    const redactor = new Redactor(['-----BEGIN-----\nfirst-line\nsecond-line\n']);
    assert.equal(redactor.text('>first-line< >second-line<'), '>[redacted]< >[redacted]<');
  });

  test('that is too short is not redacted', () => {
    assert.equal(new Redactor(['', 'abc', 'true']).text('abc true'), 'abc true');
  });

  test('that is very long is found in pieces', () => {
    const long = Array.from({ length: 700 }, (_, at) => `word${at * 7919}`).join('.');
    const clean = new Redactor([long]).text(`<${long}>`);
    assert.equal(clean, '<[redacted]>');
  });
});

describe('text without secrets', () => {
  test('comes out byte for byte, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(300), { maxLength: 8 }),
        (noise, cuts) => {
          const bytes = Buffer.from(noise);
          fc.pre(!bytes.includes('k-Live'));
          assert.deepEqual(inChunks(new Redactor([SECRET]), bytes, cuts), bytes);
        },
      ),
    );
  });

  test('is the same string, lone surrogates and all', () => {
    const odd = 'a\ud800b\0c';
    assert.equal(new Redactor([SECRET]).text(odd), odd);
  });

  test('is held back only as long as it may still become a secret', () => {
    const stream = new Redactor(['secret-word']).stream();
    const parts = ['plain sec', 'ond secret-w', 'on'].map((part) =>
      Buffer.from(stream.push(Buffer.from(part))).toString(),
    );
    assert.deepEqual(parts, ['plain ', 'second ', 'secret-won']);
    assert.equal(stream.end().length, 0);
  });
});

describe('stored text', () => {
  const forge = `ghp_${'a1B2'.repeat(9)}`;
  const model = `sk-ant-api03-${'a'.repeat(93)}AA`;
  const cases: [why: string, text: string, kept: string][] = [
    ['has no known value', `x ${SECRET} y`, 'x [redacted] y'],
    ['has no GitHub token', `push ${forge} now`, 'push [redacted] now'],
    ['has no key of a model provider', `${model}, twice ${model}`, '[redacted], twice [redacted]'],
    ['is otherwise unchanged', 'a plain text, 429 and all', 'a plain text, 429 and all'],
    ['may be nothing', '', ''],
  ];
  for (const [why, text, kept] of cases)
    test(why, async () => assert.equal(await new Redactor([SECRET]).redact(text), kept));

  test('may be larger than one slice', async () => {
    const text = `${'word '.repeat(40_000)}${SECRET}${' word'.repeat(40_000)}`;
    const kept = await new Redactor([SECRET]).redact(text);
    assert.equal(kept, text.replace(SECRET, '[redacted]'));
  });
});
