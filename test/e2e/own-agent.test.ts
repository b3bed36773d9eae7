/** An agent that is a script of the project, as the guide shows it. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

test(
  'a script of the project runs in the sandbox, wherever its owner was started',
  { skip },
  async () => {
    const agents = [{ id: 'mine', cli: 'custom', command: ['./agent.sh', '{prompt_file}'] }];
    await using at = await SandboxedHarness.create({ config: { agents } });
    const script = '#!/bin/sh\ncp "$1" told.txt; echo "it is done"\n';
    await writeFile(join(at.project, 'agent.sh'), script, { mode: 0o755 });
    const run = await at.submit('mine', { once: true });
    const facts = await at.factsOf(run);
    assert.deepEqual(facts.at(-1)?.payload, {
      outcome: { kind: 'unverified', reason: 'it is done' },
    });
    await at.client.apply(run);
    const { task } = await at.client.run(run);
    assert.ok((await readFile(join(at.project, 'told.txt'), 'utf8')).includes(task));
  },
);
