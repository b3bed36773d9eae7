import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { AppliedEdits } from '../../workspace/apply/execute-apply.ts';
import { stagingName } from '../../workspace/apply/staging.ts';
import { refuseIfChanged } from './run-trees.ts';

const place = { root: '/p', run: 'a000000000' as RunId, attempt: 1 };

test('a refused apply names the files that changed meanwhile, and the folder with their first versions', () => {
  assert.equal(refuseIfChanged({ kind: 'applied' }, place), null);
  const refusalText = (leftAside: readonly string[], kind?: 'undo'): string => {
    const done: AppliedEdits = { kind: 'changed-meanwhile', paths: ['x'], leftAside };
    try {
      refuseIfChanged(done, place, kind);
    } catch (error) {
      if (isRefusal(error, 'workspace.changed-meanwhile'))
        return `${error.data.message} ${error.data.hint}`;
    }
    return 'no refusal';
  };
  assert.match(refusalText([], 'undo'), /^x changed during the undo\. Nothing was undone\. /);
  const changed = 'x changed during the apply. Nothing was applied.';
  assert.equal(refusalText([]), `${changed} Try again when no other program changes the project.`);
  assert.equal(
    refusalText(['x']),
    `${changed} The first version of x is in /p/${stagingName(place.run, 1)}. Copy what you need from that folder, delete it, and try again.`,
  );
});
