/** The risk of real work in a real repository. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { commandKey } from '../../base/ids.ts';
import type { RunId } from '../../base/ids.ts';
import { systemClock } from '../../host/machine/system-clock.ts';
import { which } from '../../host/process/which.ts';
import type { Risk } from '../../protocol/approval.ts';
import type { AssessChangeInput } from '../../protocol/contracts/workflow-contract.ts';
import { defaultSettings } from '../../settings/settings.ts';
import { commitWorkspace } from '../../workspace/commit-work.ts';
import { createWorkspace } from '../../workspace/create-workspace.ts';
import { assessChangePerformer } from './assess-change.ts';

const RUN = 'a000000000' as RunId;
const tag = `assess-test:${process.pid}`;
const git = {
  git: which('git', process.env) ?? 'git',
  clock: systemClock,
  tag,
  userHome: '/nonexistent',
};
const BASE = 'echo 1 >cart.js; mkdir test; echo 1 >test/cart.test.js; echo {} >package.json';

/** The risk of what the script does to the project. */
async function riskOf(script: string, facts: Partial<AssessChangeInput> = {}): Promise<Risk> {
  await using dir = await tempDir();
  const root = await realpath(dir.path);
  const [project, home] = [join(root, 'project'), join(root, 'home')];
  await mkdir(project);
  await mkdir(home);
  execFileSync('sh', ['-ec', BASE], { cwd: project });
  const workspace = await createWorkspace({ path: project, home, run: RUN, attempt: 1 }, git);
  execFileSync('sh', ['-ec', script], { cwd: workspace.work });
  const { commit, result } = await commitWorkspace(workspace.id, git);
  workspace.release();
  const performer = assessChangePerformer({
    ...{ git: git.git, clock: systemClock, userDir: '/nonexistent', stateDir: home },
    tagOf: () => tag,
  });
  const { signal } = new AbortController();
  const input = {
    ...{ project, work: { run: RUN, tree: 1, commit, content: result } },
    ...{ policy: defaultSettings.approvals, gates: 'green' as const, breaking: false },
    ...facts,
  };
  return await performer.perform(
    { run: RUN, key: commandKey('assess-look-1'), input },
    { cancelSignal: signal, killSignal: signal, note: () => Promise.resolve() },
  );
}

const MANY = 'for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do echo 1 >f$n; done';

describe('the risk of the work of a workflow', { timeout: 300_000 }, () => {
  const cases: [
    why: string,
    script: string,
    facts: Partial<AssessChangeInput>,
    tier: Risk['tier'],
    reason: RegExp,
  ][] = [
    ['one changed file is low', 'echo 2 >cart.js', {}, 'low', /^1 file changed/],
    ['a deleted file counts', 'rm cart.js', {}, 'low', /^1 file changed/],
    [
      'code that no test reaches makes it medium',
      'echo 2 >orphan.js',
      {},
      'medium',
      /^no test leads to orphan\.js$/,
    ],
    [
      'code that no test reaches is low with a measured coverage',
      'echo 2 >orphan.js',
      { coverage: 90 },
      'low',
      /green/,
    ],
    [
      'code that no test reaches makes it medium if the report of the coverage does not have it',
      'echo 2 >orphan.js; echo 2 >notes.md',
      { coverage: 90, unlisted: ['notes.md', 'orphan.js'] },
      'medium',
      /^no test leads to orphan\.js$/,
    ],
    [
      'a text that the report of the coverage does not have keeps it low',
      'echo 2 >notes.md',
      { coverage: 90, unlisted: ['notes.md'] },
      'low',
      /green/,
    ],
    [
      'a gate that measured too little coverage makes it medium',
      'echo 2 >cart.js',
      { coverage: 55 },
      'medium',
      /^tests cover 55 % of the lines, less than 80 %$/,
    ],
    ['enough coverage keeps it low', 'echo 2 >cart.js', { coverage: 80 }, 'low', /green/],
    [
      'a changed test makes it medium',
      'echo 2 >test/cart.test.js',
      {},
      'medium',
      /it changes tests, .*: test\/cart\.test\.js/,
    ],
    [
      'a script that runs by itself makes it medium',
      `echo '{"scripts":{"postinstall":"x"}}' >package.json`,
      {},
      'medium',
      /package\.json/,
    ],
    [
      'a sensitive file makes it high, however it is written',
      'mkdir src; echo 1 >src/OAuth.js',
      {},
      'high',
      /it changes sensitive files: src\/OAuth\.js/,
    ],
    ['a renamed key is critical', 'mv cart.js server.pem', {}, 'critical', /server\.pem/],
    ['every file counts, not only those that a message names', MANY, {}, 'high', /^21 files/],
    ['a red gate makes it medium', 'echo 2 >cart.js', { gates: 'red' }, 'medium', /a gate is red/],
  ];
  for (const [why, script, facts, tier, reason] of cases)
    test(why, async () => {
      const risk = await riskOf(script, facts);
      assert.equal(risk.tier, tier, risk.reasons.join('; '));
      assert.match(risk.reasons.join('; '), reason);
    });
});
