import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepWorkspace } from '../../src/workspace/keep.ts';
import { carryOutApply, planApply } from '../../src/workspace/apply.ts';
import { bench, read, userGit, write } from './bench.ts';

test('an agent gets what the user sees, and what it does comes back', async () => {
  await using b = await bench({
    'a.txt': 'one\n',
    'run.sh': { x: '#!/bin/sh\n' },
    '.gitignore': 'out/\n',
    link: { to: 'a.txt' },
  });
  await write(b.project, { 'a.txt': 'two\n', 'new.txt': 'new\n', 'out/x': 'ignored' });
  const status = await b.git('status', '--porcelain');
  const ws = await b.make();
  console.log(ws.record);
  assert.deepEqual(await read(ws.work), {
    'a.txt': 'two\n',
    'new.txt': 'new\n',
    'run.sh': { x: '#!/bin/sh\n' },
    '.gitignore': 'out/\n',
    link: { to: 'a.txt' },
  });
  console.log(await userGit(ws.work, b.home, ['log', '--oneline', '--stat']));
  console.log(await userGit(ws.work, b.home, ['status', '--porcelain']));
  assert.equal(await b.git('status', '--porcelain'), status);
  await write(ws.work, { 'a.txt': 'three\n', 'deep/er/f': 'x', 'out/y': '1' });
  const kept = await keepWorkspace(ws.place, b.ports);
  console.log(kept);
  const plan = await planApply(ws.place, b.ports, { commit: kept.commit });
  console.log(plan);
  console.log(await carryOutApply(plan, b.ports));
  console.log(await read(b.project));
  console.log(await carryOutApply(plan, b.ports));
  await ws.release();
});
