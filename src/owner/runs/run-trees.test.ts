import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusal } from '../../base/errors.ts';
import type { RunId } from '../../base/ids.ts';
import type { AppliedEdits } from '../../workspace/apply/execute-apply.ts';
import { stagingName } from '../../workspace/apply/staging.ts';
import { refuseIfChanged } from './run-trees.ts';

const place = { root: '/p', run: 'a000000000' as RunId, attempt: 1 };

test('an apply that changed nothing names what changed meanwhile, and where what it moved lies', () => {
  assert.equal(refuseIfChanged({ kind: 'applied' }, place), null);
  const said = (leftAside: readonly string[]): string => {
    const done: AppliedEdits = { kind: 'changed-meanwhile', paths: ['x'], leftAside };
    try {
      refuseIfChanged(done, place);
    } catch (error) {
      if (isRefusal(error, 'workspace.changed-meanwhile'))
        return `${error.data.message} ${error.data.hint}`;
    }
    return 'it was not refused';
  };
  const changed = 'x changed while it was being applied. Nothing was applied.';
  assert.equal(said([]), `${changed} Say it again when nobody is at work in the project.`);
  assert.equal(
    said(['x']),
    `${changed} What was written to x first lies in /p/${stagingName(place.run, 1)}. Take what you need from that folder, remove it, and say it again.`,
  );
});
