import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { isRefusal, Refusal } from '../../base/errors.ts';
import type { Client } from '../../client/client.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { requireWorkFile } from './comment-place.ts';

const NONE = new Refusal({ code: 'workspace.not-found', message: 'There is no work.' });

/** What it says about the file of a comment. Undefined: it may be the subject of one. */
async function objection(file: string, changed: readonly string[] | Refusal) {
  await using dir = await tempDir();
  const project = join(dir.path, 'project');
  await mkdir(project);
  await writeFile(join(project, 'old.js'), '');
  await writeFile(join(dir.path, 'outside.js'), '');
  const client = {
    run: async () => ({ project }),
    diff: async () => {
      if (changed instanceof Refusal) throw changed;
      return { files: changed.map((path) => ({ path, added: 1, removed: 0 })) };
    },
  } as unknown as Pick<Client, 'run' | 'diff'>;
  return await requireWorkFile(client, 'a000000000', file).then(
    () => undefined,
    (error: unknown) => (isRefusal(error) ? error.message : assert.fail(String(error))),
  );
}

describe('the file of a comment', () => {
  const cases: [why: string, file: string, changed: readonly string[] | Refusal, what?: string][] =
    [
      ['may be one that the work changes', 'src/cart.js', ['src/cart.js']],
      ['may be written with a dot', './src/cart.js', ['src/cart.js']],
      ['may be one of the project', 'old.js', ['src/cart.js']],
      ['may be one of the project if there is no work yet', 'old.js', NONE],
      [
        'is refused if there is none of that name, with the nearest one',
        'src/cartt.js',
        ['src/cart.js'],
        'The work has no file "src/cartt.js" (did you mean "src/cart.js"?).',
      ],
      [
        'is refused outside of the project',
        '../outside.js',
        [],
        'The work has no file "../outside.js".',
      ],
    ];
  for (const [why, file, changed, what] of cases)
    test(why, async () => assert.equal(await objection(file, changed), what));
});
