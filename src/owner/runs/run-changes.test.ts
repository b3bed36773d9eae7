import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal, Refusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { StoredEvent } from '../../protocol/event.ts';
import type { EndedRun } from '../../../test/support/ended-run.ts';
import { ENDED_RUN as RUN, endedRun, gitPorts as git } from '../../../test/support/ended-run.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { lockProject, planApply } from '../../workspace/apply/apply.ts';
import { workspacePaths } from '../../workspace/workspace.ts';

const OTHER = 'b000000000' as RunId;

function full(): Refusal {
  return new Refusal({ code: 'store.full', message: 'The disk is full; nothing was written.' });
}

/** The user's state before the apply, as it was recorded. */
function stateBefore({ recorded: [first] }: EndedRun): string | undefined {
  return first?.type === 'apply.begun' ? first.payload.before : undefined;
}

describe('the work of a run', { timeout: 300_000 }, () => {
  test('is shown without being applied', async () => {
    await using at = await endedRun();
    const { text, files, leftOut } = await at.changes.diff(RUN);
    assert.deepEqual(
      [files, leftOut],
      [
        [
          { path: 'new.txt', added: 1, removed: 0 },
          { path: 'old.txt', added: 1, removed: 0 },
        ],
        0,
      ],
    );
    assert.match(text, /^\+two$/m);
    assert.deepEqual([await at.read('old.txt'), at.recorded], ['one\n', []]);
  });

  test('is applied, and the start and the end are recorded', async () => {
    await using at = await endedRun();
    const { files, branch } = await at.changes.apply(RUN, {});
    assert.deepEqual([files, branch], [2, null]);
    assert.deepEqual([await at.read('old.txt'), await at.read('new.txt')], ['one\ntwo\n', 'new\n']);
    const { commit } = at;
    const onto = null;
    const answer = { applied: { commit, files: 2, branch: null, made: null, merged: 0, onto } };
    const before = stateBefore(at);
    assert.deepEqual(at.recorded, [
      { type: 'apply.begun', payload: { run: RUN, commit, branch: null, before, files: 2 } },
      { type: 'apply.ended', payload: { run: RUN, commit, how: 'applied 2 files', answer } },
    ]);
  });

  test('is answered from the record if the same apply is requested again (R5)', async () => {
    await using at = await endedRun();
    const request = { key: 'k', digest: 'd' };
    const applied = await at.changes.apply(RUN, {}, request);
    const [begun] = at.recorded as unknown as StoredEvent[];
    assert.deepEqual(begun?.payload, {
      run: RUN,
      commit: at.commit,
      branch: null,
      before: stateBefore(at),
      files: 2,
      request,
    });
    assert.deepEqual(await at.changes.findAnswer(begun), applied);
    assert.equal(at.recorded.length, 2);
  });

  test('is answered by the next owner if this one dies before the last fact (R5)', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const refused = { code: 'workspace.changed-meanwhile', message: 'new.txt changed.' };
    const end = { commit, how: 'new.txt changed.', answer: { refused } };
    await writeFile(file, JSON.stringify({ end }));
    const begun = { type: 'apply.begun', seq: 0, payload: { run: RUN, commit } };
    await at.changes.resume([begun] as unknown as StoredEvent[]);
    assert.deepEqual(at.recorded, [{ type: 'apply.ended', payload: { run: RUN, ...end } }]);
    assert.equal(existsSync(file), false);
    await assert.rejects(at.changes.findAnswer(begun as unknown as StoredEvent), (error) =>
      isRefusal(error, 'workspace.changed-meanwhile'),
    );
  });

  // R10
  test('changes no file before its start is recorded', async () => {
    await using at = await endedRun();
    const seen: string[] = [];
    at.onRecord.on = async ({ type }) => void seen.push(`${type}: ${await at.read('old.txt')}`);
    await at.changes.apply(RUN, {});
    assert.deepEqual(seen, ['apply.begun: one\n', 'apply.ended: one\ntwo\n']);
  });

  test('changes no file if its start cannot be recorded', async () => {
    await using at = await endedRun();
    at.onRecord.on = () => Promise.reject(new Error('the journal cannot be written'));
    await assert.rejects(at.changes.apply(RUN, {}), /cannot be written/);
    assert.deepEqual([await at.read('old.txt'), at.recorded], ['one\n', []]);
  });

  test('leaves no plan if its start cannot be recorded', async () => {
    await using at = await endedRun();
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    at.onRecord.on = async () => {
      assert.equal(existsSync(file), true);
      throw new Error('ENOSPC');
    };
    await assert.rejects(at.changes.apply(RUN, {}), /ENOSPC/);
    assert.equal(existsSync(file), false);
  });

  test('is applied to the branch of this request, not to that of an earlier plan', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const plan = await planApply(at.place, git, { commit });
    await writeFile(file, JSON.stringify({ kind: 'branch', plan: { ...plan, branch: 'review' } }));
    assert.equal((await at.changes.apply(RUN, {})).branch, null);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);

    await using other = await endedRun();
    const tree = await planApply(other.place, git, { commit: other.commit });
    const stale = join(workspacePaths(other.place).record, '..', 'apply.json');
    await writeFile(stale, JSON.stringify({ kind: 'tree', plan: tree }));
    // The project has no git repository, so the branch is refused. What matters is that the files
    // do not change.
    await assert.rejects(other.changes.apply(RUN, { branch: 'review' }));
    assert.equal(await other.read('old.txt'), 'one\n');
  });

  test('is not resumed from a plan for another branch than the recorded one', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    const plan = await planApply(at.place, git, { commit });
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    const begun = {
      type: 'apply.begun',
      payload: { run: RUN, commit, branch: 'review', files: 2 },
    };
    await at.changes.resume([begun] as unknown as StoredEvent[]);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\n', false]);
  });

  test('continues from the stored plan if an apply was interrupted', async () => {
    await using at = await endedRun();
    const plan = await planApply(at.place, git, { commit: at.commit });
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    await writeFile(join(at.project, 'new.txt'), 'new\n'); // this part was applied before the interruption
    assert.equal((await at.changes.apply(RUN, {})).files, 2);
    assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);
  });

  test('is resumed by the next owner if an apply was interrupted, and only then', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const begun = { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } };
    const onto = null;
    const answer = { applied: { commit, files: 2, branch: null, made: null, merged: 0, onto } };
    const how = 'applied 2 files';
    const ended = { type: 'apply.ended', payload: { run: RUN, commit, how, answer } };
    await at.changes.resume([begun, ended] as unknown as StoredEvent[]);
    assert.deepEqual([at.recorded, await at.read('old.txt')], [[], 'one\n']);

    const plan = await planApply(at.place, git, { commit });
    const file = join(workspacePaths(at.place).record, '..', 'apply.json');
    await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
    await at.changes.resume([begun] as unknown as StoredEvent[]);
    assert.deepEqual([at.recorded, await at.read('old.txt')], [[begun, ended], 'one\ntwo\n']);

    at.recorded.length = 0;
    await at.changes.resume([begun] as unknown as StoredEvent[]);
    assert.deepEqual(at.recorded.at(-1)?.payload, {
      run: RUN,
      commit,
      how: 'ended when its owner died',
    });
  });

  test('stays open while the previous owner still applies it, and is resumed afterwards', async () => {
    const asks = [
      (at: EndedRun, begun: StoredEvent) => at.changes.resume([begun]),
      async (at: EndedRun) => void (await at.changes.apply(RUN, {})),
    ];
    for (const ask of asks) {
      await using at = await endedRun();
      const { commit } = at;
      const plan = await planApply(at.place, git, { commit });
      const { before } = plan;
      const payload = { run: RUN, commit, branch: null, before, files: 2 };
      const begun = { type: 'apply.begun', payload };
      const file = join(workspacePaths(at.place).record, '..', 'apply.json');
      await writeFile(file, JSON.stringify({ kind: 'tree', plan }));
      const release = await lockProject(at.place, git);
      const again = (): Promise<void> => ask(at, begun as unknown as StoredEvent);
      await assert.rejects(again(), (error) => isRefusal(error, 'workspace.busy'));
      assert.deepEqual([at.recorded, existsSync(file)], [[begun], true]);
      release();
      await again();
      assert.equal(at.recorded.at(-1)?.type, 'apply.ended');
      assert.deepEqual([await at.read('old.txt'), existsSync(file)], ['one\ntwo\n', false]);
    }
  });

  test('ends if another apply blocks it before it has changed anything', async () => {
    await using at = await endedRun();
    const release = await lockProject(at.place, git);
    await assert.rejects(at.changes.apply(RUN, {}), (error) => isRefusal(error, 'workspace.busy'));
    release();
    assert.deepEqual(
      at.recorded.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('is not resumed if another apply has its turn first', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const begun = { type: 'apply.begun', payload: { run: RUN, commit, branch: null, files: 2 } };
    const applying = at.changes.apply(RUN, {});
    await at.changes.resume([begun] as unknown as StoredEvent[]);
    assert.equal((await applying).files, 2);
    assert.deepEqual(
      at.recorded.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('does not count as failed if only its last fact finds no space on the disk', async () => {
    await using at = await endedRun();
    let isFull = true;
    at.onRecord.on = async ({ type }) => {
      if (type === 'apply.ended' && isFull) throw full();
    };
    const applying = at.changes.apply(RUN, {});
    await eventually('the apply to wait for space', () => at.clock.sleeping === 1, 60_000);
    assert.deepEqual([await at.read('old.txt'), at.recorded.length], ['one\ntwo\n', 1]);
    isFull = false;
    await at.clock.advance(1000);
    assert.equal((await applying).files, 2);
    assert.deepEqual(
      at.recorded.map(({ type }) => type),
      ['apply.begun', 'apply.ended'],
    );
  });

  test('is resumed even if another apply cannot be, and the error of that one is reported', async () => {
    await using at = await endedRun();
    const { commit } = at;
    const beginOf = (run: string) => ({
      type: 'apply.begun',
      payload: { run, commit, branch: null, files: 2 },
    });
    await mkdir(join(workspacePaths({ ...at.place, run: OTHER }).record, '..'), {
      recursive: true,
    });
    let isFull = true;
    at.onRecord.on = async ({ payload }) => {
      if (isFull && 'run' in payload && payload.run === OTHER) throw full();
    };
    const facts = [beginOf(OTHER), beginOf(RUN)] as unknown as StoredEvent[];
    await assert.rejects(at.changes.resume(facts), (error) => isRefusal(error, 'store.full'));
    const how = 'ended when its owner died';
    const saidOf = (run: string) => ({ type: 'apply.ended', payload: { run, commit, how } });
    assert.deepEqual(at.recorded, [saidOf(RUN)]);
    isFull = false;
    await at.changes.apply(RUN, {});
    assert.deepEqual(at.recorded[1], saidOf(OTHER));
  });

  test('is not applied if the user has changed the same lines', async () => {
    await using at = await endedRun();
    await writeFile(join(at.project, 'new.txt'), 'mine\n');
    await assert.rejects(at.changes.apply(RUN, {}), (error) =>
      isRefusal(error, 'workspace.conflict'),
    );
    assert.deepEqual([await at.read('old.txt'), await at.read('new.txt')], ['one\n', 'mine\n']);
    assert.deepEqual(at.recorded, []);
  });

  test('is discarded and can still be shown', async () => {
    await using at = await endedRun();
    assert.deepEqual(await at.changes.discard(RUN), {
      kind: 'gone',
      ref: `refs/supervisor/${RUN}/1`,
    });
    assert.equal((await at.changes.discard(RUN)).wasGone, true);
    assert.equal(existsSync(workspacePaths(at.place).work), false);
    assert.equal((await at.changes.diff(RUN)).files.length, 2);
  });

  test('is not touched while the run has not ended', async () => {
    await using at = await endedRun(null);
    for (const ask of [at.changes.apply(RUN, {}), at.changes.discard(RUN)])
      await assert.rejects(ask, (error) => isRefusal(error, 'run.not-ended'));
  });

  test('is found in its tree, and then on its ref, if the attempt was interrupted when its owner died', async () => {
    await using at = await endedRun();
    const begun = { type: 'command.begun', payload: { key: 'attempt-2', command: 'attempt' } };
    at.facts.push(begun);
    await writeFile(join(workspacePaths(at.place).work, 'later.txt'), 'later\n');
    assert.equal((await at.changes.diff(RUN)).files.length, 3);
    at.facts.length = 0;
    assert.equal((await at.changes.discard(RUN)).kind, 'gone');
    assert.equal((await at.changes.diff(RUN)).files.length, 3);
  });

  test('of a run that did not succeed is applied only if the person wants it', async () => {
    for (const kind of [
      'failed',
      'refused',
      'cancelled',
      'killed',
      'exhausted',
      'blocked',
    ] as const) {
      await using at = await endedRun({ kind, reason: 'it went wrong' });
      await assert.rejects(
        at.changes.apply(RUN, {}),
        (error) =>
          isRefusal(error, 'workspace.run-failed') &&
          error.message.includes(': it went wrong. Nothing was applied.') &&
          error.data.hint?.includes('--even-if-failed') === true,
      );
      assert.deepEqual([await at.read('old.txt'), at.recorded], ['one\n', []]);
      assert.equal((await at.changes.apply(RUN, { evenIfFailed: true })).files, 2);
    }
  });

  describe('is refused if there is none, with what to do', () => {
    const attempt = { type: 'command.begun', payload: { key: 'attempt-1', command: 'attempt' } };
    const noted = (note: object): object => ({
      type: 'command.noted',
      payload: { key: 'attempt-1', note },
    });
    const cases: [why: string, facts: object[], says: RegExp, hint: RegExp, isOpen?: true][] = [
      ['no attempt has ended yet', [attempt], /no work to show yet/, /supervisor attach/, true],
      ['no agent started', [], /ended before an agent started/, /supervisor why/],
      [
        'its agent worked in the project',
        [attempt, noted({ kind: 'started', pid: 1, sandbox: 'none' })],
        /worked directly in the project/,
        /git diff/,
      ],
      [
        'it could not be stored',
        [attempt, noted({ kind: 'not-committed', message: 'The disk is full.' })],
        /could not be stored: The disk is full\./,
        /supervisor logs/,
      ],
      ['its attempts left none', [attempt], /has no stored work/, /supervisor resume/],
    ];
    for (const [why, facts, says, hint, isOpen] of cases)
      test(why, async () => {
        await using at = await endedRun(isOpen === true ? null : undefined);
        at.facts.splice(0, Infinity, ...facts);
        await assert.rejects(
          at.changes.diff(OTHER),
          (error) =>
            isRefusal(error, 'workspace.not-found') &&
            says.test(error.message) &&
            hint.test(error.data.hint ?? ''),
        );
      });
  });
});
