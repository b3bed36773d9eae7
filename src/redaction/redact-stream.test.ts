import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { RedactedStream } from './redact-stream.ts';
import { Redactor } from './redactor.ts';

const SECRET = 'correct-horse-battery-staple';
const forge = `ghp_${'a1B2'.repeat(9)}`;
const key = [
  '-----BEGIN RSA PRIVATE KEY-----',
  ...Array.from({ length: 12 }, (_, line) => `MIIEowIBAAKCAQEA${'abcd'.repeat(11)}${line % 10}`),
  '-----END RSA PRIVATE KEY-----',
].join('\n');

async function redact(bytes: Buffer, cuts: readonly number[]): Promise<Buffer> {
  const written: Uint8Array[] = [];
  const stream = new RedactedStream(new Redactor([SECRET]), (part) => void written.push(part));
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  for (const [at, edge] of edges.entries()) void stream.push(bytes.subarray(edge, edges[at + 1]));
  await stream.end();
  return Buffer.concat(written);
}

const cuts = fc.array(fc.nat(2000), { maxLength: 12 });

describe('output on its way to storage', () => {
  const cases: [why: string, text: string, kept: string][] = [
    ['case 17: loses what is known to be secret', `a ${SECRET} b\n`, 'a [redacted] b\n'],
    ['loses a GitHub token', `push ${forge} now\nmore\n`, 'push [redacted] now\nmore\n'],
    ['loses a token at its very end too', `push ${forge}`, 'push [redacted]'],
    [
      'ignores comments that disable the search',
      `// secretlint-disable\n${forge} !\n`,
      '// secretlint-disable\n[redacted] !\n',
    ],
    ['is otherwise unchanged', 'wrote 429 lines\nä €\n', 'wrote 429 lines\nä €\n'],
  ];
  for (const [why, text, kept] of cases)
    test(`${why}, however it is cut`, () =>
      fc.assert(
        fc.asyncProperty(cuts, async (places) =>
          assert.equal((await redact(Buffer.from(text), places)).toString(), kept),
        ),
        { numRuns: 25 },
      ));

  test('loses a private key of several lines, however it is cut', () =>
    fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const clean = (await redact(Buffer.from(`before\n${key}\nafter\n`), places)).toString();
        assert.doesNotMatch(clean, /MIIEow/);
        assert.match(clean, /^before\n/);
        assert.match(clean, /after\n$/);
      }),
      { numRuns: 25 },
    ));

  test('case 17: loses a private key that is cut in two at any place', async () => {
    const text = Buffer.from(`before\n${key}\nafter\n`);
    for (let cut = 0; cut <= text.length; cut += 1)
      assert.equal((await redact(text, [cut])).toString(), 'before\n[redacted]\nafter\n', `${cut}`);
  });

  test('keeps bytes that are not text, in their order', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), cuts, async (noise, places) => {
        const bytes = Buffer.from(noise);
        assert.deepEqual(await redact(bytes, places), bytes);
      }),
    ));

  test('forwards text without any sign of a secret at once, up to the last word', () => {
    const written: string[] = [];
    const stream = new RedactedStream(new Redactor([SECRET]), (part) => {
      written.push(Buffer.from(part).toString());
      return undefined;
    });
    assert.equal(stream.push(Buffer.from('one line\nand a beg')), undefined);
    assert.deepEqual(written, ['one line\nand a ']);
  });
});
