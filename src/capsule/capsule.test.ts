import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { escapeHtml } from '../base/escape-html.ts';
import { runEvent } from '../../test/support/run-event.ts';
import { runViewFixture } from '../../test/support/run-view-fixture.ts';
import type { CapsuleFact } from './capsule.ts';
import { sealCapsule } from './capsule.ts';
import { capsuleContent } from './collect-content.ts';
import { readCapsule } from './read-capsule.ts';
import { DATA_BEGIN, renderCapsule } from './render-capsule.ts';

const RUN = '3f2a91c04b';
const VERSION = '1.2.3';

function fact(seq: number, task: string): CapsuleFact {
  const settings = {};
  const submitted = { program: 'attempts', task, project: '/home/me/shop', settings };
  const body = runEvent({ type: 'run.submitted', payload: submitted });
  return { id: seq, stream: `run/${RUN}`, seq, v: 1, at: seq * 1000, ...body };
}

const factText = ({ payload }: { readonly payload: unknown }): string => JSON.stringify(payload);

function made(
  text: string,
  events = [fact(1, text), fact(2, text)],
  more: { readonly leftOut?: number; readonly text?: string } = {},
): string {
  const view = runViewFixture({ id: RUN, task: text, agent: text });
  const evidence = [{ source: text, line: text, rule: '' }];
  const why = {
    run: RUN,
    state: 'queued',
    chain: [{ at: 0, what: text, evidence }],
    applied: null,
    undelivered: [],
    next: null,
  } as const;
  const diff = `diff --git a/${text} b/${text}\n--- a/x\n+++ b/${text}\n@@ -1 +1 @@\n+${text}\n`;
  const row = { view, reason: text, applied: null };
  const parts = {
    row,
    why: { ...why, chain: [...why.chain], undelivered: [] },
    events,
    diff: { text: diff, files: [], leftOut: 0, ...more },
    version: VERSION,
    now: 9000,
  };
  return renderCapsule(sealCapsule(capsuleContent(parts)), factText);
}

function problems(html: string): readonly string[] | string {
  const check = readCapsule(html, VERSION, factText);
  return check.kind === 'capsule' ? check.problems : check.kind;
}

const changes: readonly [
  why: string,
  change: (html: string) => string,
  found: readonly string[] | string,
][] = [
  ['nothing', (html) => html, []],
  [
    'what the page shows',
    (html) => html.replace('<h1>Fix it', '<h1>Drop it'),
    ['The page does not show what its facts say: its text was changed.'],
  ],
  [
    'something behind the page',
    (html) => `${html}<p>more</p>`,
    ['The page does not show what its facts say: its text was changed.'],
  ],
  ['the data, cut off', (html) => html.slice(0, html.indexOf(DATA_BEGIN) + 50), 'no-capsule'],
  ['another page', () => '<html></html>', 'no-capsule'],
];

describe('a capsule', () => {
  for (const [why, change, found] of changes)
    test(`shows a change of ${why}`, () =>
      assert.deepEqual(problems(change(made('Fix it'))), found));

  test('shows a changed, a removed and a moved fact', () => {
    const html = made(
      'Fix it',
      [1, 2, 3].map((seq) => fact(seq, 'Fix it')),
    );
    const edited = html.replace('"seq":2,"v":1,"at":2000', '"seq":2,"v":1,"at":2001');
    assert.match(String(problems(edited)), /^Fact 2 does not have its hash\./);
    const begin = html.indexOf(DATA_BEGIN) + DATA_BEGIN.length;
    const data = JSON.parse(html.slice(begin, html.lastIndexOf('</script>'))) as {
      content: { events: unknown[] };
    };
    const rebuilt = (events: unknown[]): string =>
      html.slice(0, begin) +
      JSON.stringify({ ...data, content: { ...data.content, events } }).replaceAll(
        '<',
        String.raw`\u003c`,
      ) +
      html.slice(html.lastIndexOf('</script>'));
    const [one, two, three] = data.content.events;
    assert.match(String(problems(rebuilt([one, three]))), /There are 2 facts and 3 hashes/);
    assert.match(String(problems(rebuilt([two, one, three]))), /is not in its place/);
  });

  test('of another version is checked by its hashes alone, and says so', () => {
    const check = readCapsule(made('Fix it'), '9.9.9', factText);
    assert.equal(
      check.kind === 'capsule' && check.isOtherVersion && check.problems.length === 0,
      true,
    );
  });

  test('keeps the newest facts within its bound, and counts the others', () => {
    const many = Array.from({ length: 5003 }, (_, nth) => fact(nth + 1, 'x'));
    const html = made('x', many);
    assert.match(html, /The first 3 facts are left out\./);
    assert.deepEqual(problems(html), []);
  });

  test('says what its diff leaves out', () => {
    const html = made('x', [], { leftOut: 2, text: 'x'.repeat(2_000_001) });
    assert.match(
      html,
      /not in the diff<\/td><td>2 of 0 files, which are too large; what follows its first 2000000 characters/,
    );
    assert.deepEqual(problems(html), []);
  });

  test('with more facts than Supervisor writes is none', () => {
    const html = made('x');
    const begin = html.indexOf(DATA_BEGIN) + DATA_BEGIN.length;
    const data = JSON.parse(html.slice(begin, html.lastIndexOf('</script>'))) as {
      content: { events: unknown[] };
    };
    const events = Array.from({ length: 5001 }, (_, nth) => fact(nth + 1, 'x'));
    const hostile = JSON.stringify({ ...data, content: { ...data.content, events } });
    assert.equal(
      problems(html.slice(0, begin) + hostile + html.slice(html.lastIndexOf('</script>'))),
      'no-capsule',
    );
  });

  const HOSTILE = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.constantFrom(
      '</script><script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "'--><svg onload=alert(1)>",
      '<!--<script>',
      ']]></style><script>alert(1)</script>',
      '&lt;script&gt;',
      '\u202Egnp\u001B[2J',
    ),
  );
  test('runs nothing and stays whole, whatever names, output and diffs contain', () => {
    const harmless = made('x');
    const tags = (html: string): number =>
      html.slice(0, html.indexOf(DATA_BEGIN)).split('<script').length;
    fc.assert(
      fc.property(HOSTILE, (text) => {
        const html = made(text);
        assert.equal(tags(html), tags(harmless));
        assert.equal(html.split('</script').length, 2);
        const page = html.slice(0, html.indexOf(DATA_BEGIN));
        // Every tag is one of the page, and none has a handler or an address.
        assert.doesNotMatch(page.replaceAll(/<[^>]*>/g, ''), /[<>]/);
        for (const [tag] of page.matchAll(/<[^>]*>/g))
          assert.doesNotMatch(tag, /\son\w+=|src=|href=/);
        assert.deepEqual(problems(html), []);
      }),
      { numRuns: 100 },
    );
    assert.match(made('<b>'), new RegExp(escapeHtml('<b>')));
  });
});
