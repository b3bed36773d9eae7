import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seededRandom } from '../../base/random.ts';
import { Client } from '../../client/client.ts';
import type { RunOutcome } from '../../protocol/outcome.ts';
import { ManualClock } from '../../testing/fakes/manual-clock.ts';
import { afterRun } from './after-run.ts';
import type { CliContext } from '../cli-context.ts';

const RUN = 'a000000000';
const applied = { commit: 'c', files: 2, merged: 0, branch: null, made: null, onto: null };
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
  const gate = {
    ...head,
    type: 'command.ended',
    payload: { key: 'gate-1-0', command: 'gate', end },
  };
  const keys: (string | undefined)[] = [];
  const client = new Client(async (path, { method, key }) => {
    calls.push(method);
    if (path.endsWith('/apply')) keys.push(key);
    return path.endsWith('/apply')
      ? Response.json(answer, { status })
      : Response.json(
          path.includes('/events')
            ? [gate]
            : { commit: 'c', text: '', leftOut: 0, files: [], approvals, applied: null },
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
    random: seededRandom(1),
    pid: 1,
    node: 'node',
    ownerCommand: ['false'],
    version: '1.2.3',
    onInterrupt: () => () => {},
    onReaderGone: () => () => {},
    onKey: () => () => {},
  };
}

test('work with an accepted red gate is not applied, and the output names the gate and the person', async () => {
  let shown = '';
  const { client, applies } = ownerWith([], applied);
  const { code } = await afterRun(
    contextThat((text) => (shown += text)),
    client,
    RUN,
    { kind: 'unverified', reason: 'done' },
    { requireGate: false, apply: true, json: false, accepted: [{ gate: 'test', by: 'ada' }] },
  );
  assert.deepEqual([code, applies()], [3, 0]);
  assert.match(
    shown,
    /^not applied: the work is not verified: gate test is red, accepted by ada\./,
  );
});

describe('after a run has ended, a script', () => {
  const cases: [
    why: string,
    outcome: RunOutcome['kind'],
    owner: ReturnType<typeof ownerWith>,
    code: number,
    error: string | undefined,
  ][] = [
    ['learns that nothing went wrong', 'succeeded', ownerWith([], applied), 0, undefined],
    [
      'learns that work without a gate is not applied',
      'unverified',
      ownerWith([], applied),
      3,
      'apply.unverified',
    ],
    [
      'learns that a failed run is not applied',
      'failed',
      ownerWith([], applied),
      1,
      'apply.run-failed',
    ],
    [
      'learns that a person has to agree',
      'succeeded',
      ownerWith([], refused, 409),
      3,
      'workspace.needs-approval',
    ],
    [
      'learns that there is a conflict, and still gets the result of the run',
      'succeeded',
      ownerWith([], { error: { code: 'workspace.conflict', message: 'You changed it too.' } }, 409),
      1,
      'workspace.conflict',
    ],
    [
      'learns that there is nothing to apply',
      'succeeded',
      ownerWith([], notThere, 404),
      0,
      undefined,
    ],
  ];
  for (const [why, kind, owner, code, error] of cases)
    test(why, async () => {
      let shown = '';
      const context = contextThat((text) => (shown += text));
      const options = { apply: true, requireGate: false, json: true };
      const outcome = { kind, reason: '' };
      const after = await afterRun(context, owner.client, RUN, outcome, options);
      assert.deepEqual([after.code, after.applyError?.code, shown], [code, error, '']);
    });
});

describe('after a run has ended', () => {
  type Row = [
    why: string,
    outcome: RunOutcome['kind'],
    flags: { apply?: boolean; commit?: boolean; requireGate?: boolean; hasWork?: boolean },
    code: number,
    printed: RegExp,
    owner?: ReturnType<typeof ownerWith>,
  ];
  const cases: Row[] = [
    ['verified work is not applied unless --apply is given', 'succeeded', {}, 0, /^$/],
    [
      'verified work is applied with --apply',
      'succeeded',
      { apply: true },
      0,
      /^applied 2 files to the project\nUndo with: supervisor apply --undo\n$/,
    ],
    ['unverified work exits with 0 if no gate is required', 'unverified', {}, 0, /^$/],
    [
      'unverified work exits with 3 if a gate is required',
      'unverified',
      { requireGate: true },
      3,
      /^$/,
    ],
    [
      'unverified work is not applied, and the output says how to apply it',
      'unverified',
      { apply: true },
      3,
      /^not applied: no gate has verified the work\..*supervisor apply a000000000 --include-executing --include-settings\n$/s,
    ],
    [
      'a run that changed nothing offers neither a review nor an apply',
      'unverified',
      { apply: true, hasWork: false },
      3,
      /^not applied: no gate has verified the work\. .* review the work yourself\.\n$/,
    ],
    ['a failed run still exits with 1', 'failed', { apply: true, requireGate: true }, 1, /^$/],
    [
      'a stopped run still exits with 130',
      'cancelled',
      { apply: true, requireGate: true },
      130,
      /^$/,
    ],
    [
      'work that changes files that its gates depend on is not applied',
      'succeeded',
      { apply: true },
      3,
      /^not applied: the work also changes files that its gates depend on: package\.json\./,
      ownerWith(['package.json'], applied),
    ],
    [
      'H5: a gate that is not protected does not verify the work',
      'succeeded',
      { apply: true },
      3,
      /^not applied: gate t is not protected: it starts bazel\. To accept this, pass --accept-unprotected/,
      ownerWith([], applied, 200, { unprotected: ['it starts bazel'] }),
    ],
    [
      'work is not applied for two reasons at once, and both are said',
      'succeeded',
      { apply: true },
      3,
      /^not applied: gate t is not protected: it starts bazel\. .*\. And the work also changes files that its gates depend on: package\.json\./,
      ownerWith(['package.json'], applied, 200, { unprotected: ['it starts bazel'] }),
    ],
    [
      'H5: a gate that is not protected counts if the user accepts it',
      'succeeded',
      { apply: true },
      0,
      /^applied 2 files to the project\nUndo with: supervisor apply --undo\n$/,
      ownerWith([], applied, 200, { unprotected: ['it starts bazel'], accepted: true }),
    ],
    [
      'the command that applies the work still commits it',
      'unverified',
      { apply: true, commit: true },
      3,
      /supervisor apply a000000000 --include-executing --include-settings --commit\n$/,
    ],
    [
      'H6: work that changes files that run by themselves is not applied, and the files are listed',
      'succeeded',
      { apply: true },
      3,
      /^not applied: some of the changes need your approval.*\.envrc: run by the shell.*--include-executing --include-settings/s,
      ownerWith([], refused, 409),
    ],
    [
      'work that was done directly in the project has nothing to apply',
      'succeeded',
      { apply: true },
      0,
      /worked directly in the project/,
      ownerWith([], notThere, 404),
    ],
  ];
  for (const [why, kind, flags, code, printed, owner = ownerWith([], applied)] of cases)
    test(why, async () => {
      let shown = '';
      const context = contextThat((text) => (shown += text));
      const options = { apply: false, requireGate: false, json: false, ...flags };
      const outcome = { kind, reason: '' };
      const after = await afterRun(context, owner.client, RUN, outcome, options);
      assert.equal(after.code, code);
      assert.match(shown, printed);
      const isApplied = /^applied|worked directly|your approval/.test(shown);
      assert.equal(owner.applies(), isApplied ? 1 : 0);
    });
});

test('the key of an apply is derived from the key of its run and within the length bound', async () => {
  const seen = new Set<string | undefined>();
  const long = 'k'.repeat(199);
  for (const key of ['k', 'k'.repeat(194), 'k'.repeat(195), `${long}1`, `${long}2`]) {
    const owner = ownerWith([], applied);
    const options = { apply: true, requireGate: false, json: true, idempotencyKey: key };
    const outcome = { kind: 'succeeded', reason: '' } as const;
    for (let times = 0; times < 2; times += 1)
      await afterRun(
        contextThat(() => undefined),
        owner.client,
        RUN,
        outcome,
        options,
      );
    const [first, second] = owner.keys;
    assert.equal(first, second);
    assert.ok(first !== undefined && first !== key && first.length <= 200, first);
    seen.add(first);
  }
  assert.equal(seen.size, 5);
});
