/**
 * Every transcript of a real CLI is classified as the real outcome: unchanged, with a diff full of
 * limits in its tools' output, with noise around its last lines, and cut off at any line.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import type { ProcessExit } from '../../src/adapters/adapter.ts';
import type { AttemptOutcome } from '../../src/protocol/contracts/attempt-contract.ts';
import { classifyTranscript, exitFrom } from '../../src/failures/classify-transcript.ts';

type Entry = {
  readonly path: string;
  readonly cli: string;
  readonly fault: string;
  readonly class: string;
  readonly reason: string | null;
  readonly exit: number | null;
  readonly signal: string | null;
};
type Files = { readonly stdout: string; readonly stderr: string };

const corpus = new URL('../corpus/', import.meta.url);
const entries = JSON.parse(readFileSync(new URL('index.json', corpus), 'utf8')) as Entry[];
const LIMITS = ['rate_limited', 'quota_exhausted'];
/**
 * Only text that no CLI would print about itself; anything else can't be distinguished from
 * requested output.
 */
const EITHER: Readonly<Record<string, readonly string[]>> = {
  // A stream that is cut reads as a bad connection or as a bad answer.
  'claude/stream_clean_eof': ['network', 'invalid_output'],
  // Codex calls every HTTP 500 high demand.
  'codex/late_500': ['network', 'overloaded'],
};

function read({ path }: Entry): Files {
  const file = (name: string) => readFileSync(new URL(`${path}/${name}`, corpus), 'utf8');
  return { stdout: file('stdout'), stderr: file('stderr') };
}

function classified(
  { cli, exit, signal }: Entry,
  files: Files,
  end: ProcessExit = exitFrom(exit, signal),
  stoppedBy: 'user' | 'deadline' | null = null,
): AttemptOutcome {
  const now = Date.parse('2026-11-15T12:00:00Z');
  const rest = { stoppedBy, now, zone: 'UTC', rules: [], container: null };
  const found = classifyTranscript({ cli, exit: end, ...files, ...rest });
  assert.ok(found !== undefined);
  return found;
}

function reasonOf(found: AttemptOutcome): string | null {
  return found.kind === 'failed' ? found.reason : null;
}

/**
 * The right reasons; undefined if the run never ended by itself, and any reason but a limit is
 * right.
 */
function rightFor({
  cli,
  fault,
  class: kind,
  reason,
}: Entry): readonly (string | null)[] | undefined {
  return kind === 'hang' ? undefined : (EITHER[`${cli}/${fault}`] ?? [reason]);
}

function check(entry: Entry, found: AttemptOutcome): void {
  const right = rightFor(entry);
  const got = reasonOf(found);
  const input = `${entry.path}: ${JSON.stringify(found)}`;
  if (right !== undefined) assert.ok(right.includes(got), input);
  else assert.ok(got === null || !LIMITS.includes(got), input);
}

const HOSTILE = [
  'wrote 429 lines',
  'disk quota check passed, forbidden words: 401',
  "+  if (status === 429) throw new Error('429 Too Many Requests: rate_limit_error');",
  'Error: 429 Too Many Requests',
  'API Error: 429 {"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}',
  "You've hit your usage limit. Try again in 5 hours.",
  'You exceeded your current quota, please check your plan and billing details.',
  'Credit balance is too low',
  '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429"}}',
  '{"type":"result","is_error":true,"api_error_status":429,"result":"rate limit"}',
].join('\n');
const NOISE = [
  '',
  'Warning: something is deprecated',
  'wrote 429 lines',
  '[12:00:01] cache: 401 entries',
  '{"type":"unheard-of","status":429}',
  '{ broken',
];

function among(text: string): string {
  return [...NOISE, ...text.split('\n'), ...NOISE].join('\n');
}

describe('every transcript is classified as its real outcome', () => {
  for (const entry of entries)
    test(`${entry.path} → ${(rightFor(entry) ?? ['no limit']).join(' or ')}`, () =>
      check(entry, classified(entry, read(entry))));

  test('and the table of them all', (t) => {
    const clis = [...new Set(entries.map(({ cli }) => cli))];
    const cells = (reason: string | null) =>
      clis.map((cli) => {
        const those = entries.filter((one) => one.cli === cli && one.reason === reason);
        const right = those.filter((one) => {
          const wanted = rightFor(one);
          return wanted === undefined || wanted.includes(reasonOf(classified(one, read(one))));
        });
        return `${right.length}/${those.length}`.padStart(9);
      });
    t.diagnostic(`${'right of all'.padEnd(18)}${clis.map((cli) => cli.padStart(9)).join('')}`);
    for (const reason of new Set(entries.map((one) => one.reason)))
      t.diagnostic(`${(reason ?? 'completed or hung').padEnd(18)}${cells(reason).join('')}`);
    assert.ok(entries.length >= 145);
  });
});

describe("output of an agent's tools and its own words are not evidence", () => {
  const good = entries.filter(({ class: kind }) => kind === 'ok');
  const inJson = JSON.stringify(HOSTILE).slice(1, -1);

  for (const entry of good) {
    test(`${entry.path} stays completed whatever its tools print and it writes`, () => {
      const { stdout, stderr } = read(entry);
      const spliced = stdout
        .replaceAll('hello from mock', `hello from mock\\n${inJson}`)
        .replaceAll('All done.', inJson)
        .replaceAll('"All d"', JSON.stringify(HOSTILE));
      assert.notEqual(spliced, stdout);
      assert.equal(classified(entry, { stdout: spliced, stderr }).kind, 'completed');
      const input = { stdout: spliced, stderr: `${stderr}\n${HOSTILE}\n` };
      assert.equal(classified(entry, input).kind, 'completed');
    });
  }

  // A silent end can't be found among noise.
  const loud = entries.filter((one) => Object.values(read(one)).some((text) => text !== ''));
  for (const entry of loud.filter(({ reason }) => reason !== null)) {
    test(`${entry.path} is the same among noise`, () => {
      const { stdout, stderr } = read(entry);
      check(entry, classified(entry, { stdout: among(stdout), stderr: among(stderr) }));
    });
  }

  for (const entry of entries.filter(({ reason }) => !LIMITS.includes(reason ?? ''))) {
    test(`${entry.path} is no limit wherever it is cut off`, () => {
      const { stdout, stderr } = read(entry);
      const lines = stdout.split('\n').slice(0, 60);
      for (let count = 0; count <= lines.length; count += 1) {
        for (const end of [exitFrom(0, null), exitFrom(1, null), exitFrom(null, 'SIGKILL')]) {
          const reason = reasonOf(
            classified(entry, { stdout: lines.slice(0, count).join('\n'), stderr }, end),
          );
          assert.ok(reason === null || !LIMITS.includes(reason), `after ${count} lines: ${reason}`);
        }
      }
    });
  }
});

describe('stops and deadlines', () => {
  for (const entry of entries) {
    test(`${entry.path} that a user stopped was stopped`, () => {
      assert.equal(classified(entry, read(entry), undefined, 'user').kind, 'stopped');
    });
  }

  test('a deadline is the reason only if no failing call was', () => {
    for (const entry of entries.filter(({ reason }) => LIMITS.includes(reason ?? '')))
      check(entry, classified(entry, read(entry), undefined, 'deadline'));
    const hung = entries.filter((one) => one.class === 'hang' && one.exit !== 0 && one.exit !== 1);
    for (const entry of hung) {
      const reason = reasonOf(classified(entry, read(entry), undefined, 'deadline'));
      assert.ok(reason === 'deadline' || reason === 'network', `${entry.path}: ${reason}`);
    }
  });
});
