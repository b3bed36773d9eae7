import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import type { Submission } from '../../protocol/event.ts';
import type { BackendChoice } from '../../sandbox/choose-backend.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requireRunnable } from './require-runnable.ts';

type Agent = { readonly cli: string; readonly command?: readonly string[] };

const claude: Agent = { cli: 'claude' };
const codex: Agent = { cli: 'codex' };
const own: Agent = { cli: 'custom', command: ['./agent.sh'] };
const noWalls = new Refusal({ code: 'sandbox.unavailable', message: 'No sandbox holds.' });

describe('what a run needs in order to begin', () => {
  const cases: [
    why: string,
    chain: readonly Agent[],
    more: { walls?: string; unsafe?: boolean; there?: readonly string[]; setup?: object },
    said: string | undefined,
  ][] = [
    ['is there', [claude], { there: ['bin/claude'] }, undefined],
    ['is one agent of its chain', [claude, codex], { there: ['bin/codex'] }, undefined],
    [
      'is not there when nobody of its chain is',
      [claude, codex],
      {},
      "No agent of this run can be started: claude, codex are not installed, or not in the owner's PATH.",
    ],
    [
      'is not there when npx would have to fetch it',
      [{ cli: 'custom', command: ['npx', '-y', 'tool'] }],
      { there: ['bin/npx'] },
      "No agent of this run can be started: npx is not installed, or not in the owner's PATH.",
    ],
    [
      'is there when npx has it',
      [{ cli: 'custom', command: ['npx', '-y', 'tool'] }],
      { there: ['bin/tool'] },
      undefined,
    ],
    ['may be in an image', [claude], { walls: 'docker' }, undefined],
    ['may be made by its setup', [own], { setup: {} }, undefined],
    ['may be a script of the project', [own], { there: ['project/agent.sh'] }, undefined],
    [
      'is not there when that script is not',
      [own],
      {},
      "No agent of this run can be started: ./agent.sh is not installed, or not in the owner's PATH.",
    ],
    ['are walls', [claude], { walls: 'none', there: ['bin/claude'] }, 'No sandbox holds.'],
    [
      'are none where somebody has said so',
      [claude],
      { walls: 'none', unsafe: true, there: ['bin/claude'] },
      undefined,
    ],
    ['is nothing for one of ours', [{ cli: 'scripted' }], { walls: 'none' }, undefined],
  ];
  for (const [
    why,
    chain,
    { walls = 'bubblewrap', unsafe = false, there = [], setup },
    said,
  ] of cases)
    test(why, async () => {
      await using dir = await tempDir();
      for (const folder of ['bin', 'project']) await mkdir(join(dir.path, folder));
      for (const name of there) await writeFile(join(dir.path, name), '', { mode: 0o755 });
      const submission: Submission = {
        program: 'attempts',
        task: 'do it',
        project: join(dir.path, 'project'),
        settings: { agent: chain[0], chain, unsafe, setup: setup ?? null },
      };
      const choose = async (): Promise<BackendChoice> => {
        if (walls === 'none') throw noWalls;
        return { backend: walls } as BackendChoice;
      };
      const needed = requireRunnable(submission, { env: { PATH: join(dir.path, 'bin') }, choose });
      const refusal = await needed.then(
        () => undefined,
        (error: unknown) => (error instanceof Refusal ? error.message : error),
      );
      assert.equal(refusal, said);
    });
});
