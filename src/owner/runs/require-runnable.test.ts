import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Refusal } from '../../base/errors.ts';
import { PINNED_DEFAULTS } from '../../../test/support/pinned-defaults.ts';
import type { BackendChoice } from '../../sandbox/choose-backend.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requireRunnable } from './require-runnable.ts';
import { submission } from '../../../test/support/run-event.ts';

type Agent = {
  readonly cli: string;
  readonly command?: readonly string[];
  readonly inProject?: true;
};

const claude: Agent = { cli: 'claude' };
const codex: Agent = { cli: 'codex' };
const own: Agent = { cli: 'custom', command: ['./agent.sh'] };
const noSandbox = new Refusal({ code: 'sandbox.unavailable', message: 'No sandbox holds.' });

describe('before a run starts', () => {
  const cases: [
    why: string,
    chain: readonly Agent[],
    more: {
      backend?: string;
      unsafe?: boolean;
      files?: readonly string[];
      setup?: object;
      gates?: readonly object[];
    },
    expected: string | undefined,
  ][] = [
    ['its agent must be installed', [claude], { files: ['bin/claude'] }, undefined],
    ['one agent of its chain is enough', [claude, codex], { files: ['bin/codex'] }, undefined],
    [
      'a chain without any installed agent is refused',
      [claude, codex],
      {},
      'No agent of this run can be started: claude, codex are not installed, or not in your PATH.',
    ],
    [
      'an agent that npx would have to download is refused',
      [{ cli: 'custom', command: ['npx', '-y', 'tool'] }],
      { files: ['bin/npx'] },
      'No agent of this run can be started: npx is not installed, or not in your PATH.',
    ],
    [
      'an agent that npx has installed is accepted',
      [{ cli: 'custom', command: ['npx', '-y', 'tool'] }],
      { files: ['bin/tool'] },
      undefined,
    ],
    ['an agent may be inside an image', [claude], { backend: 'docker' }, undefined],
    ['an agent may be created by the setup', [own], { setup: {} }, undefined],
    [
      'no setup installs a CLI on this machine',
      [claude],
      { setup: {} },
      'No agent of this run can be started: claude is not installed, or not in your PATH.',
    ],
    ['an agent may be a script of the project', [own], { files: ['project/agent.sh'] }, undefined],
    [
      'a missing script is refused',
      [own],
      {},
      'No agent of this run can be started: ./agent.sh is not installed, or not in your PATH.',
    ],
    [
      'a sandbox must be available',
      [claude],
      { backend: 'none', files: ['bin/claude'] },
      'No sandbox holds.',
    ],
    [
      'no sandbox is needed if the user has said so',
      [claude],
      { backend: 'none', unsafe: true, files: ['bin/claude'] },
      undefined,
    ],
    ['a scripted agent needs nothing', [{ cli: 'scripted' }], { backend: 'none' }, undefined],
    [
      'the gates of a scripted agent need a sandbox',
      [{ cli: 'scripted' }],
      { backend: 'none', gates: [{}] },
      'No sandbox holds.',
    ],
    [
      'the setup of a scripted agent needs a sandbox',
      [{ cli: 'scripted' }],
      { backend: 'none', setup: {} },
      'No sandbox holds.',
    ],
    [
      'the gates of a scripted agent need none if the user has said so',
      [{ cli: 'scripted' }],
      { backend: 'none', gates: [{}], unsafe: true },
      undefined,
    ],
    [
      'the setup of a scripted agent that works in the project itself needs none',
      [{ cli: 'scripted', inProject: true }],
      { backend: 'none', setup: {} },
      undefined,
    ],
    ['a scripted agent with gates needs no CLI', [{ cli: 'scripted' }], { gates: [{}] }, undefined],
  ];
  for (const [
    why,
    chain,
    { backend = 'bubblewrap', unsafe = false, files = [], setup, gates = [] },
    expected,
  ] of cases)
    test(why, async () => {
      await using dir = await tempDir();
      for (const folder of ['bin', 'project']) await mkdir(join(dir.path, folder));
      for (const name of files) await writeFile(join(dir.path, name), '', { mode: 0o755 });
      const written = submission({
        program: 'attempts',
        task: 'do it',
        project: join(dir.path, 'project'),
        settings: {
          ...PINNED_DEFAULTS,
          agent: chain[0],
          chain,
          unsafe,
          setup: setup ?? null,
          gates,
        },
      });
      const choose = async (): Promise<BackendChoice> => {
        if (backend === 'none') throw noSandbox;
        return { backend } as BackendChoice;
      };
      const check = requireRunnable(written, {
        env: { PATH: join(dir.path, 'bin') },
        chooseBackend: choose,
      });
      const refusal = await check.then(
        () => undefined,
        (error: unknown) => (error instanceof Refusal ? error.message : error),
      );
      assert.equal(refusal, expected);
    });
});
