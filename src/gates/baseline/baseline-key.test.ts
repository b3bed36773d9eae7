import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { tempDir } from '../../../test/support/temp-dir.ts';
import type { BaselineInput } from '../../protocol/contracts/baseline-contract.ts';
import { defaultSettings } from '../../settings/settings.ts';
import type { BaselineSubject } from './baseline-key.ts';
import { baselineKey } from './baseline-key.ts';

const { sandbox } = defaultSettings;
const input: BaselineInput = {
  name: 'test',
  command: ['npm', 'test'],
  timeoutMs: 1000,
  project: '/p',
  sandbox,
  unsafe: false,
  worksInProject: false,
};
const subject: BaselineSubject = {
  root: '/p',
  content: 'c1',
  inside: '',
  backend: 'bubblewrap',
  granted: { grants: [], read: [], path: [], record: [] },
};
const host = { env: { PATH: '' } };

describe('two runs share how a gate judges the base', () => {
  const cases: [
    why: string,
    input: Partial<BaselineInput>,
    subject: Partial<BaselineSubject>,
    isShared: boolean,
  ][] = [
    ['if everything is the same', {}, {}, true],
    ['whatever the gate is called', { name: 'other' }, {}, true],
    ['whether or not it only warns', { warns: true }, {}, true],
    ['unless a file differs', {}, { content: 'c2' }, false],
    ['unless the project differs', {}, { root: '/q' }, false],
    ['unless the folder inside differs', {}, { inside: 'a' }, false],
    ['unless the command differs', { command: ['npm', 'run', 'test'] }, {}, false],
    ['unless the time limit differs', { timeoutMs: 2000 }, {}, false],
    ['unless tests are counted in one only', { count: false }, {}, false],
    ['unless the setup made something else', { setupKey: 's' }, {}, false],
    ['unless the sandbox differs', {}, { backend: 'seatbelt' }, false],
    ['unless the memory differs', { sandbox: { ...sandbox, memoryBytes: 1 } }, {}, false],
  ];
  for (const [why, moreInput, moreSubject, isShared] of cases)
    test(why, async () => {
      const one = await baselineKey(input, subject, host);
      const other = await baselineKey(
        { ...input, ...moreInput },
        { ...subject, ...moreSubject },
        host,
      );
      assert.ok(one !== undefined);
      assert.equal(one === other, isShared);
    });

  test('unless a granted file differs', async () => {
    await using dir = await tempDir();
    const from = join(dir.path, '.env');
    const granted = {
      ...subject.granted,
      grants: [{ kind: 'copy', from, to: '.env' } as const],
      record: ['file .env'],
    };
    const keys: (string | undefined)[] = [];
    for (const text of ['A=1', 'A=1', 'A=2']) {
      await writeFile(from, text);
      keys.push(await baselineKey(input, { ...subject, granted }, host));
    }
    const [first, second, third] = keys;
    assert.deepEqual([first === second, first === third], [true, false]);
  });

  test('never if a folder of the user is mounted, since it may change', async () => {
    const mounts = [{ from: '/data', to: '/data', mode: 'ro' } as const];
    const mounted = { ...input, sandbox: { ...sandbox, mounts } };
    assert.equal(await baselineKey(mounted, subject, host), undefined);
  });
});
