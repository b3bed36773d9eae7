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

async function through(bytes: Buffer, cuts: readonly number[]): Promise<Buffer> {
  const kept: Uint8Array[] = [];
  const stream = new RedactedStream(new Redactor([SECRET]), (part) => void kept.push(part));
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b)];
  for (const [at, edge] of edges.entries()) void stream.push(bytes.subarray(edge, edges[at + 1]));
  await stream.end();
  return Buffer.concat(kept);
}

const cuts = fc.array(fc.nat(2000), { maxLength: 12 });

describe('what is printed on its way to where it is kept', () => {
  const cases: [why: string, text: string, kept: string][] = [
    ['case 17: loses what is known to be secret', `a ${SECRET} b\n`, 'a [redacted] b\n'],
    ['loses the key of a forge', `push ${forge} now\nmore\n`, 'push [redacted] now\nmore\n'],
    ['loses it at its very end too', `push ${forge}`, 'push [redacted]'],
    [
      'can not be told to let it be',
      `// secretlint-disable\n${forge} !\n`,
      '// secretlint-disable\n[redacted] !\n',
    ],
    ['is else as it came', 'wrote 429 lines\nä €\n', 'wrote 429 lines\nä €\n'],
  ];
  for (const [why, text, kept] of cases)
    test(`${why}, however it is cut`, () =>
      fc.assert(
        fc.asyncProperty(cuts, async (places) =>
          assert.equal((await through(Buffer.from(text), places)).toString(), kept),
        ),
        { numRuns: 25 },
      ));

  test('loses a private key of many lines, however it is cut', () =>
    fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const clean = (await through(Buffer.from(`before\n${key}\nafter\n`), places)).toString();
        assert.doesNotMatch(clean, /MIIEow/);
        assert.match(clean, /^before\n/);
        assert.match(clean, /after\n$/);
      }),
      { numRuns: 25 },
    ));

  test('case 17: loses it also when it is cut in two at any place', async () => {
    const text = Buffer.from(`before\n${key}\nafter\n`);
    for (let cut = 0; cut <= text.length; cut += 1)
      assert.equal(
        (await through(text, [cut])).toString(),
        'before\n[redacted]\nafter\n',
        `${cut}`,
      );
  });

  test('keeps bytes that are no text, in their order', () =>
    fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), cuts, async (noise, places) => {
        const bytes = Buffer.from(noise);
        assert.deepEqual(await through(bytes, places), bytes);
      }),
    ));

  test('hands on at once what has no sign of a secret, up to the last word', () => {
    const kept: string[] = [];
    const stream = new RedactedStream(new Redactor([SECRET]), (part) => {
      kept.push(Buffer.from(part).toString());
      return undefined;
    });
    assert.equal(stream.push(Buffer.from('one line\nand a beg')), undefined);
    assert.deepEqual(kept, ['one line\nand a ']);
  });
});
