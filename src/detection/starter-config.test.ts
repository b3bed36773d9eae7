import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadFiles } from '../../test/support/load-settings-fixture.ts';
import { starterConfig } from './starter-config.ts';
import type { StarterConfig } from './starter-config.ts';

const EMPTY: StarterConfig = { chain: [], gates: [], setup: null, notes: [] };

describe('the configuration that init writes', () => {
  test('is read as what was found', async () => {
    const gates = [
      { name: 'test', command: ['npm', 'test'], why: 'a script' },
      {
        name: 'test my api',
        command: ['sh', '-c', `cd 'my api' && go test ./... # "all": {x}`],
        why: 'two\nlines: [',
      },
      { name: 'odd', command: ['x', '-', '--', '...', '1', 'no', '~', '', '@a', 'a: b'], why: '' },
    ];
    const setup = {
      command: ['uv', 'sync', '--frozen'],
      inputs: ['my api/uv.lock', 'a#b'],
      network: ['registry'],
    };
    const text = starterConfig({
      chain: ['claude', 'codex', 'gemini'],
      gates,
      setup,
      notes: ['Write a setup for cargo.'],
    });
    const { settings } = await loadFiles({ project: text });
    assert.deepEqual(
      settings.gates.map(({ name, command }) => ({ name, command })),
      gates.map(({ name, command }) => ({ name, command })),
    );
    assert.deepEqual(settings.setup, { ...setup, timeoutMs: 1_800_000 });
    assert.equal(settings.defaultAgent, 'claude');
    assert.deepEqual(settings.selection.fallbacks, { claude: 'codex', codex: 'gemini' });
    assert.match(text, /^# Write a setup for cargo\.$/m);
    assert.match(text, /^ {2}# two lines: \[$/m);
  });

  test('changes nothing if nothing was found, and shows how to write it', async () => {
    const text = starterConfig(EMPTY);
    const { settings } = await loadFiles({ project: text });
    assert.deepEqual(settings, (await loadFiles({ project: 'version: 1' })).settings);
    assert.match(text, /^# default_agent: claude$/m);
    assert.match(text, /^# setup:$/m);
    assert.match(text, /^# gates:$/m);
  });

  test('fits a terminal of 80 columns, beside the margin of the question', async () => {
    const install = 'python3 -m venv .venv && .venv/bin/pip install -r requirements.txt';
    const setup = { command: ['sh', '-c', install], inputs: ['requirements.txt'], network: [] };
    const check = ['.venv/bin/python', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'];
    const gates = [{ name: 'test project', command: check, why: 'tests/test_a.py' }];
    const found = { chain: ['codex', 'claude'], gates, setup, notes: ['long '.repeat(40).trim()] };
    for (const one of [found, { ...found, setup: null }, EMPTY]) {
      const text = starterConfig(one);
      assert.deepEqual(
        text.split('\n').filter((line) => line.length > 76),
        [],
      );
      const { settings } = await loadFiles({ project: text });
      assert.deepEqual(
        settings.gates.map(({ command }) => command),
        one.gates.map(({ command }) => command),
      );
      assert.deepEqual(settings.setup?.command, one.setup?.command);
    }
  });

  test('has no fallbacks with one agent', async () => {
    const text = starterConfig({ ...EMPTY, chain: ['codex'] });
    const { settings } = await loadFiles({ project: text });
    assert.equal(settings.defaultAgent, 'codex');
    assert.doesNotMatch(text, /fallbacks/);
  });
});
