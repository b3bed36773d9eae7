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

/** The workflow of the components, and the file of their feature. */
const BUILD = `description: Implement and check
steps:
  implement: {role: implementer, next: parts}
  parts: {gates: [parts], next: commit, on_fail: implement}
  commit: {kind: commit}
`;

/** All three add a word to the last line of parts.txt, so two that work side by side are in conflict there. */
export const DEMO_FEATURE = `id: P1T1
title: A kettle
workflow: build
phases:
  - id: first
    components:
      - {id: body, title: The body, task: 'WRITE body.txt: steel. EXTEND parts.txt: body', files: [body.txt]}
      - {id: lid, title: The lid, task: 'WRITE lid.txt: glass. EXTEND parts.txt: lid', files: [lid.txt]}
  - id: then
    components:
      - {id: handle, title: The handle, task: 'WRITE handle.txt: wood. EXTEND parts.txt: handle', files: [handle.txt]}
`;

/** Each part that is listed has its file. */
const PARTS =
  "for (const part of require('fs').readFileSync('parts.txt', 'utf8').trim().split(' ').slice(1)) require('fs').readFileSync(part + '.txt')";

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
  write('.supervisor/workflows/build.yaml', BUILD);
  write('parts.txt', 'parts:\n');
  write('kettle.yaml', DEMO_FEATURE);
  write(
    '.supervisor/config.yaml',
    `gates:
  - {name: test, command: ${JSON.stringify([node, '--test'])}}
  - {name: parts, command: ${JSON.stringify([node, '-e', PARTS])}}
`,
  );
  git(repository, 'init', '--quiet');
  for (const setting of GIT_SETTINGS) git(repository, 'config', ...setting);
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'A test without its code');
  const state = await readTrustState({ home, project: repository });
  if (state.kind !== 'none') await writeTrust(home, state.project, state.folder, at(clock.now()));
}

/** The subjects of the commits that only the branch has, the first one first. */
export function readSubjects(repository: string, branch: string): readonly string[] {
  return git(repository, 'log', '--reverse', '--format=%s', `HEAD..${branch}`)
    .split('\n')
    .filter((line) => line !== '');
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
