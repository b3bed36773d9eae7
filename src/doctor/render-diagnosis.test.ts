import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { failed, goodMachine } from '../../test/support/machine-facts-fixture.ts';
import { diagnose } from './diagnose.ts';
import { renderDiagnosis } from './render-diagnosis.ts';

const machine = {
  ...goodMachine,
  docker: failed('/usr/bin/docker', 1, 'Cannot connect to the Docker daemon', '28.2.2\n'),
  agents: goodMachine.agents.slice(0, 3),
};

const EXPECTED = `
Runtime
  ✓ Node.js      24.1.0
  ✓ SQLite       3.50.4
  ✓ git          2.39.5
  ✓ account      uid 1000

Sandbox
  ✓ bubblewrap   0.8.0
  – Podman       not here
    gives: Agents in containers with images of your choice, without a daemon
    that runs as root.
    get: sudo apt-get install -y podman
  ! Docker       28.2.2 · the client is here, but no engine answers
    mend: sudo systemctl enable --now docker

Agents
  ✓ Claude Code  2.1.4, logged in · this release does not run it yet
  – Codex        not here
    gives: Agents on OpenAI models, by ChatGPT plan or by key. Tested with
    0.166.0.
    get: npm install --global @openai/codex@latest && codex login
  – Gemini CLI   not here
    gives: Agents on Google models, by account or by key. Tested with 0.61.0.
    get: npm install --global @google/gemini-cli@latest && gemini
  ✓ scripted     built in

State
  ✓ folder       /home/ada/.supervisor · it is made by the first run
  ✓ disk         80.4 GB free

Supervisor can run here. A sandbox works here: bubblewrap. Agents that are
ready: claude, scripted. You have Claude Code 2.1.4, logged in, but this release
runs only scripted.

  supervisor run "Say hello in hello.txt" --agent scripted
`.trimStart();

describe('a diagnosis for people', () => {
  const diagnosis = diagnose(machine);

  test('has a line for each finding and a remedy beneath what is not well', () => {
    assert.equal(renderDiagnosis(diagnosis, { width: 80, colour: false }), EXPECTED);
  });

  test('says the same in colour', () => {
    const coloured = renderDiagnosis(diagnosis, { width: 80, colour: true });
    assert.ok(coloured.includes('  \u001b[32m✓\u001b[0m git          2.39.5\n'));
    assert.equal(stripVTControlCharacters(coloured), EXPECTED);
  });

  test('puts all on one line where there is room', () => {
    assert.match(
      renderDiagnosis(diagnosis, { width: 160, colour: false }),
      /\n {4}gives: Agents on Google models, by account or by key\. Tested with 0\.61\.0\. · get: npm install /,
    );
  });

  test('keeps to the width, but for commands and single words', () => {
    const lines = renderDiagnosis(diagnosis, { width: 40, colour: false }).split('\n');
    const long = lines.filter((line) => line.length > 40);
    assert.deepEqual(
      long.filter((line) => !/^ {4}(get|mend): |^ {2}supervisor |\/home/.test(line)),
      [],
    );
  });

  test('shows what a terminal would obey', () => {
    const path = '/home/\u001b[2J\u202eada';
    const hostile = { ...machine, state: { ...machine.state, path } };
    const text = renderDiagnosis(diagnose(hostile), { width: 80, colour: false });
    assert.ok(text.includes(String.raw`/home/\u{1b}[2J\u{202e}ada`), text);
  });

  test('names what keeps supervisor from running', () => {
    const old = { ...machine, node: { version: '20.9.0', path: '/n' } };
    assert.match(
      renderDiagnosis(diagnose(old), { width: 80, colour: false }),
      /cannot run here yet: node\./,
    );
  });
});
