/** A git repository for the scene of the workflow: one test, whose code is missing, and the steps to it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { at } from '../../base/clock.ts';
import { readTrustState } from '../../trust/trusted-project.ts';
import { writeTrust } from '../../trust/trust-store.ts';

export const DEMO_WORKFLOW = 'ship';

const WORKFLOW = `description: Implement, test, approve, commit
steps:
  implement: {role: implementer, next: check}
  check: {gates: [test], next: commit, on_fail: implement}
  commit: {kind: commit}
`;

const TEST = `import assert from 'node:assert/strict';
import test from 'node:test';
import { add } from './sum.mjs';

test('add(1, 2) is 3', () => assert.equal(add(1, 2), 3));
`;

/** The viewer's own settings must not decide how the demo commits. */
const GIT_SETTINGS = [
  ['user.name', 'The demo'],
  ['user.email', 'demo@example.com'],
  ['commit.gpgsign', 'false'],
  ['core.hooksPath', '/dev/null'],
];

/** `home` trusts it, as `supervisor trust` would. */
export async function createDemoRepository(
  repository: string,
  home: string,
  { node, clock }: { readonly node: string; readonly clock: Clock },
): Promise<void> {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), text);
  };
  write('sum.test.mjs', TEST);
  write(`.supervisor/workflows/${DEMO_WORKFLOW}.yaml`, WORKFLOW);
  write(
    '.supervisor/config.yaml',
    `gates:\n  - {name: test, command: ${JSON.stringify([node, '--test'])}}\n`,
  );
  git(repository, 'init', '--quiet');
  for (const setting of GIT_SETTINGS) git(repository, 'config', ...setting);
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'A test without its code');
  const state = await readTrustState({ home, project: repository });
  if (state.kind !== 'none') await writeTrust(home, state.project, state.folder, at(clock.now()));
}

/** The subject of the last commit of a branch, and its trailers. */
export function readCommit(repository: string, branch: string): readonly string[] {
  return git(repository, 'log', '-1', '--format=%s%n%(trailers)', branch)
    .split('\n')
    .filter((line) => line !== '');
}

function git(repository: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: repository, encoding: 'utf8' });
}
