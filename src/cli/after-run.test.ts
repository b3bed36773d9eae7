import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../base/random.ts';
import { Client } from '../client/client.ts';
import type { RunOutcome } from '../protocol/outcome.ts';
import { ManualClock } from '../testing/fakes/manual-clock.ts';
import { afterRun } from './after-run.ts';
import type { CliContext } from './cli-context.ts';

const RUN = 'a000000000';
const applied = { commit: 'c', files: 2, merged: 0, branch: null, made: null };
const refused = { error: { code: 'workspace.needs-approval', message: 'Not without you.' } };
const approvals = [
  { path: '.envrc', needs: 'executing', why: 'run by the shell' },
  { path: '.supervisor/config.yaml', needs: 'settings', why: 'a setting' },
];
const notThere = { error: { code: 'workspace.not-found', message: 'Nothing is kept.' } };

/** An owner that has one gate on record and says this to an apply. */
function ownerWith(restored: readonly string[], answer: object, status = 200, more: object = {}) {
  const calls: string[] = [];
  const end = { kind: 'done', result: { kind: 'passed', name: 't', restored, ...more } };
  const head = { id: 1, stream: `run/${RUN}`, seq: 1, v: 1, at: 0 };
  const gate = { ...head, type: 'command.ended', payload: { key: 'gate-1-0', end } };
  const keys: (string | undefined)[] = [];
  const client = new Client(async (path, { method, key }) => {
    calls.push(method);
    if (path.endsWith('/apply')) keys.push(key);
    return path.endsWith('/apply')
      ? Response.json(answer, { status })
      : Response.json(
          path.includes('/events')
            ? [gate]
            : { commit: 'c', text: '', leftOut: 0, files: [], approvals },
        );
  });
  return { client, keys, applies: () => calls.filter((method) => method === 'POST').length };
}

function contextThat(show: (text: string) => void): CliContext {
  return {
    out: show,
    err: show,
    stdin: () => Promise.resolve(''),
    terminal: { isTty: false, width: 80, colour: false },
    cwd: '/',
    env: {},
    clock: new ManualClock(),
    luck: seededRandom(1),
    pid: 1,
    node: 'node',
    ownerCommand: ['false'],
    version: '1.2.3',
    onInterrupt: () => () => {},
  };
}

describe('after the end', () => {
  type Row = [
    why: string,
    outcome: RunOutcome['kind'],
    flags: { apply?: boolean; requireGate?: boolean },
    code: number,
    said: RegExp,
    owner?: ReturnType<typeof ownerWith>,
  ];
  const cases: Row[] = [
    ['proven work is not applied unasked', 'succeeded', {}, 0, /^$/],
    [
      'proven work is applied',
      'succeeded',
      { apply: true },
      0,
      /^applied 2 files to the project\n$/,
    ],
    ['unproven work is well enough where nobody asks', 'unverified', {}, 0, /^$/],
    [
      'unproven work is no success where a gate is required',
      'unverified',
      { requireGate: true },
      3,
      /^$/,
    ],
    [
      'unproven work is not applied, and says how it can be',
      'unverified',
      { apply: true },
      3,
      /^not applied: no gate has checked it\..*supervisor apply a000000000\n$/s,
    ],
    ['a failure stays one', 'failed', { apply: true, requireGate: true }, 1, /^$/],
    ['a stop stays one', 'cancelled', { apply: true, requireGate: true }, 130, /^$/],
    [
      'work that changes its own checks is not applied unseen',
      'succeeded',
      { apply: true },
      3,
      /^not applied: it also changes what checks it: package\.json\./,
      ownerWith(['package.json'], applied),
    ],
    [
      'H5: a gate that is not protected is no proof',
      'succeeded',
      { apply: true },
      3,
      /^not applied: gate t is not protected: it starts bazel\. Say --accept-unprotected/,
      ownerWith([], applied, 200, { unprotected: ['it starts bazel'] }),
    ],
    [
      'H5: unless the user counts it as one',
      'succeeded',
      { apply: true },
      0,
      /^applied 2 files to the project\n$/,
      ownerWith([], applied, 200, { unprotected: ['it starts bazel'], accepted: true }),
    ],
    [
      'H6: work that changes what runs by itself is not applied, and is listed',
      'succeeded',
      { apply: true },
      3,
      /^not applied: a person.*\.envrc: run by the shell.*--include-executing --include-settings/s,
      ownerWith([], refused, 409),
    ],
    [
      'work that was done in the project needs no applying',
      'succeeded',
      { apply: true },
      0,
      /worked in the project itself/,
      ownerWith([], notThere, 404),
    ],
  ];
  for (const [why, kind, flags, code, said, owner = ownerWith([], applied)] of cases)
    test(why, async () => {
      let shown = '';
      const context = contextThat((text) => (shown += text));
      const wishes = { apply: false, requireGate: false, json: false, ...flags };
      const outcome = { kind, reason: '' };
      assert.equal(await afterRun(context, owner.client, RUN, outcome, wishes), code);
      assert.match(shown, said);
      const isApplied = /^applied|worked in|a person has/.test(shown);
      assert.equal(owner.applies(), isApplied ? 1 : 0);
    });
});

test('the key of an apply follows from the key of its run, and is a legal one', async () => {
  const seen = new Set<string | undefined>();
  const long = 'k'.repeat(199);
  for (const key of ['k', 'k'.repeat(194), 'k'.repeat(195), `${long}1`, `${long}2`]) {
    const owner = ownerWith([], applied);
    const wishes = { apply: true, requireGate: false, json: true, idempotencyKey: key };
    const outcome = { kind: 'succeeded', reason: '' } as const;
    for (let times = 0; times < 2; times += 1)
      await afterRun(
        contextThat(() => undefined),
        owner.client,
        RUN,
        outcome,
        wishes,
      );
    const [first, second] = owner.keys;
    assert.equal(first, second);
    assert.ok(first !== undefined && first !== key && first.length <= 200, first);
    seen.add(first);
  }
  assert.equal(seen.size, 5);
});
