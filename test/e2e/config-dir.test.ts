/** An agent with a `config_dir`, in a real sandbox, with a script in place of Claude Code. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { which } from '../../src/host/process/which.ts';
import { tempDir } from '../support/temp-dir.ts';
import { notesOf, SECRET, SandboxedHarness } from '../real/sandboxed-harness.ts';

const missing = which('bwrap', process.env) === undefined;
const skip = missing && process.env['CI'] === undefined ? 'missing: bubblewrap' : false;

test(
  'the texts of a config_dir are in the HOME of a contained agent, its settings and login are not',
  { skip, timeout: 300_000 },
  async () => {
    await using dir = await tempDir();
    const [bin, folder] = [join(dir.path, 'bin'), join(dir.path, 'claude-work')];
    await mkdir(bin);
    await mkdir(join(folder, 'agents'), { recursive: true });
    await writeFile(
      join(bin, 'claude'),
      '#!/bin/sh\ncd ~/.claude && find . -type f -exec cat {} + >"$OLDPWD/told.txt"\n',
      { mode: 0o755 },
    );
    await writeFile(join(folder, 'CLAUDE.md'), 'be brief\n');
    await writeFile(join(folder, 'agents/tester.md'), 'test it\n');
    await writeFile(join(folder, 'settings.json'), '{"model": "other"}\n');
    await writeFile(join(folder, '.credentials.json'), '{"token": "t"}\n');
    await using at = await SandboxedHarness.create({
      path: [bin],
      env: { ANTHROPIC_API_KEY: SECRET },
      config: { agents: [{ id: 'work', cli: 'claude', config_dir: folder }] },
    });
    const run = await at.submit('work', { once: true });
    const facts = await at.factsOf(run);
    const { text } = await at.client.diff(run);
    assert.match(text, /^\+be brief$/m);
    assert.match(text, /^\+test it$/m);
    assert.doesNotMatch(text, /model|token/);
    const [held] = notesOf(facts, 'started');
    assert.deepEqual(held?.['config'], ['.claude/CLAUDE.md', '.claude/agents/tester.md']);
  },
);
